// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/experiment_document.h"
#include "ui/document/experiment_reading.h"
#include "ui/document/field_edit.h"
#include "ui/document/field_tree.h"
#include "ui/editing/experiment_facts.h"
#include "ui/editors/field_form.h"

#include <QAbstractSpinBox>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::ui;

/// The window of a program that has the members of toys/, in their messages only: of their pairs
/// and rows nothing is linked here.
class TstNewMembersForm : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void fieldsComeFromTheMessages();
    void pagesTellWhatTheExperimentHolds();
    void modelPageShowsTheFormOfTheEstimator();
    void aFieldOfTheFormIsWritten();

private:
    QByteArray m_text;
    ExperimentReadingPtr m_reading;
};

void TstNewMembersForm::initTestCase()
{
    QFile file(CANNERY_TOYS "/toys.cannery");
    QVERIFY(file.open(QIODevice::ReadOnly));
    m_text = file.readAll();
    m_reading = readExperiment(m_text, "toys.cannery");
    for (const ProblemRow& problem : m_reading->problems) {
        QFAIL(qPrintable(problem.sentence));
    }
}

void TstNewMembersForm::fieldsComeFromTheMessages()
{
    const FieldNode* threshold =
        findField(m_reading->root, "feature_column[adult].flag_column.threshold");
    QVERIFY(threshold != nullptr);
    QCOMPARE(threshold->label, "From");
    QCOMPARE(threshold->unit, "years");
    QCOMPARE(threshold->text, "18");
    QCOMPARE(threshold->help, "The least number that counts.");
    QVERIFY(!threshold->isDefault);
    const FieldNode* classes = findField(m_reading->root, "estimator.scaled_classifier.n_classes");
    QVERIFY(classes != nullptr && classes->isDefault);
    QCOMPARE(classes->text, "2");
    QVERIFY(findField(m_reading->root, "data.train.numbers.columns") != nullptr);
}

void TstNewMembersForm::pagesTellWhatTheExperimentHolds()
{
    const ExperimentFacts facts = ExperimentFacts::of(m_reading->root);
    QCOMPARE(facts.trainFiles, QStringList{"people.txt"});
    QVERIFY(facts.hasModel());
    QCOMPARE(facts.estimatorTitle, "Scaled classifier");
    QCOMPARE(facts.className, "ScaledClassifier");
    QCOMPARE(facts.head, "Yes or no");
    QCOMPARE(facts.features.size(), 2);
    const FeatureFacts& flag = facts.features[0];
    QCOMPARE(flag.sources, QStringList{"age"});
    QCOMPARE(flag.steps, (QList<FeatureStep>{{"Flag column", "18"}}));
    QCOMPARE(flag.side, FeatureSide::Wide);
    QCOMPARE(flag.help, "Is a number large enough?");
}

void TstNewMembersForm::modelPageShowsTheFormOfTheEstimator()
{
    QTemporaryDir folder;
    const QString copy = folder.filePath("toys.cannery");
    QVERIFY(QFile::copy(CANNERY_TOYS "/toys.cannery", copy));
    ExperimentDocument document;
    document.open(copy);
    QTRY_VERIFY_WITH_TIMEOUT(!document.isLoading(), tests::kPatience);
    FieldForm form({.document = &document}, "estimator.scaled_classifier", {});
    auto* factor = form.findChild<QAbstractSpinBox*>("field.estimator.scaled_classifier.factor");
    QVERIFY(factor != nullptr);
    QCOMPARE(factor->accessibleName(), "Factor");
    QCOMPARE(factor->text(), "3");
    QVERIFY(factor->toolTip().startsWith("What the logits are multiplied by."));
    QVERIFY(form.findChild<QWidget*>("field.estimator.scaled_classifier.n_classes") != nullptr);
    QVERIFY(form.findChild<QWidget*>("field.estimator.scaled_classifier.feature_columns") !=
            nullptr);
    factor->selectAll();
    QTest::keyClicks(factor, "4");
    QTRY_COMPARE_WITH_TIMEOUT(document.value("estimator.scaled_classifier.factor"), "4",
                              tests::kPatience);
}

void TstNewMembersForm::aFieldOfTheFormIsWritten()
{
    QString error;
    const auto change = editChange(
        m_text, {FieldEdit::set("feature_column[adult].flag_column.threshold", "21")}, error);
    QVERIFY2(change.has_value(), qPrintable(error));
    const QByteArray changed = change->applied(m_text);
    QVERIFY(changed.contains("flag_column { key: \"age\" threshold: 21 }"));
    const QString classes = "estimator.scaled_classifier.n_classes";
    const QByteArray wrong =
        editChange(m_text, {FieldEdit::set(classes, "1")}, error)->applied(m_text);
    const QList<ProblemRow> problems = readExperiment(wrong, "toys.cannery")->problems;
    QCOMPARE(problems.size(), 1);
    QCOMPARE(problems[0].path, classes);
}

CANNERY_TEST(TstNewMembersForm)

#include "tst_new_members_form.moc"
