// SPDX-License-Identifier: Apache-2.0
#include "core/spec/canned_head.h"
#include "core/spec/column_kinds.h"
#include "core/spec/embedding_columns.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/experiment_file.h"
#include "core/spec/spec_diff.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/spec_validator.h"
#include "core/spec/tensorflow_names.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/spec_path.h"
#include "core/spec/text/text_format.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace cannery;
using namespace cannery::spec;

namespace {

Experiment experimentOf(const std::string& text)
{
    return parseExperiment(text).experiment;
}

std::string valueAt(const Experiment& experiment, const QString& path)
{
    const auto text = valueText(experiment, parsePath(path.toStdString()).value());
    return text ? *text : text.error().id;
}

const std::string kColumns = R"(
feature_column { name: "age" numeric_column { key: "years" } }
feature_column { name: "sex" categorical_column_with_identity { key: "sex" num_buckets: 2 } }
feature_column { name: "job" categorical_column_with_hash_bucket { key: "job" hash_bucket_size: 5 } }
feature_column { name: "job2" categorical_column_with_hash_bucket { key: "second_job" hash_bucket_size: 5 } }
feature_column { name: "buckets" bucketized_column { source_column: "age" boundaries: [1, 2] } }
feature_column { name: "weighted" weighted_categorical_column { categorical_column: "job" weight_feature_key: "hours" } }
feature_column { name: "i" indicator_column { categorical_column: "weighted" } }
feature_column { name: "e" embedding_column { categorical_column: "buckets" dimension: 4 } }
feature_column { name: "x" crossed_column { key { feature: "town" } key { column: "buckets" } hash_bucket_size: 9 } }
feature_column { name: "xx" crossed_column { key { column: "x" } key { feature: "Zone" } key { column: "sex" } hash_bucket_size: 9 } }
feature_column { name: "shared" shared_embeddings { categorical_columns: ["job2", "job"] dimension: 4 } }
)";

} // namespace

class TstSpecResolver : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fillsWhatTensorFlowWould_data();
    void fillsWhatTensorFlowWould();
    void treesOverHistogramsHaveNoLayers();
    void isIdempotentAndValid();
    void fillsStatistics();
    void derivesTensorFlowNames_data();
    void derivesTensorFlowNames();
    void followsColumnsToTheirFeatures();
    void refusesCyclesAndDanglingNames();
    void derivesHeads();
    void listsColumnsOfEstimators();
    void comparesByNameAndMeaning();

private:
    static void addEstimatorRows();
    static void addRows();
};

void TstSpecResolver::addEstimatorRows()
{
    const auto estimator = [](const char* name, const QString& fields, const QString& path,
                              const QString& value) {
        QTest::newRow(name) << QString("estimator { %1 }").arg(fields) << "estimator." + path
                            << value;
    };
    estimator("linear", "linear_classifier {}", "linear_classifier.optimizer.ftrl.learning_rate",
              "0.2");
    estimator("linear with ftrl", "linear_classifier { optimizer { ftrl {} } }",
              "linear_classifier.optimizer.ftrl.learning_rate", "0.001");
    estimator("linear with clipping only", "linear_classifier { optimizer { clipnorm: 1 } }",
              "linear_classifier.optimizer.ftrl.learning_rate", "0.2");
    estimator("dnn", "dnn_regressor {}", "dnn_regressor.optimizer.adagrad.learning_rate", "0.001");
    estimator("dnn accumulator", "dnn_regressor {}",
              "dnn_regressor.optimizer.adagrad.initial_accumulator_value", "0.1");
    estimator("baseline", "baseline_regressor {}",
              "baseline_regressor.optimizer.ftrl.learning_rate", "0.3");
    estimator("wide", "dnn_linear_combined_classifier { linear_feature_columns: \"a\" }",
              "dnn_linear_combined_classifier.linear_optimizer.ftrl.learning_rate", "0.005");
    estimator("wide without deep",
              "dnn_linear_combined_classifier { linear_feature_columns: \"a\" }",
              "dnn_linear_combined_classifier.dnn_optimizer", "");
    estimator("deep", "dnn_linear_combined_classifier { dnn_feature_columns: \"a\" }",
              "dnn_linear_combined_classifier.dnn_optimizer.adagrad.learning_rate", "0.001");
    estimator("recurrent", "rnn_classifier {}", "rnn_classifier.optimizer.adagrad.learning_rate",
              "0.05");
    estimator("recurrent, clipped", "rnn_classifier {}", "rnn_classifier.optimizer.clipnorm", "5");
    estimator("recurrent, clipped otherwise", "rnn_classifier { optimizer { clipvalue: 1 } }",
              "rnn_classifier.optimizer.clipnorm", "");
    estimator("recurrent with adagrad", "rnn_estimator { optimizer { adagrad {} } }",
              "rnn_estimator.optimizer.clipnorm", "");
    estimator(
        "schedule",
        "linear_classifier { optimizer { learning_rate_schedule { constant { learning_rate: 3 } } "
        "} }",
        "linear_classifier.optimizer",
        "{ ftrl { learning_rate_power: -0.5 initial_accumulator_value: 0.1 "
        "l1_regularization_strength: 0 l2_regularization_strength: 0 "
        "l2_shrinkage_regularization_strength: 0 beta: 0 } learning_rate_schedule { constant { "
        "learning_rate: 3 } warmup_steps: 0 warmup_start: 0 } decay: 0 rules: estimator }");
    estimator("head weights", "dnn_estimator { head { multi_head { heads {} heads {} } } }",
              "dnn_estimator.head.multi_head.head_weights", "[1, 1]");
}

