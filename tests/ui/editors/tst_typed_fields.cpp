// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/experiment_document.h"
#include "ui/editors/bucket_editor.h"
#include "ui/editors/field_form.h"
#include "ui/editors/field_text.h"

#include <QAbstractSpinBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

const QString kRate = QStringLiteral("estimator.dnn_classifier.optimizer.adam.learning_rate");
const QByteArray kText =
    "estimator {\n  dnn_classifier {\n    optimizer { adam { learning_rate: 0.5 "
    "} }\n  }\n}\ntrain_spec { max_steps: 100 }\n";

} // namespace

/// Typing into the fields of a form, key by key, in several languages.
class TstTypedFields : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void aDecimalCommaIsWrittenAsAPoint();
    void groupsOfDigitsAreOneNumber();
    void whatIsNoNumberIsRefusedUnderTheField();
    void aRefusedTextStaysUntilItIsMended();
    void aListWithAWrongElementIsRefused();
    void theFieldShowsNumbersAsTheLanguageWritesThem();
    void noLetterIsLostWhileTheDocumentIsRead();
    void valuesOfASweepAreReadLikeTheirField();
    void halfOfAWrongListOfBoundariesIsNotKept();
    void noValueEndsEarly();

private:
    void openForm(const QString& path, FormContext context = {});
    QLineEdit* line(const QString& path) const;
    void retype(const QString& path, const QString& text);
    QString words(const QString& path) const
    {
        return m_form->findChild<QLabel*>("words." + path)->text();
    }
    QString written(const QString& path) const { return m_document->edits().written(path); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ExperimentDocument> m_document;
    std::unique_ptr<FieldForm> m_form;
};

void TstTypedFields::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QFile file(m_folder->filePath("a.cannery"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kText) == kText.size());
    file.close();
    m_document = std::make_unique<ExperimentDocument>();
    m_document->open(file.fileName());
    QTRY_VERIFY_WITH_TIMEOUT(!m_document->isLoading(), kPatience);
}

void TstTypedFields::cleanup()
{
    m_form.reset();
    m_document.reset();
    QLocale::setDefault(QLocale::c());
}

void TstTypedFields::openForm(const QString& path, FormContext context)
{
    context.document = m_document.get();
    m_form = std::make_unique<FieldForm>(context, path, FieldForm::Options{});
    followDocument(m_form.get(), *m_document);
    m_form->show();
    QVERIFY(QTest::qWaitForWindowActive(m_form.get()));
}

QLineEdit* TstTypedFields::line(const QString& path) const
{
    auto* field = m_form->findChild<QWidget*>("field." + path);
    auto* own = qobject_cast<QLineEdit*>(field);
    return own != nullptr ? own : field->findChild<QLineEdit*>();
}

void TstTypedFields::retype(const QString& path, const QString& text)
{
    QLineEdit* field = line(path);
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, text);
    QTRY_VERIFY_WITH_TIMEOUT(m_document->isSettled(), kPatience);
}

void TstTypedFields::aDecimalCommaIsWrittenAsAPoint()
{
    QLocale::setDefault(QLocale("de_DE"));
    openForm("estimator.dnn_classifier.optimizer.adam");
    retype(kRate, "0,07");
    QCOMPARE(written(kRate), QString("0.07"));
    QVERIFY(m_document->problems().at(kRate) == nullptr);
    QCOMPARE(line(kRate)->text(), QString("0,07"));
    QCOMPARE(m_document->undoStack()->count(), 1);
}

void TstTypedFields::groupsOfDigitsAreOneNumber()
{
    QLocale::setDefault(QLocale("de_DE"));
    openForm("train_spec");
    retype("train_spec.max_steps", "10.000");
    QCOMPARE(written("train_spec.max_steps"), QString("10000"));
    QLocale::setDefault(QLocale("en_US"));
    retype("train_spec.max_steps", "12,500");
    QCOMPARE(written("train_spec.max_steps"), QString("12500"));
}

