// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/model_evaluation.h"
#include "core/train/opened_model.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tf/events/event_reader.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

namespace {

constexpr const char* kSteps = "train_spec { max_steps: 10 input { batch_size: 8 } } "
                               "run_config { save_checkpoints_steps: 5 } "
                               "eval_spec { throttle_secs: 0 input { batch_size: 7 } ";

/// A training whose eval_spec has this, too.
std::string evaluating(const std::string& more)
{
    return std::string(kSteps) + more + " } ";
}

std::map<std::string, double> byName(const std::vector<storage::MetricValue>& metrics)
{
    std::map<std::string, double> values;
    for (const storage::MetricValue& metric : metrics) {
        values[metric.name] = metric.value;
    }
    return values;
}

std::map<std::string, double> byName(const std::vector<metrics::MetricValue>& metrics)
{
    std::map<std::string, double> values;
    for (const metrics::MetricValue& metric : metrics) {
        values[metric.name] = metric.value;
    }
    return values;
}

/// "a: 10" for every group of a slice.
std::vector<std::string> groupsOf(const storage::EvaluationSlice& slice)
{
    std::vector<std::string> texts;
    for (const storage::SliceGroup& group : slice.groups) {
        texts.push_back(storage::describe(group) + ": " + std::to_string(group.rows));
    }
    return texts;
}

/// The last values of the tags of slices in the event file of a folder.
std::map<std::string, float> slicesInEvents(const std::string& folder)
{
    std::map<std::string, float> values;
    const auto files = storage::listEventFiles(folder);
    if (!files || files->size() != 1) {
        return values;
    }
    auto reader = storage::EventReader::open(files->front());
    if (!reader) {
        return values;
    }
    for (auto event = reader->next(); event && *event; event = reader->next()) {
        for (const storage::EventValue& value : (*event)->values) {
            if (value.tag.starts_with("slice/")) {
                values[value.tag] = std::get<float>(value.value);
            }
        }
    }
    return values;
}

EvaluationResult evaluationOf(const std::string& more, int threads = 1,
                              const std::string& evenMore = "")
{
    const TrainingFixture fixture;
    TrainRequest request = fixture.request(evaluating(more), evenMore);
    request.threads = threads;
    const Result<TrainReport> report = trainAndEvaluate(request);
    if (!report) {
        qWarning("%s", report.error().message().c_str());
    }
    return report && report->evaluation ? *report->evaluation : EvaluationResult();
}

} // namespace

/// Metrics and slices of an eval_spec.
class TstAddedMetrics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addedMetricsStandBesideThoseOfTheHead();
    void aMetricOfTheHeadIsReplaced();
    void metricsThatDoNotFitAreRefused();
    void slicesOfNoColumnAreRefusedAtTheStart();
    void exportersAndHooksCanFollowThem();
    void groupsHaveTheMetricsOfTheirRowsAlone();
    void groupsOfStepsAreMeasuredByTheirSteps();
    void columnsTogetherMakeGroups();
    void missingValuesAreAGroup();
    void smallGroupsBecomeOne();
    void onlyEvaluatedRowsCount();
    void slicesAreTheSameForAnyNumberOfThreads();
    void theRunKeepsTablesAndSlices();
    void eventsHaveTablesAndSlices();
    void liveEvaluationsHaveSlices();

private:
    static void expectRowsAlone(const TrainingFixture& fixture,
                                const storage::EvaluationSlice& slice);
};

void TstAddedMetrics::addedMetricsStandBesideThoseOfTheHead()
{
    const EvaluationResult plain = evaluationOf("");
    const EvaluationResult more = evaluationOf("metric { f1_score { threshold: 0.4 } } "
                                               "metric { name: \"each\" per_class {} } "
                                               "metric { confusion_matrix {} }");
    QVERIFY(!plain.metrics.empty());
    for (const metrics::MetricValue& metric : plain.metrics) {
        QCOMPARE(more.find(metric.name), std::optional(metric.value));
    }
    QCOMPARE(more.metrics.size(), plain.metrics.size() + 1 + 8);
    QVERIFY(more.find("f1_score"));
    QVERIFY(more.find("each/1/recall"));
    QCOMPARE(more.tables.size(), 2U);
    QCOMPARE(more.tables[0].name, std::string("each"));
    QCOMPARE(more.tables[1].rows, (std::vector<std::string>{"0", "1"}));
    double rows = 0;
    for (const double count : more.tables[1].values) {
        rows += count;
    }
    QCOMPARE(rows, 30.0);
    QCOMPARE(more.tables[0].values[5], *more.find("each/1/recall"));
}