void TstSpecResolver::addRows()
{
    const auto row = [](const char* name, const char* text, const char* path, const char* value) {
        QTest::newRow(name) << text << path << value;
    };
    row("checkpoints", "", "run_config.save_checkpoints_secs", "600");
    row("checkpoints by steps", "run_config { save_checkpoints_steps: 5 }",
        "run_config.save_checkpoints_secs", "");
    row("no checkpoints", "run_config { save_checkpoints_secs: 0 }",
        "run_config.save_checkpoints_secs", "0");
    row("batch", "", "train_spec.input.batch_size", "128");
    row("shuffle seed", "run_config { tf_random_seed: 4 }", "train_spec.input.shuffle_seed", "4");
    row("no evaluation", "", "eval_spec", "");
    row("evaluation", "data { split {} }", "eval_spec.steps", "100");
    row("rows of evaluation in order", "data { eval {} }", "eval_spec.input.shuffle", "false");
    row("split", "data { split {} }", "data.split.fraction.eval_fraction", "0.2");
    row("best of more", "eval_spec { exporter { best_exporter { metric: \"auc/head\" } } }",
        "eval_spec.exporter[0].best_exporter.higher_is_better", "true");
    row("best of less", "eval_spec { exporter { best_exporter {} } }",
        "eval_spec.exporter[0].best_exporter.higher_is_better", "false");
    row("best of an own metric",
        "eval_spec { metric { name: \"mine\" r2_score {} } } sweep { metric: \"mine\" }",
        "sweep.higher_is_better", "true");
    row("best of neither", "sweep { metric: \"label/mean\" }", "sweep.higher_is_better", "false");
    row("best as wanted",
        "eval_spec { exporter { best_exporter { metric: \"auc\" higher_is_better: false } } }",
        "eval_spec.exporter[0].best_exporter.higher_is_better", "false");
    row("strategy", "", "strategy",
        "{ one_device { device: \"CPU:0\" } batch_norm_scope: replica reduce: exact precision: "
        "float32 }");
    row("warm start", "warm_start {}", "warm_start.pattern", "\".*\"");
    row("shape", "feature_column { numeric_column {} }", "feature_column[0].numeric_column.shape",
        "[1]");
    row("hash key", "feature_column { crossed_column {} }",
        "feature_column[0].crossed_column.hash_key", "956888297470");
    row("embedding", "feature_column { embedding_column { dimension: 4 } }",
        "feature_column[0].embedding_column.initializer",
        "{ truncated_normal { mean: 0 stddev: 0.5 } }");
    row("stack", "data { feature { stack { columns: [\"a\", \"b\"] } } }",
        "data.feature[0].stack.shape", "[2]");
    row("hook by steps", "train_spec { hook { stop_if_lower_hook { run_every_steps: 5 } } }",
        "train_spec.hook[0].stop_if_lower_hook", "{ min_steps: 0 run_every_steps: 5 }");
}

void TstSpecResolver::treesOverHistogramsHaveNoLayers()
{
    for (const bool isHistogram : {false, true}) {
        const std::string growth = isHistogram ? "histogram {}" : "";
        const Experiment resolved = resolve(experimentOf(
            kColumns + "estimator { boosted_trees_classifier { feature_columns: \"age\" " + growth +
            " } }"));
        const BoostedTreesClassifier& trees = resolved.estimator().boosted_trees_classifier();
        QCOMPARE(trees.has_max_depth(), !isHistogram);
        QCOMPARE(trees.has_n_batches_per_layer(), !isHistogram);
        QCOMPARE(trees.has_quantile_sketch_epsilon(), !isHistogram);
        QCOMPARE(trees.has_train_in_memory(), !isHistogram);
        QVERIFY(trees.has_n_trees());
        QCOMPARE(trees.histogram().has_max_leaves(), isHistogram);
    }
}