void TstTypedFields::whatIsNoNumberIsRefusedUnderTheField()
{
    QLocale::setDefault(QLocale("en_US"));
    openForm("estimator.dnn_classifier.optimizer.adam");
    retype(kRate, "0,07");
    QCOMPARE(m_document->text().toUtf8(), kText);
    QVERIFY(m_document->problems().hasErrors() && m_document->problems().at(kRate) != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(words(kRate).contains("0,07"), kPatience);
    QVERIFY(m_document->problems().at(kRate)->page == "model");
}

void TstTypedFields::aRefusedTextStaysUntilItIsMended()
{
    openForm("estimator.dnn_classifier.optimizer.adam");
    retype(kRate, "0.0x");
    QCOMPARE(m_document->text().toUtf8(), kText);
    line(kRate)->clearFocus();
    QCoreApplication::processEvents();
    QCOMPARE(line(kRate)->text(), QString("0.0x"));
    QVERIFY(m_document->problems().at(kRate) != nullptr);
    line(kRate)->setFocus();
    QTest::keyClick(line(kRate), Qt::Key_End);
    QTest::keyClick(line(kRate), Qt::Key_Backspace);
    QTest::keyClicks(line(kRate), "7");
    QTRY_VERIFY_WITH_TIMEOUT(m_document->isSettled(), kPatience);
    QCOMPARE(written(kRate), QString("0.07"));
    QVERIFY(m_document->problems().at(kRate) == nullptr);
}

void TstTypedFields::aListWithAWrongElementIsRefused()
{
    const FieldSchema units = *fieldSchema("estimator.dnn_classifier.hidden_units");
    QCOMPARE(readTyped(units, "64, 32").text, QString("[64, 32]"));
    QVERIFY(!readTyped(units, "64, abc").problem.isEmpty());
    QVERIFY(!readTyped(units, "1,000").problem.isEmpty());
    openForm("estimator.dnn_classifier");
    const QString path = "estimator.dnn_classifier.hidden_units";
    retype(path, "64, 3x");
    QCOMPARE(written(path), QString());
    QVERIFY(m_document->problems().hasErrors());
}

void TstTypedFields::theFieldShowsNumbersAsTheLanguageWritesThem()
{
    QLocale::setDefault(QLocale("de_DE"));
    openForm("estimator.dnn_classifier.optimizer.adam");
    QCOMPARE(line(kRate)->text(), QString("0,5"));
    auto* box = m_form->findChild<QAbstractSpinBox*>("field." + kRate);
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Up);
    QTRY_VERIFY_WITH_TIMEOUT(m_document->isSettled(), kPatience);
    QCOMPARE(line(kRate)->text(), QString("0,6"));
    QCOMPARE(written(kRate), QString("0.6"));
}

/// A form may be refreshed at any time, also between two keys.
void TstTypedFields::noLetterIsLostWhileTheDocumentIsRead()
{
    openForm({});
    const QString path = "name";
    line(path)->setFocus();
    QString typed;
    for (const QChar letter : QStringLiteral("train_spec.input.batch_size")) {
        QTest::keyClicks(line(path), letter);
        typed += letter;
        m_form->refresh();
        m_form->refreshProblems();
        QCOMPARE(line(path)->text(), typed);
    }
    QTRY_VERIFY_WITH_TIMEOUT(m_document->isSettled(), kPatience);
    QCOMPARE(m_document->value(path), typed);
}

void TstTypedFields::valuesOfASweepAreReadLikeTheirField()
{
    const FieldSchema values = *fieldSchema("sweep.parameter[0].choice.value");
    const FieldSchema rate = *fieldSchema(kRate);
    const FieldSchema units = *fieldSchema("estimator.dnn_classifier.hidden_units");
    QLocale::setDefault(QLocale("de_DE"));
    QCOMPARE(readTyped(values, "0,07; 0,1", &rate).text, QString(R"(["0.07", "0.1"])"));
    QVERIFY(!readTyped(values, "0,07; x", &rate).problem.isEmpty());
    QLocale::setDefault(QLocale("en_US"));
    QCOMPARE(readTyped(values, "0.07, 0.1", &rate).text, QString(R"(["0.07", "0.1"])"));
    QCOMPARE(readTyped(values, "[64, 32], [16]", &units).text, QString(R"(["[64, 32]", "[16]"])"));
    QCOMPARE(readTyped(values, "{ ftrl { l1: 0.1 } }, { adam { } }", nullptr).text,
             QString(R"(["{ ftrl { l1: 0.1 } }", "{ adam { } }"])"));
}

void TstTypedFields::halfOfAWrongListOfBoundariesIsNotKept()
{
    BucketEditor editor;
    editor.setBoundaries({20, 40});
    editor.show();
    QVERIFY(QTest::qWaitForWindowActive(&editor));
    const QSignalSpy changes(&editor, &BucketEditor::boundariesChanged);
    auto* field = editor.findChild<QLineEdit*>("field.boundaries");
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "6, 3, abc");
    QVERIFY(!editor.findChild<QLabel*>("problem.boundaries")->isHidden());
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(!changes.isEmpty());
    QCOMPARE(changes.last().at(0).value<QList<double>>(), (QList<double>{20, 40}));
    QCOMPARE(editor.boundaries(), (QList<double>{20, 40}));
    QCOMPARE(field->text(), QString("20, 40"));
    QLocale::setDefault(QLocale("de_DE"));
    field->selectAll();
    QTest::keyClicks(field, "0,5; 1,5");
    QCOMPARE(editor.boundaries(), (QList<double>{0.5, 1.5}));
}

/// Whoever writes into the document, and not only fields of forms.
void TstTypedFields::noValueEndsEarly()
{
    for (const char* value : {"007,", "1 max_steps: 2", "1 # x", "1; name: 2"}) {
        QVERIFY(!m_document->setValue("train_spec.max_steps", value));
    }
    QCOMPARE(m_document->text().toUtf8(), kText);
    QVERIFY(m_document->setValue("train_spec.max_steps", "7"));
}

CANNERY_TEST(TstTypedFields)
#include "tst_typed_fields.moc"