void TstAddedMetrics::aMetricOfTheHeadIsReplaced()
{
    const EvaluationResult plain = evaluationOf("");
    const EvaluationResult more =
        evaluationOf("metric { accuracy { threshold: 1 } } metric { name: \"auc\" mean {} }");
    QCOMPARE(more.metrics.size(), plain.metrics.size());
    QCOMPARE(more.find("auc"), plain.find("prediction/mean"));
    QCOMPARE(more.find("accuracy"), std::optional(1 - *plain.find("label/mean")));
}

void TstAddedMetrics::metricsThatDoNotFitAreRefused()
{
    TrainingFixture fixture;
    const auto report = fixture.train(evaluating("metric { top_k_categorical_accuracy {} }"));
    QVERIFY(!report);
    QCOMPARE(report.error().id, "spec.metric_head");
}

void TstAddedMetrics::slicesOfNoColumnAreRefusedAtTheStart()
{
    TrainingFixture fixture;
    const auto report = fixture.train(evaluating("slice { columns: [\"c\", \"labl\"] }"));
    QVERIFY(!report);
    QCOMPARE(report.error().id, "train.slice_column");
    QVERIFY(report.error().message().find("label") != std::string::npos);
    QVERIFY(!storage::RunFiles(fixture.modelDir()).isRun());
}

void TstAddedMetrics::exportersAndHooksCanFollowThem()
{
    const TrainingFixture fixture;
    const auto report = trainAndEvaluate(fixture.request(
        evaluating("metric { name: \"low\" log_loss {} } exporter { best_exporter { name: "
                   "\"best\" metric: \"low\" } }"),
        "train_spec { hook { stop_if_higher_hook { metric_name: \"low\" threshold: 0 "
        "run_every_steps: 1 } } }"));
    QVERIFY(report);
    QVERIFY(!report->exports.empty());
    QVERIFY2(report->outcome.sentence.find("low was") != std::string::npos,
             report->outcome.sentence.c_str());
}

void TstAddedMetrics::groupsHaveTheMetricsOfTheirRowsAlone()
{
    TrainingFixture fixture;
    const auto report = fixture.train(
        evaluating("metric { precision_at_recall { recall: 0.5 } } slice { columns: \"c\" }"));
    QVERIFY(report && report->evaluation);
    const storage::EvaluationSlice& slice = report->evaluation->slices.at(0);
    QCOMPARE(groupsOf(slice), (std::vector<std::string>{"a: 10", "b: 10", "d: 10"}));
    expectRowsAlone(fixture, slice);
}

void TstAddedMetrics::groupsOfStepsAreMeasuredByTheirSteps()
{
    TrainingFixture fixture;
    for (const char* name : {"train.csv", "eval.csv"}) {
        std::ofstream table(fixture.path(name));
        table << "x,c,s,w,label\n";
        for (int row = 0; row < 30; ++row) {
            table << row << ","
                  << "abd"[row % 3] << ",";
            std::string weights;
            std::string labels;
            for (int step = 0; step <= row % 4; ++step) {
                const std::string separator = step == 0 ? "" : "|";
                table << separator << (row * 7 + step * 5) % 11;
                weights += separator + std::to_string(1 + (row + step) % 3);
                labels += separator + std::to_string((row + step * step) % 2);
            }
            table << "," << weights << "," << labels << "\n";
        }
    }
    const auto report = fixture.train(
        evaluating("metric { f1_score {} } slice { columns: \"c\" }") +
        "data { label { split { column: \"label\" dtype: int64 } } feature { name: \"s\" split { "
        "column: \"s\" dtype: float32 } } feature { name: \"w\" split { column: \"w\" dtype: "
        "float32 "
        "} } } feature_column { name: \"steps\" sequence_numeric_column { key: \"s\" } } estimator "
        "{ "
        "rnn_classifier { sequence_feature_columns: \"steps\" units: 3 return_sequences: true "
        "weight_column { feature: \"w\" } } }");
    QVERIFY(report && report->evaluation);
    const storage::EvaluationSlice& slice = report->evaluation->slices.at(0);
    QCOMPARE(groupsOf(slice), (std::vector<std::string>{"a: 10", "b: 10", "d: 10"}));
    expectRowsAlone(fixture, slice);
}