void TstSpecResolver::fillsWhatTensorFlowWould_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    addEstimatorRows();
    addRows();
}

void TstSpecResolver::fillsWhatTensorFlowWould()
{
    QFETCH(QString, text);
    QFETCH(QString, path);
    QFETCH(QString, value);
    const Experiment resolved = resolve(experimentOf(text.toStdString()));
    QCOMPARE(QString::fromStdString(valueAt(resolved, path)), value);
}

void TstSpecResolver::isIdempotentAndValid()
{
    for (const char* name : {"titanic", "penguins", "census", "auto_mpg", "visits"}) {
        const auto loaded =
            loadExperiment(std::filesystem::path(CANNERY_SOURCE_DIR) / "resources/examples" / name /
                           (std::string(name) + ".cannery"));
        VERIFY_OK(loaded);
        const Experiment resolved = resolve(loaded->experiment);
        QCOMPARE(printExperiment(resolve(resolved)), printExperiment(resolved));
        for (const Problem& problem : validate(resolved)) {
            QFAIL(render(problem, name).c_str());
        }
    }
    // Linear only: 1/sqrt(n) is below 0.005 only beyond 40000 columns.
    std::string wide = "estimator { dnn_linear_combined_regressor { ";
    for (int i = 0; i < 50000; ++i) {
        wide += "linear_feature_columns: \"x\" ";
    }
    const Experiment resolved = resolve(experimentOf(wide + "} }"));
    QCOMPARE(resolved.estimator()
                 .dnn_linear_combined_regressor()
                 .linear_optimizer()
                 .ftrl()
                 .learning_rate(),
             1 / std::sqrt(50000.0));
}

void TstSpecResolver::fillsStatistics()
{
    const Experiment experiment = experimentOf(R"(
feature_column { name: "a" numeric_column { key: "a" normalizer { z_score {} } } }
feature_column { name: "b" numeric_column { key: "b" normalizer { z_score { mean: 1 } } } }
feature_column { name: "c" numeric_column { key: "c" normalizer { min_max {} } } }
feature_column { name: "d" numeric_column { key: "unknown" normalizer { min_max {} } } }
feature_column { name: "e" numeric_column { key: "constant" normalizer { z_score {} } } })");
    const Experiment resolved = resolve(
        experiment, {.statistics = [](std::string_view feature) -> std::optional<ColumnStatistics> {
            if (feature == "unknown") {
                return std::nullopt;
            }
            return ColumnStatistics{7, feature == "constant" ? 0.0 : 2.0, -1, 9};
        }});
    QCOMPARE(valueAt(resolved, "feature_column[a].numeric_column.normalizer"),
             std::string("{ z_score { mean: 7 stddev: 2 } }"));
    QCOMPARE(valueAt(resolved, "feature_column[b].numeric_column.normalizer"),
             std::string("{ z_score { mean: 1 stddev: 2 } }"));
    QCOMPARE(valueAt(resolved, "feature_column[c].numeric_column.normalizer"),
             std::string("{ min_max { min: -1 max: 9 } }"));
    QCOMPARE(valueAt(resolved, "feature_column[d].numeric_column.normalizer"),
             std::string("{ min_max {} }"));
    QCOMPARE(valueAt(resolved, "feature_column[e].numeric_column.normalizer"),
             std::string("{ z_score { mean: 7 stddev: 1 } }"));
}

void TstSpecResolver::derivesTensorFlowNames_data()
{
    QTest::addColumn<QString>("column");
    QTest::addColumn<QStringList>("names");
    const auto row = [](const char* column, const QStringList& names) {
        QTest::newRow(column) << column << names;
    };
    row("age", {"years"});
    row("buckets", {"years_bucketized"});
    row("weighted", {"job_weighted_by_hours"});
    row("i", {"job_weighted_by_hours_indicator"});
    row("e", {"years_bucketized_embedding"});
    row("x", {"town_X_years_bucketized"});
    row("xx", {"Zone_X_sex_X_town_X_years_bucketized"});
    row("shared", {"second_job_shared_embedding", "job_shared_embedding"});
}

void TstSpecResolver::derivesTensorFlowNames()
{
    QFETCH(QString, column);
    QFETCH(QStringList, names);
    const auto derived = tensorflowNames(experimentOf(kColumns), column.toStdString());
    VERIFY_OK(derived);
    QStringList actual;
    for (const std::string& name : *derived) {
        actual.append(QString::fromStdString(name));
    }
    QCOMPARE(actual, names);
}

