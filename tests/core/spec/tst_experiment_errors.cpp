// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "tests/core/spec/experiment_error_cases.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QMap>
#include <QTest>

using namespace cannery;
using namespace cannery::spec;
using namespace cannery::tests;

namespace {

/// "6:3 id [path]" for every problem, warnings with a '~'.
std::string summary(const std::vector<Problem>& problems)
{
    std::string text;
    for (const Problem& problem : problems) {
        text += fmt::format("{}{}:{} {} [{}]\n", problem.severity == Severity::Warning ? "~" : "",
                            problem.line, problem.column, problem.error.id, problem.fieldPath);
    }
    return text;
}

/// experiment_errors.txt: the complete messages of every case, below "# " and its name.
const QMap<QString, QStringList>& sentences()
{
    static const QMap<QString, QStringList> kSentences = [] {
        QFile file(QStringLiteral(CANNERY_SOURCE_DIR "/tests/core/spec/experiment_errors.txt"));
        CANNERY_CHECK(file.open(QIODevice::ReadOnly));
        QMap<QString, QStringList> read;
        QString section;
        for (const QString& line :
             QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts)) {
            if (line.startsWith("# ")) {
                section = line.mid(2);
                CANNERY_CHECK(!read.contains(section));
                read[section] = {};
            } else {
                read[section] += line;
            }
        }
        return read;
    }();
    return kSentences;
}

/// Empty for a case without messages.
QStringList sentencesOf(const QString& name)
{
    return sentences().value(name);
}

} // namespace

class TstExperimentErrors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void acceptsGoodExperiments_data();
    void acceptsGoodExperiments();
    void tellsEveryProblemWholeAndAtItsPlace_data();
    void tellsEveryProblemWholeAndAtItsPlace();
    void checksNamesAgainstKnownColumns();
    void saysTheCure_data();
    void saysTheCure();
    void rendersFileLineAndColumn();
};

void TstExperimentErrors::tellsEveryProblemWholeAndAtItsPlace_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    addErrorsOfTexts();
    addErrorsOfModels();
    addErrorsOfSequences();
    addErrorsOfNetworks();
    addErrorsOfRunning();
    for (const QString& name : sentences().keys()) {
        QVERIFY2(caseNames().contains(name) && !sentencesOf(name).isEmpty(), qPrintable(name));
    }
}

void TstExperimentErrors::tellsEveryProblemWholeAndAtItsPlace()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const ParsedExperiment checked = checkExperiment(text.toStdString(), {});
    QCOMPARE(QString::fromStdString(summary(checked.problems)), expected);
    QStringList said;
    for (const Problem& problem : checked.problems) {
        said += QString::fromStdString(problem.error.sentence);
    }
    QVERIFY2(said == sentencesOf(QTest::currentDataTag()), qPrintable(said.join('\n')));
}

void TstExperimentErrors::acceptsGoodExperiments_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("linear") << QString::fromStdString(kBase + kLinear);
    QTest::newRow("nested cross") << QString::fromStdString(kBase + R"(
feature_column { name: "b" bucketized_column { source_column: "age" boundaries: [1, 2] } }
feature_column { name: "x" crossed_column { key { column: "b" } key { column: "sex" } hash_bucket_size: 5 } }
feature_column { name: "xx" crossed_column { key { column: "x" } key { feature: "job" } hash_bucket_size: 5 } }
feature_column { name: "w" weighted_categorical_column { categorical_column: "sex" weight_feature_key: "u" } }
feature_column { name: "e" embedding_column { categorical_column: "w" dimension: 2 } }
feature_column { name: "i" indicator_column { categorical_column: "xx" } }
estimator { dnn_classifier { hidden_units: [4] feature_columns: ["b", "e", "i"] } })");
    QTest::newRow("folds in place of other rows to evaluate on")
        << R"(data { train { csv { files: "a.csv" } } label { column: "y" } }
