// SPDX-License-Identifier: GPL-3.0-only
#include "tests/architecture/engine_sources.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/data_edits.h"
#include "ui/document/estimator_switch.h"
#include "ui/document/experiment_document.h"
#include "ui/document/problem_cures.h"
#include "ui/models/tables/table_trouble.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;

/// What the window does against a problem, and edits that must not leave one behind.
class TstProblemCures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void cleanup() { m_document.reset(); }
    void rowsWithoutALabelAreLeftOut();
    void everyErrorThatSkippingHelpsOffersIt();
    void nothingToEvaluateIsToldInTheWordsOfThePage();
    void aWrongValueIsReset();
    void aLabelLosesItsDefault_data();
    void aLabelLosesItsDefault();
    void aFeatureKeepsItsDefault();
    void anOptimizerStaysWithinItsFamily();

private:
    void open(const QByteArray& text);
    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(m_document->isSettled(), kPatience); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ExperimentDocument> m_document;
};

void TstProblemCures::open(const QByteArray& text)
{
    QFile file(m_folder->filePath("a.cannery"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    file.close();
    m_document = std::make_unique<ExperimentDocument>();
    m_document->open(file.fileName());
    QTRY_VERIFY_WITH_TIMEOUT(!m_document->isLoading(), kPatience);
}

void TstProblemCures::rowsWithoutALabelAreLeftOut()
{
    open("name: \"a\"\ndata { label { column: \"salary\" } }\n");
    ProblemRow missing{.id = "features.label_missing",
                       .path = "data.label",
                       .sentence = "Row 12: the label is missing."};
    m_document->problems().setChecked(m_document->revision(), {missing});
    const ProblemRow* problem = m_document->problems().at("data.label");
    QVERIFY(problem != nullptr && !problem->fix.isEmpty());
    QCOMPARE(cureTitle(*problem, 59), QString("Leave Out These 59 Rows"));
    QCOMPARE(cureTitle(*problem, 1), QString("Leave Out This Row"));
    QCOMPARE(cureTitle(*problem, 0), problem->fix);
    QVERIFY(applyCure(*m_document, *problem));
    settle();
    QCOMPARE(m_document->value("data.unlabelled_rows"), QString("SKIP"));
    QCOMPARE(m_document->undoStack()->count(), 1);
    // What did not help is not offered again.
    QVERIFY(cureOf(missing, *m_document).title.isEmpty());
}

/// Every sentence of the engine that names bad_rows as a way out has it as a button: of a strip, or
/// of the page that shows the line.
void TstProblemCures::everyErrorThatSkippingHelpsOffersIt()
{
    static const QRegularExpression kDefinition(
        R"re(ErrorKind\s+k\w+\s*\{\s*"([^"]+)",((?:\s*"(?:[^"\\]|\\.)*")+)\s*\})re");
    static const QRegularExpression kBetweenLiterals(R"re("\s*")re");
    static const QRegularExpression kSkipping("bad_rows( to |: )SKIP");
    /// Skipping is half of the way: the order of day and month is asked for first.
    const QStringList others{"data.date_orders"};
    open("data { }\n");
    int found = 0;
    for (const cannery::tests::SourceText& source : cannery::tests::engineSources()) {
        auto kinds = kDefinition.globalMatch(source.text);
        while (kinds.hasNext()) {
            const QRegularExpressionMatch kind = kinds.next();
            const QString id = kind.captured(1);
            const QString sentence = kind.captured(2).remove(kBetweenLiterals);
            if (!sentence.contains(kSkipping) || others.contains(id)) {
                continue;
            }
            ++found;
            const TableTrouble trouble =
                tableTroubleOf(id, sentence, {"table.csv", "7", "a", "b"}, "/");
            const ProblemCure cure = cureOf({.id = id, .sentence = sentence}, *m_document);
            const bool isOffered =
                trouble.canSkip() || (!cure.title.isEmpty() && cure.edits.size() == 1 &&
                                      cure.edits.first().value == "SKIP");
            QVERIFY2(isOffered, qPrintable(id));
        }
    }
    QVERIFY(found >= 15);
}

void TstProblemCures::nothingToEvaluateIsToldInTheWordsOfThePage()
{
    open("data { train { csv { files: \"a.csv\" } } }\n"
         "estimator { baseline_classifier { } }\neval_spec { }\n");
    const auto found = [&]() -> const ProblemRow* {
        for (const ProblemRow& problem : m_document->problems().all()) {
            if (problem.id == "spec.nothing_to_evaluate") {
                return &problem;
            }
        }
        return nullptr;
    };
    QVERIFY(found() != nullptr);
    QVERIFY2(!found()->sentence.contains("eval_spec") && !found()->sentence.contains("data."),
             qPrintable(found()->sentence));
    QVERIFY(applyCure(*m_document, ProblemRow(*found())));
    settle();
    QCOMPARE(m_document->value("data.split.fraction.eval_fraction"), QString("0.2"));
    QVERIFY(found() == nullptr);
}

void TstProblemCures::aWrongValueIsReset()
{
    open("train_spec { max_steps: -1 }\n");
    const ProblemRow* problem = m_document->problems().at("train_spec.max_steps");
    QVERIFY(problem != nullptr);
    QVERIFY(problem->fix.startsWith("Reset "));
    QVERIFY(applyCure(*m_document, ProblemRow(*problem)));
    settle();
    QVERIFY(!m_document->text().contains("max_steps"));
}

void TstProblemCures::aLabelLosesItsDefault_data()
{
    QTest::addColumn<int>("use");
    QTest::newRow("label") << int(ColumnUse::Label);
    QTest::newRow("key") << int(ColumnUse::Key);
    QTest::newRow("weight") << int(ColumnUse::Weight);
}

void TstProblemCures::aLabelLosesItsDefault()
{
    QFETCH(int, use);
    open("data {\n  column { name: \"salary\" default_value: \"425\" dtype: float32 }\n"
         "  column { name: \"age\" default_value: \"30\" }\n}\n"
         "estimator { dnn_regressor { } }\n");
    QVERIFY(m_document->apply("Use", useEdits(*m_document, {"salary"}, ColumnUse(use))));
    settle();
    QVERIFY2(!m_document->text().contains("425"), qPrintable(m_document->text()));
    QVERIFY(m_document->text().contains("float32") && m_document->text().contains("30"));
    QCOMPARE(useOf(*m_document, "salary"), ColumnUse(use));
}

void TstProblemCures::aFeatureKeepsItsDefault()
{
    open("data {\n  label { column: \"x\" }\n  column { name: \"salary\" default_value: \"425\" "
         "}\n}\n");
    QVERIFY(m_document->apply("Use", useEdits(*m_document, {"x"}, ColumnUse::Feature)));
    settle();
    QVERIFY(m_document->text().contains("425"));
}

void TstProblemCures::anOptimizerStaysWithinItsFamily()
{
    const QByteArray text = "feature_column { name: \"age\" numeric_column { key: \"age\" } }\n"
                            "estimator { linear_classifier { feature_columns: [\"age\"]\n"
                            "  optimizer { ftrl { learning_rate: 0.1 } } } }\n";
    open(text);
    const MemberSwitch toNetwork = switchEstimator(*m_document, "dnn_classifier");
    QVERIFY(toNetwork.lost.contains("Optimizer"));
    QVERIFY(m_document->apply("Switch", toNetwork.edits));
    settle();
    QVERIFY2(!m_document->text().contains("ftrl"), qPrintable(m_document->text()));
    open(text);
    QVERIFY(m_document->apply("Switch", switchEstimator(*m_document, "linear_regressor").edits));
    settle();
    QCOMPARE(m_document->value("estimator.linear_regressor.optimizer.ftrl.learning_rate"),
             QString("0.1"));
}

CANNERY_TEST(TstProblemCures)
#include "tst_problem_cures.moc"