void TstSpecResolver::followsColumnsToTheirFeatures()
{
    const Experiment experiment = experimentOf(kColumns);
    QCOMPARE(rawFeatures(experiment, "xx").value(),
             (std::vector<std::string>{"town", "years", "Zone", "sex"}));
    QCOMPARE(rawFeatures(experiment, "i").value(), (std::vector<std::string>{"job", "hours"}));
    QVERIFY(crossLeaves(experiment, "xx").value() ==
            (std::vector<ColumnSource>{
                {"town", false}, {"buckets", true}, {"Zone", false}, {"sex", true}}));
    QCOMPARE(sharedEmbeddingCollection(experiment, "shared").value(),
             std::string("job_second_job_shared_embedding"));
}

void TstSpecResolver::refusesCyclesAndDanglingNames()
{
    const Experiment experiment = experimentOf(R"(
feature_column { name: "a" indicator_column { categorical_column: "b" } }
feature_column { name: "b" indicator_column { categorical_column: "a" } }
feature_column { name: "c" crossed_column { key { column: "c" } key { feature: "f" } } }
feature_column { name: "d" indicator_column { categorical_column: "bb" } })");
    VERIFY_ERROR(tensorflowName(experiment, "a"), "spec.column_cycle");
    VERIFY_ERROR(tensorflowName(experiment, "c"), "spec.column_cycle");
    VERIFY_ERROR(tensorflowName(experiment, "d"), "spec.dangling_column");
    VERIFY_ERROR(rawFeatures(experiment, "c"), "spec.column_cycle");
}

void TstSpecResolver::derivesHeads()
{
    const auto head = [](const std::string& estimator) {
        return QString::fromStdString(
            printMessage(headOf(experimentOf("estimator { " + estimator + " }").estimator())));
    };
    QCOMPARE(
        head("linear_classifier { label_vocabulary: [\"a\", \"b\"] loss_reduction: SUM }"),
        QString("binary_class_head { label_vocabulary: [\"a\", \"b\"] loss_reduction: SUM }\n"));
    QCOMPARE(head("baseline_classifier { n_classes: 3 weight_column { feature: \"w\" } }"),
             QString("multi_class_head { n_classes: 3 weight_column { feature: \"w\" } "
                     "loss_reduction: SUM_OVER_BATCH_SIZE }\n"));
    QCOMPARE(
        head("dnn_regressor { label_dimension: 2 }"),
        QString("regression_head { label_dimension: 2 loss_reduction: SUM_OVER_BATCH_SIZE }\n"));
    QCOMPARE(head("dnn_estimator { head { logistic_regression_head {} } }"),
             QString("logistic_regression_head {}\n"));
}

void TstSpecResolver::listsColumnsOfEstimators()
{
    const auto columns = [](const std::string& estimator) {
        return columnsOf(experimentOf("estimator { " + estimator + " }").estimator());
    };
    QVERIFY(columns("linear_regressor { feature_columns: [\"a\"] }") ==
            (EstimatorColumns{{"a"}, {}}));
    QVERIFY(columns("dnn_estimator { feature_columns: [\"a\"] }") == (EstimatorColumns{{}, {"a"}}));
    QVERIFY(columns("dnn_linear_combined_classifier { linear_feature_columns: \"a\" "
                    "dnn_feature_columns: \"b\" }") == (EstimatorColumns{{"a"}, {"b"}}));
}

void TstSpecResolver::comparesByNameAndMeaning()
{
    const Experiment before = experimentOf(R"(
name: "a"
feature_column { name: "p" numeric_column { key: "p" } }
feature_column { name: "q" numeric_column { key: "q" } }
estimator { linear_classifier { feature_columns: ["p", "q"] } }
eval_spec { exporter { final_exporter {} } })");
    const Experiment after = experimentOf(R"(
feature_column { name: "r" numeric_column { key: "r" } }
feature_column { name: "q" numeric_column { key: "q" shape: 2 dtype: float32 } }
feature_column { name: "p" numeric_column { key: "p" } }
estimator { dnn_classifier { n_classes: 2 } }
eval_spec { steps: 100 exporter { final_exporter { name: "x" } } exporter { best_exporter {} } })");
    QStringList lines;
    for (const FieldDifference& difference : diff(before, after)) {
        lines.append(QString::fromStdString(render(difference)));
    }
    QCOMPARE(lines, (QStringList{
                        "name: removed \"a\"", "feature_column[q].numeric_column.shape: added [2]",
                        "feature_column[r]: added { name: \"r\" numeric_column { key: \"r\" } }",
                        "estimator.linear_classifier: removed { feature_columns: [\"p\", \"q\"] }",
                        "estimator.dnn_classifier: added { n_classes: 2 }",
                        "eval_spec.exporter[0].final_exporter.name: \"final\" -> \"x\"",
                        "eval_spec.exporter[1]: added { best_exporter {} }"}));
    QVERIFY(diff(before, before).empty());
}

CANNERY_TEST(TstSpecResolver)
#include "tst_spec_resolver.moc"