train_spec { max_steps: 5 hook { in_memory_evaluator_hook {} } }
eval_spec {}
sweep { k_fold {} }
estimator { baseline_classifier {} })";
    QTest::newRow("recurrent network") << QString::fromStdString(
        R"(data { train { csv { files: "a.csv" } } label { column: "y" }
feature { name: "steps" split { column: "s" } } feature { name: "forces" split { column: "f" dtype: float32 } } }
train_spec { max_steps: 5 }
feature_column { name: "age" numeric_column { key: "age" } }
feature_column { name: "word" sequence_categorical_column_with_hash_bucket { key: "steps" hash_bucket_size: 9 } }
feature_column { name: "words" embedding_column { categorical_column: "word" dimension: 2 } }
feature_column { name: "forces" sequence_numeric_column { key: "forces" shape: 2 } }
estimator { rnn_classifier { units: [4, 2] sequence_feature_columns: ["words", "forces"] context_feature_columns: "age" } })");
    QTest::newRow("quick sums around a ring")
        << QString::fromStdString(kBase + kLinear +
                                  "strategy { multi_worker_mirrored { communication_options { "
                                  "implementation: RING } } reduce: fast }");
    for (const char* strategy :
         {"one_device { device: \"GPU:0\" }", "one_device { device: \"auto\" }",
          "mirrored { devices: \"GPU:1\" }"}) {
        QTest::addRow("evaluations by %s", strategy) << QString::fromStdString(
            kBase + kLinear + "run_config { eval_distribute { " + strategy + " } }");
    }
    QTest::newRow("trees on one device") << QString::fromStdString(
        kBase + "feature_column { name: \"i\" indicator_column { categorical_column: \"sex\" } }\n"
                "feature_column { name: \"b\" bucketized_column { source_column: \"age\" "
                "boundaries: 1 } }\n"
                "estimator { boosted_trees_classifier { feature_columns: [\"age\", \"sex\", \"i\", "
                "\"b\"] } "
                "}\nstrategy { one_device {} }\n");
    QTest::newRow("protobuf's own liberties") << QString::fromStdString(
        kBase + "estimator: < linear_classifier { feature_columns: 'a' \"g\" 'e'; n_classes: 0x2, "
                "sparse_combiner: 1 } >\nrun_config { tf_random_seed: -07 "
                "keep_checkpoint_every_n_hours: 1.5e0f } description: 'T\\x41\\101\\u00fc\\n'\n");
}

void TstExperimentErrors::acceptsGoodExperiments()
{
    QFETCH(QString, text);
    const ParsedExperiment checked = checkExperiment(text.toStdString(), {});
    QCOMPARE(QString::fromStdString(summary(checked.problems)), QString());
}

void TstExperimentErrors::checksNamesAgainstKnownColumns()
{
    const std::string text = kBase +
                             "feature_column { name: \"x\" numeric_column { key: \"hour\" } }\n"
                             "estimator { linear_classifier { feature_columns: \"age\" "
                             "weight_column { feature: \"x\" } } }\n";
    const ParsedExperiment checked =
        checkExperiment(text, {.knownColumns = {{"age", "sex", "hours", "y"}}});
    QCOMPARE(QString::fromStdString(summary(checked.problems)),
             QString("5:73 spec.dangling_feature "
                     "[feature_column[job].categorical_column_with_hash_bucket.key]\n"
                     "6:50 spec.dangling_feature [feature_column[x].numeric_column.key]\n"
                     "7:81 spec.feature_is_column "
                     "[estimator.linear_classifier.weight_column.feature]\n"));
    QVERIFY(checked.problems[1].error.sentence.find("Did you mean 'hours'?") != std::string::npos);
    QVERIFY(checked.problems[2].error.sentence.find("write column: \"x\"") != std::string::npos);
}

void TstExperimentErrors::saysTheCure_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("cure");
    QTest::newRow("misspelt") << "run_config { tf_random_sed: 3 }"
                              << "Did you mean 'tf_random_seed'?";
    QTest::newRow("one level too high") << "eval_spec { batch_size: 3 }"
                                        << "write input { batch_size … }";
    QTest::newRow("quotes") << "name: titanic"
                            << "Put it in quotes: \"titanic\".";
    QTest::newRow("enum") << "strategy {} estimator { dnn_classifier { activation_fn: rely } }"
                          << "Did you mean 'relu'?";
    QTest::newRow("wrap")
        << "estimator { dnn_classifier { hidden_units: 8 feature_columns: \"sex\" } }"
        << "wrap it in indicator_column or embedding_column";
}

void TstExperimentErrors::saysTheCure()
{
    QFETCH(QString, line);
    QFETCH(QString, cure);
    const ParsedExperiment checked = checkExperiment(kBase + line.toStdString(), {});
    std::string all;
    for (const Problem& problem : checked.problems) {
        all += problem.error.sentence + '\n';
    }
    QVERIFY2(QString::fromStdString(all).contains(cure), all.c_str());
}

void TstExperimentErrors::rendersFileLineAndColumn()
{
    const ParsedExperiment checked = checkExperiment(kBase + kLinear + "name: 3\n", {});
    QCOMPARE(checked.problems.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(render(checked.problems[0], "titanic.cannery")),
             QString("titanic.cannery:7:7: error: 'name' must be a text, not '3'. Put it in "
                     "quotes: \"3\". [name]"));
    QCOMPARE(QString::fromStdString(render({.error = {.sentence = "No."}}, "")),
             QString("error: No."));
}

CANNERY_TEST(TstExperimentErrors)
#include "tst_experiment_errors.moc"