/// That each of three groups by the column `c` has the metrics of an evaluation of its rows.
void TstAddedMetrics::expectRowsAlone(const TrainingFixture& fixture,
                                      const storage::EvaluationSlice& slice)
{
    Result<OpenedModel> model = openModel({.modelDir = fixture.modelDir()});
    QVERIFY(model);
    for (const storage::SliceGroup& group : slice.groups) {
        std::istringstream all(TrainingFixture::bytes(fixture.path("eval.csv")));
        std::ofstream some(fixture.path("some.csv"));
        std::string line;
        while (std::getline(all, line)) {
            if (line.starts_with("x,") || line.find("," + *group.values[0] + ",") != line.npos) {
                some << line << "\n";
            }
        }
        some.close();
        const auto alone = evaluateModel(*model, {.files = {fixture.path("some.csv")}});
        QVERIFY(alone);
        QCOMPARE(alone->rows, 10);
        QCOMPARE(byName(group.metrics), byName(alone->metrics));
    }
}

void TstAddedMetrics::columnsTogetherMakeGroups()
{
    const EvaluationResult result =
        evaluationOf("slice { columns: [\"label\", \"c\"] } slice { columns: \"label\" }");
    QCOMPARE(result.slices.size(), 2U);
    std::int64_t rows = 0;
    for (const storage::SliceGroup& group : result.slices[0].groups) {
        QCOMPARE(group.values.size(), 2U);
        rows += group.rows;
    }
    QCOMPARE(rows, 30);
    QCOMPARE(result.slices[0].groups.size(), 6U);
    QCOMPARE(result.slices[1].groups.size(), 2U);
}

void TstAddedMetrics::missingValuesAreAGroup()
{
    TrainingFixture fixture;
    {
        std::ofstream table(fixture.path("eval.csv"), std::ios::app);
        table << "1.5,,1\n,a,0\n";
    }
    const auto report = fixture.train(
        evaluating("slice { columns: \"c\" } slice { columns: \"x\" }") +
        "data { column { name: \"x\" default_value: \"0.5\" } column { name: \"c\" default_value: "
        "\"b\" } }");
    QVERIFY(report && report->evaluation);
    QCOMPARE(groupsOf(report->evaluation->slices[0]),
             (std::vector<std::string>{"a: 11", "b: 10", "d: 10", "(missing): 1"}));
    const auto numbers = groupsOf(report->evaluation->slices[1]);
    QCOMPARE(std::count(numbers.begin(), numbers.end(), "(missing): 1"), 1);
    QCOMPARE(std::count(numbers.begin(), numbers.end(), "1.5: 1"), 1);
}

void TstAddedMetrics::smallGroupsBecomeOne()
{
    const EvaluationResult result =
        evaluationOf("slice { columns: \"c\" max_groups: 2 } slice { columns: \"c\" max_groups: 1 "
                     "} slice { columns: \"x\" }");
    QCOMPARE(groupsOf(result.slices.at(0)),
             (std::vector<std::string>{"a: 10", "2 small groups: 20"}));
    QCOMPARE(groupsOf(result.slices[1]), (std::vector<std::string>{"3 small groups: 30"}));
    QCOMPARE(byName(result.slices[1].groups[0].metrics), byName(result.metrics));
    QCOMPARE(result.slices[2].groups.size(), 30U);
}

