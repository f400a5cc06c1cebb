// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/step_profile.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tf/events/event_reader.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/event_values.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <limits>
#include <map>
#include <set>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::RecordingObserver;
using cannery::tests::TrainingFixture;

namespace {

std::string steps(const std::string& hook, int maxSteps = 20)
{
    return "train_spec { max_steps: " + std::to_string(maxSteps) + " input { batch_size: 16 } " +
           hook +
           " } eval_spec { throttle_secs: 0 } run_config { save_checkpoints_steps: 20 "
           "save_summary_steps: 5 }";
}

std::string lastWeights(const TrainingFixture& fixture)
{
    return TrainingFixture::bytes(fixture.modelDir() + "/model.ckpt-20.data-00000-of-00001");
}

/// Steps of the evaluations in a folder's event files, and their tags.
std::map<std::int64_t, std::set<std::string>> evaluationsIn(const std::string& folder)
{
    std::map<std::int64_t, std::set<std::string>> found;
    tests::forEachEventValue(folder, [&](std::int64_t step, const storage::EventValue& value) {
        found[step].insert(value.tag);
    });
    return found;
}

QJsonArray traceOf(const std::string& path)
{
    const QByteArray text = QByteArray::fromStdString(TrainingFixture::bytes(path));
    return QJsonDocument::fromJson(text).object()["traceEvents"].toArray();
}

const char* const kTrees = "estimator { boosted_trees_classifier { feature_columns: \"c\" n_trees: "
                           "40 max_depth: 2 learning_rate: 1 "
                           "histogram { early_stopping_evals: 3 } } } "
                           "train_spec { max_steps: 40 } eval_spec { throttle_secs: 0 } "
                           "run_config { save_checkpoints_steps: 1 }";

/// The steps of `loss` in the run's own event files, in order.
QList<qint64> lossSteps(const std::string& folder)
{
    QList<qint64> found;
    tests::forEachEventValue(folder, [&](std::int64_t step, const storage::EventValue& value) {
        if (value.tag == "loss") {
            found.append(step);
        }
    });
    return found;
}

} // namespace

/// Hooks that an experiment can configure, except those that stop it early (TstCadence).
class TstHooks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void profilerWritesAStepAtItsCadence();
    void profilerTellsEveryLayerOfAStep();
    void profilerWritesIntoItsFolder();
    void profilingChangesNoBits_data();
    void profilingChangesNoBits();
    void profileSumsUpItsSteps();
    void liveWeightsAreEvaluatedFromStartToEnd();
    void liveEvaluationsChangeNoBits();
    void liveEvaluationsNeedOneDeviceAndRows();
    void patienceEndsWhenNoEvaluationIsBetter();
    void batchesForQuantilesHaveSummariesAtStepZero_data();
    void batchesForQuantilesHaveSummariesAtStepZero();
};

void TstHooks::profilerWritesAStepAtItsCadence()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(steps("hook { profiler_hook { save_steps: 8 } }")));
    std::set<std::string> files;
    const auto names = storage::listFolder(fixture.modelDir());
    VERIFY_OK(names);
    for (const std::string& name : *names) {
        if (name.starts_with("timeline-")) {
            files.insert(name);
        }
    }
    QCOMPARE(files, (std::set<std::string>{"timeline-8.json", "timeline-16.json"}));
}

void TstHooks::profilerTellsEveryLayerOfAStep()
{
    TrainingFixture fixture;
    RecordingObserver observer;
    TrainRequest request = fixture.request(steps("hook { profiler_hook { save_steps: 5 } }"));
    request.observer = &observer;
    VERIFY_OK(trainAndEvaluate(request));
    const QJsonArray events = traceOf(fixture.modelDir() + "/timeline-10.json");
    QVERIFY(!events.isEmpty());
    std::map<QString, int> phases;
    std::set<QString> forward;
    std::set<QString> backward;
    double end = 0;
    for (const QJsonValue& event : events) {
        if (event["ph"].toString() != "X") {
            QCOMPARE(event["ph"].toString(), QString("M"));
            continue;
        }
        QVERIFY(event["ts"].isDouble() && event["ts"].toDouble() >= 0);
        QVERIFY(event["dur"].isDouble() && event["dur"].toDouble() >= 0);
        QVERIFY(event["pid"].isDouble() && event["tid"].isDouble());
        QVERIFY(!event["name"].toString().isEmpty());
        const QString phase = event["args"]["phase"].toString();
        ++phases[phase];
        (phase == "forward" ? forward : backward).insert(event["args"]["name"].toString());
        end = std::max(end, event["ts"].toDouble() + event["dur"].toDouble());
    }
    QCOMPARE(phases["input"], 1);
    QCOMPARE(phases["loss"], 1);
    QCOMPARE(phases["optimizer"], 2); // of the linear and of the deep part
    QVERIFY(forward.contains("dnn/hiddenlayer_0") && forward.contains("dnn/logits"));
    QVERIFY(backward.contains("dnn/hiddenlayer_1"));
    QVERIFY(end > 0 && end < 60e6);
    const auto tells = [&](const char* start) {
        return std::ranges::any_of(
            observer.log, [&](const std::string& line) { return line.starts_with(start); });
    };
    QVERIFY(tells("4 profiled steps took"));
    QVERIFY(tells("Time of a step by layer: "));
}

void TstHooks::profilerWritesIntoItsFolder()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(
        steps("hook { profiler_hook { save_steps: 8 output_dir: \"profiles/a\" } }")));
    QVERIFY(storage::exists(fixture.modelDir() + "/profiles/a/timeline-8.json"));
    TrainRequest request = fixture.request(steps("hook { profiler_hook { save_steps: 8 } }"));
    request.modelDir = fixture.path("other");
    request.experiment.mutable_train_spec()
        ->mutable_hook(0)
        ->mutable_profiler_hook()
        ->set_output_dir("../elsewhere");
    VERIFY_ERROR(trainAndEvaluate(request), "train.profiler_folder");
    request.experiment.mutable_train_spec()->mutable_hook(0)->mutable_profiler_hook()->Clear();
    VERIFY_ERROR(trainAndEvaluate(request), "train.profiler_cadence");
}

void TstHooks::profilingChangesNoBits_data()
{
    QTest::addColumn<int>("threads");
    QTest::addColumn<QByteArray>("strategy");
    QTest::newRow("one thread") << 1 << QByteArray();
    QTest::newRow("three threads") << 3 << QByteArray();
    QTest::newRow("shards") << 2 << QByteArray(" strategy { virtual_shards: 4 }");
}

void TstHooks::profilingChangesNoBits()
{
    QFETCH(int, threads);
    QFETCH(const QByteArray, strategy);
    TrainingFixture with;
    TrainingFixture without;
    const std::string more = strategy.toStdString();
    VERIFY_OK(with.train(steps("hook { profiler_hook { save_steps: 1 } }") + more, threads));
    VERIFY_OK(without.train(steps("") + more, threads));
    QVERIFY(storage::exists(with.modelDir() + "/timeline-20.json"));
    QVERIFY(lastWeights(with) == lastWeights(without));
}

void TstHooks::profileSumsUpItsSteps()
{
    using plan::TraceEvent;
    using plan::TracePhase;
    StepProfile profile;
    for (const std::int64_t begin : {0, 5000000}) {
        profile.add({TraceEvent{.phase = TracePhase::Forward,
                                .layer = "a",
                                .operation = "dense",
                                .begin = begin,
                                .length = 1000000},
                     TraceEvent{.phase = TracePhase::Backward,
                                .layer = "a",
                                .operation = "dense",
                                .begin = begin + 1000000,
                                .length = 2000000},
                     TraceEvent{.phase = TracePhase::Optimizer,
                                .layer = "dnn",
                                .operation = "adam",
                                .begin = begin + 3000000,
                                .length = 1000000}});
    }
    QCOMPARE(profile.phases(),
             std::string("2 profiled steps took 4 ms each: backward 50 %, forward "
                         "25 %, optimizer 25 %."));
    QCOMPARE(profile.layers(),
             std::string("Time of a step by layer: a (dense) 3 ms, dnn (adam) 1 ms."));
}

void TstHooks::liveWeightsAreEvaluatedFromStartToEnd()
{
    TrainingFixture fixture;
    RecordingObserver observer;
    TrainRequest request = fixture.request(
        steps("hook { in_memory_evaluator_hook { every_n_iter: 8 name: \"live\" steps: 1 } }"));
    request.observer = &observer;
    VERIFY_OK(trainAndEvaluate(request));
    const auto found = evaluationsIn(fixture.modelDir() + "/eval_live");
    for (const std::int64_t step : {0, 8, 16, 20}) {
        QVERIFY2(found.contains(step) && found.at(step).contains("accuracy"),
                 std::to_string(step).c_str());
    }
    for (const auto& [step, tags] : found) {
        QVERIFY(!tags.contains("checkpoint_path"));
        QVERIFY(tags.empty() || step % 8 == 0 || step == 20);
    }
    // They are not evaluations of the eval_spec, which follow checkpoints.
    QCOMPARE(observer.evaluatedSteps, std::vector<std::int64_t>{20});
}