void TstAddedMetrics::onlyEvaluatedRowsCount()
{
    const EvaluationResult result = evaluationOf("steps: 1 slice { columns: \"c\" }");
    QCOMPARE(groupsOf(result.slices.at(0)), (std::vector<std::string>{"a: 3", "b: 2", "d: 2"}));
}

void TstAddedMetrics::slicesAreTheSameForAnyNumberOfThreads()
{
    const std::string more = "metric { calibration_error {} } metric { confusion_matrix {} } "
                             "metric { log_loss {} } slice { columns: [\"c\", \"label\"] }";
    const EvaluationResult one = evaluationOf(more);
    QVERIFY(!one.slices.empty());
    for (const int threads : {2, 5}) {
        const EvaluationResult several = evaluationOf(more, threads);
        QCOMPARE(several.metrics, one.metrics);
        QCOMPARE(several.tables, one.tables);
        QCOMPARE(several.slices, one.slices);
    }
    const EvaluationResult distributed = evaluationOf(
        more, 1, "run_config { eval_distribute { mirrored { devices: [\"CPU:0\", \"CPU:1\"] } } }");
    QCOMPARE(distributed.slices, one.slices);
}

void TstAddedMetrics::theRunKeepsTablesAndSlices()
{
    TrainingFixture fixture;
    const auto report =
        fixture.train(evaluating("metric { per_class {} } slice { columns: \"c\" }"));
    QVERIFY(report && report->evaluation);
    const auto kept = storage::RunFiles(fixture.modelDir()).readEvaluations();
    QVERIFY(kept && !kept->empty());
    QCOMPARE(kept->back().tables, report->evaluation->tables);
    QCOMPARE(kept->back().slices, report->evaluation->slices);
}

/// In the event of the metrics: TensorFlow's BestExporter compares whole events.
void TstAddedMetrics::eventsHaveTablesAndSlices()
{
    TrainingFixture fixture;
    const auto report = fixture.train(evaluating(
        "metric { confusion_matrix {} } metric { per_class {} } slice { columns: \"c\" }"));
    QVERIFY(report && report->evaluation);
    const auto files = storage::listEventFiles(fixture.modelDir() + "/eval");
    QVERIFY(files && files->size() == 1);
    auto reader = storage::EventReader::open(files->front());
    QVERIFY(reader);
    int evaluations = 0;
    for (auto event = reader->next(); event && *event; event = reader->next()) {
        std::map<std::string, const storage::EventValue*> values;
        for (const storage::EventValue& value : (*event)->values) {
            values[value.tag] = &value;
        }
        if (!values.contains("loss")) {
            QVERIFY(!values.contains("slice/c=a/auc"));
            continue;
        }
        ++evaluations;
        for (const char* tag : {"slice/c=a/auc", "slice/c=d/average_loss", "per_class/0/f1"}) {
            QVERIFY2(values.contains(tag), tag);
            QVERIFY(std::holds_alternative<float>(values[tag]->value));
        }
        QVERIFY(values.contains("confusion_matrix"));
        QVERIFY(!std::holds_alternative<float>(values["confusion_matrix"]->value));
    }
    QVERIFY(evaluations > 0);
}

/// As the evaluation of the checkpoint of the same step has them.
void TstAddedMetrics::liveEvaluationsHaveSlices()
{
    const TrainingFixture fixture;
    const auto report = trainAndEvaluate(
        fixture.request(evaluating("slice { columns: \"c\" }"),
                        "train_spec { hook { in_memory_evaluator_hook { name: \"live\" "
                        "every_n_iter: 5 } } }"));
    QVERIFY(report && report->evaluation);
    std::map<std::string, float> live = slicesInEvents(fixture.modelDir() + "/eval_live");
    QVERIFY(live.contains("slice/c=a/auc"));
    QCOMPARE(live, slicesInEvents(fixture.modelDir() + "/eval"));
}

CANNERY_TEST(TstAddedMetrics)
#include "tst_added_metrics.moc"