void TstHooks::liveEvaluationsChangeNoBits()
{
    TrainingFixture with;
    TrainingFixture without;
    VERIFY_OK(with.train(steps("hook { in_memory_evaluator_hook { every_n_iter: 1 } }")));
    VERIFY_OK(without.train(steps("")));
    QVERIFY(lastWeights(with) == lastWeights(without));
}

void TstHooks::liveEvaluationsNeedOneDeviceAndRows()
{
    TrainingFixture fixture;
    const std::string hook = steps("hook { in_memory_evaluator_hook {} }");
    TrainRequest request = fixture.request(hook, "strategy { virtual_shards: 2 }");
    VERIFY_ERROR(trainAndEvaluate(request), "train.no_live_evaluation");
    request = fixture.request(hook);
    request.modelDir = fixture.path("without_rows");
    request.experiment.mutable_data()->clear_eval();
    VERIFY_ERROR(trainAndEvaluate(request), "train.no_live_evaluation");
}

/// Three evaluations without a lower loss end the training, and it does not go on later.
void TstHooks::patienceEndsWhenNoEvaluationIsBetter()
{
    TrainingFixture fixture;
    const auto report = fixture.train(kTrees);
    VERIFY_OK(report);
    QCOMPARE(report->outcome.reason, StopReason::EarlyStopping);
    const auto evaluations = storage::RunFiles(fixture.modelDir()).readEvaluations();
    VERIFY_OK(evaluations);
    double best = std::numeric_limits<double>::infinity();
    int since = 0;
    std::int64_t expected = -1;
    for (const storage::RunEvaluation& evaluation : *evaluations) {
        QVERIFY2(expected < 0, "an evaluation after the end");
        for (const storage::MetricValue& metric : evaluation.metrics) {
            if (metric.name == "loss") {
                since = metric.value < best ? 0 : since + 1;
                best = std::min(best, metric.value);
            }
        }
        expected = since >= 3 ? evaluation.globalStep : -1;
    }
    QCOMPARE(report->outcome.globalStep, expected);
    QVERIFY(expected < 40);
    const auto again = fixture.train(kTrees);
    VERIFY_OK(again);
    QCOMPARE(again->outcome.reason, StopReason::EarlyStopping);
    QCOMPARE(again->outcome.globalStep, expected);
}

void TstHooks::batchesForQuantilesHaveSummariesAtStepZero_data()
{
    QTest::addColumn<int>("every");
    QTest::addColumn<int>("batches");
    QTest::addColumn<QList<qint64>>("steps");
    // As TensorFlow's SummarySaverHook counts runs of the session: it learns the global step when
    // it writes, and adds one for every other run.
    QTest::newRow("one batch") << 100 << 1 << QList<qint64>{0};
    QTest::newRow("each of three") << 1 << 3 << QList<qint64>{0, 0, 0, 1, 2, 3, 4, 5, 6};
    QTest::newRow("every second of two") << 2 << 2 << QList<qint64>{0, 1, 3, 5};
    QTest::newRow("every second of three") << 2 << 3 << QList<qint64>{0, 0, 2, 4, 6};
    QTest::newRow("the first of three") << 4 << 3 << QList<qint64>{0, 4};
}

void TstHooks::batchesForQuantilesHaveSummariesAtStepZero()
{
    QFETCH(int, every);
    QFETCH(int, batches);
    QFETCH(QList<qint64>, steps);
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(
        "estimator { boosted_trees_classifier { feature_columns: \"x\" n_trees: 40 max_depth: 2 "
        "n_batches_per_layer: " +
        std::to_string(batches) +
        " } } train_spec { max_steps: 6 input { batch_size: 16 } } eval_spec { throttle_secs: 0 } "
        "run_config { save_summary_steps: " +
        std::to_string(every) + " }"));
    QCOMPARE(lossSteps(fixture.modelDir()), steps);
}

CANNERY_TEST(TstHooks)
#include "tst_hooks.moc"
