// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "storage/tf/events/event_reader.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/event_values.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <fstream>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::RecordingObserver;
using cannery::tests::TrainingFixture;

using Steps = std::vector<std::int64_t>;

namespace {

constexpr const char* kTwoSaves =
    "train_spec { max_steps: 20 input { batch_size: 16 } } "
    "eval_spec { throttle_secs: 0 } "
    "run_config { save_checkpoints_steps: 10 save_summary_steps: 5 keep_checkpoint_max: 0 }";

/// The parts of a checkpoint whose bits are guaranteed.
QByteArray checkpointBytes(const std::string& modelDir, std::int64_t step)
{
    const std::string prefix = modelDir + "/model.ckpt-" + std::to_string(step);
    return QByteArray::fromStdString(TrainingFixture::bytes(prefix + ".index") +
                                     TrainingFixture::bytes(prefix + ".data-00000-of-00001") +
                                     TrainingFixture::bytes(prefix + ".cannery"));
}

std::vector<std::string> tagsOf(const std::string& folder)
{
    std::vector<std::string> tags;
    tests::forEachEventValue(folder, [&](std::int64_t, const storage::EventValue& value) {
        if (std::find(tags.begin(), tags.end(), value.tag) == tags.end()) {
            tags.push_back(value.tag);
        }
    });
    return tags;
}

} // namespace

class TstTrainAndEvaluate : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void savesAtStartByCadenceAndAtTheEnd();
    void evaluatesEverySaveButTheFirst();
    void throttledEvaluationsHappenOnceAndAtTheEnd();
    void sameBitsOnAnyNumberOfThreads();
    void stoppedAndResumedEndsInTheSameBits_data();
    void stoppedAndResumedEndsInTheSameBits();
    void killedAndResumedEndsInTheSameBits();
    void liveAndRecordedEpochsAgree_data();
    void liveAndRecordedEpochsAgree();
    void reachedMaxStepsIsNotTrainedAgain();
    void anEvaluationCutByAStopIsMadeUpFor();
    void aNanLossFailsTheRunAndKeepsItsCheckpoints();
    void anotherExperimentIsRefused();
    void checkpointWithoutSidecarBeginsItsInputAnew();
    void makesARunInTheProject();
    void refusesAFolderThatIsBeingTrained();
    void endsWhenTheInputEnds();
    void exportersRunInOrder();
    void earlyStoppingStopsAndStandsInTheCheckpoint();
    void writesTensorFlowsTags();
    void wrongDataLeavesNoRunBehind();
};

void TstTrainAndEvaluate::savesAtStartByCadenceAndAtTheEnd()
{
    TrainingFixture fixture;
    RecordingObserver observer;
    TrainRequest request = fixture.request("train_spec { max_steps: 10 } run_config { "
                                           "save_checkpoints_steps: 4 keep_checkpoint_max: 2 }");
    request.experiment.mutable_data()->clear_eval(); // without evaluations, none is the best
    request.observer = &observer;
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QCOMPARE(observer.saved, (Steps{0, 4, 8, 10}));
    QCOMPARE(TrainingFixture::steps(fixture.modelDir()), (Steps{8, 10}));
    QCOMPARE(report->outcome.globalStep, 10);
    QVERIFY(report->state == storage::RunState::Finished);
    QVERIFY(!storage::exists(fixture.modelDir() + "/model.ckpt-4.cannery"));
    const auto status = storage::RunFiles(fixture.modelDir()).readStatus();
    VERIFY_OK(status);
    QCOMPARE(status->globalStep, 10);
    QVERIFY(status->state == storage::RunState::Finished);
    QCOMPARE(storage::RunFiles(fixture.modelDir()).readCheckpoints()->size(), std::size_t{2});
}

void TstTrainAndEvaluate::evaluatesEverySaveButTheFirst()
{
    TrainingFixture fixture;
    RecordingObserver observer;
    TrainRequest request = fixture.request(kTwoSaves);
    request.observer = &observer;
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QCOMPARE(observer.evaluatedSteps, (Steps{10, 20}));
    QVERIFY(report->evaluation.has_value());
    QCOMPARE(report->evaluation->globalStep, 20);
    QCOMPARE(report->evaluation->rows, 30);
    QVERIFY(report->evaluation->find("auc").has_value());
    QVERIFY(report->evaluation->find("loss").has_value());
    QCOMPARE(storage::RunFiles(fixture.modelDir()).readEvaluations()->size(), std::size_t{2});
}

void TstTrainAndEvaluate::throttledEvaluationsHappenOnceAndAtTheEnd()
{
    TrainingFixture fixture;
    RecordingObserver observer;
    TrainRequest request =
        fixture.request("train_spec { max_steps: 10 } eval_spec { throttle_secs: 600 } "
                        "run_config { save_checkpoints_steps: 2 }");
    request.observer = &observer;
    VERIFY_OK(trainAndEvaluate(request));
    QCOMPARE(observer.evaluatedSteps, (Steps{2, 10}));
}

void TstTrainAndEvaluate::sameBitsOnAnyNumberOfThreads()
{
    TrainingFixture first;
    VERIFY_OK(first.train(kTwoSaves));
    for (const int threads : {1, 2, 7}) {
        TrainingFixture other;
        VERIFY_OK(other.train(kTwoSaves, threads));
        QCOMPARE(checkpointBytes(other.modelDir(), 20), checkpointBytes(first.modelDir(), 20));
    }
}

void TstTrainAndEvaluate::stoppedAndResumedEndsInTheSameBits_data()
{
    QTest::addColumn<int>("threads");
    QTest::addColumn<int>("stopAfter");
    QTest::newRow("1 thread, between two saves") << 1 << 7;
    QTest::newRow("2 threads, at a save") << 2 << 10;
    QTest::newRow("7 threads, before the end") << 7 << 19;
}

void TstTrainAndEvaluate::stoppedAndResumedEndsInTheSameBits()
{
    QFETCH(const int, threads);
    QFETCH(const int, stopAfter);
    TrainingFixture undisturbed;
    RecordingObserver whole;
    TrainRequest straight = undisturbed.request(kTwoSaves);
    straight.observer = &whole;
    VERIFY_OK(trainAndEvaluate(straight));

    TrainingFixture fixture;
    RecordingObserver observer;
    observer.stopAfter = stopAfter;
    TrainRequest request = fixture.request(kTwoSaves);
    request.observer = &observer;
    request.stop = &observer.stop;
    request.threads = threads;
    const auto stopped = trainAndEvaluate(request);
    VERIFY_OK(stopped);
    QVERIFY(stopped->state == storage::RunState::Stopped);
    QCOMPARE(stopped->outcome.globalStep, stopAfter);
    QCOMPARE(observer.saved.back(), stopAfter);
    TrainRequest again;
    again.observer = &observer;
    again.threads = threads;
    const auto resumed = resumeRun(fixture.modelDir(), again);
    VERIFY_OK(resumed);
    QCOMPARE(resumed->outcome.startStep, stopAfter);
    QCOMPARE(observer.losses, whole.losses);
    QCOMPARE(checkpointBytes(fixture.modelDir(), 20), checkpointBytes(undisturbed.modelDir(), 20));
}

void TstTrainAndEvaluate::killedAndResumedEndsInTheSameBits()
{
    TrainingFixture undisturbed;
    VERIFY_OK(undisturbed.train(kTwoSaves));
    TrainingFixture fixture;
    for (const std::int64_t step : {3, 14, 16}) {
        QVERIFY(fixture.trainUntilKilled(kTwoSaves, step));
        // Readers see an active state without an owner: Interrupted.
        QVERIFY(storage::RunFiles(fixture.modelDir()).readStatus()->state ==
                storage::RunState::Running);
        QVERIFY(!storage::RunLock::owner(fixture.modelDir()).has_value());
    }
    const storage::RunFiles files(fixture.modelDir());
    const auto status = files.readStatus();
    const auto checkpoints = files.readCheckpoints();
    VERIFY_OK(checkpoints);
    double least = status->secondsBefore; // of two sessions
    double last = 0;
    for (const storage::RunCheckpoint& checkpoint : *checkpoints) {
        last = std::max(last, checkpoint.savedAt - *status->startedAt);
    }
    QVERIFY(least > 0);
    least += last;
    VERIFY_OK(resumeRun(fixture.modelDir(), TrainRequest()));
    QVERIFY(files.readStatus()->secondsBefore >= least);
    QCOMPARE(checkpointBytes(fixture.modelDir(), 20), checkpointBytes(undisturbed.modelDir(), 20));
}

void TstTrainAndEvaluate::liveAndRecordedEpochsAgree_data()
{
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<double>("epochs");
    QTest::newRow("alone") << "" << 20 * 16 / 100.0;
    QTest::newRow("three replicas")
        << "strategy { mirrored { devices: [\"CPU:0\", \"CPU:1\", \"CPU:2\"] } }"
        << 20 * 3 * 16 / 100.0;
}

void TstTrainAndEvaluate::liveAndRecordedEpochsAgree()
{
    struct : TrainingObserver
    {
        void progressed(const Progress& progress) override { epochs = progress.epochs; }
        double epochs = 0;
    } observer;
    QFETCH(QString, strategy);
    QFETCH(double, epochs);
    TrainingFixture fixture;
    TrainRequest request = fixture.request(kTwoSaves, strategy.toStdString());
    request.observer = &observer;
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QCOMPARE(observer.epochs, epochs);
    const auto info = storage::RunFiles(report->modelDir).readInfo();
    VERIFY_OK(info);
    QCOMPARE(static_cast<double>(report->outcome.globalStep * info->rowsPerStep) /
                 static_cast<double>(info->trainRows),
             epochs);
}

void TstTrainAndEvaluate::reachedMaxStepsIsNotTrainedAgain()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kTwoSaves));
    const auto again = fixture.train(kTwoSaves);
    VERIFY_OK(again);
    QVERIFY(again->wasDoneBefore);
    QCOMPARE(again->outcome.globalStep, 20);
    const auto further = resumeRun(fixture.modelDir(), TrainRequest(), 25);
    VERIFY_OK(further);
    QCOMPARE(further->outcome.globalStep, 25);
}

void TstTrainAndEvaluate::anEvaluationCutByAStopIsMadeUpFor()
{
    TrainingFixture fixture;
    RecordingObserver observer;
    observer.stopAfter = 20; // the last one
    TrainRequest request = fixture.request(kTwoSaves);
    request.observer = &observer;
    request.stop = &observer.stop;
    const auto stopped = trainAndEvaluate(request);
    VERIFY_OK(stopped);
    QVERIFY(stopped->state == storage::RunState::Stopped);
    QVERIFY(stopped->outcome.reason == StopReason::Cancelled);
    QCOMPARE(observer.evaluatedSteps, Steps{10});
    observer.stop = false;
    observer.stopAfter = -1;
    const auto again = trainAndEvaluate(request);
    VERIFY_OK(again);
    QVERIFY(again->state == storage::RunState::Finished);
    QVERIFY(!again->wasDoneBefore);
    QCOMPARE(again->outcome.startStep, 20);
    QCOMPARE(observer.evaluatedSteps, (Steps{10, 20}));
    QCOMPARE(again->evaluation->globalStep, 20);
}

void TstTrainAndEvaluate::aNanLossFailsTheRunAndKeepsItsCheckpoints()
{
    TrainingFixture fixture;
    // Steps of this size immediately drive the logits beyond float.
    const auto report =
        fixture.train("estimator { dnn_linear_combined_classifier { dnn_optimizer { sgd { "
                      "learning_rate: 1e38 } } "
                      "} } train_spec { max_steps: 50 } run_config { save_checkpoints_steps: 1 }");
    VERIFY_ERROR(report, "train.nan_loss");
    QVERIFY2(report.error().sentence.find(
                 "The first bad tensor is dnn/hiddenlayer_0/bias (NaN in ") != std::string::npos,
             report.error().sentence.c_str());
    QVERIFY(!TrainingFixture::steps(fixture.modelDir()).empty());
    const auto status = storage::RunFiles(fixture.modelDir()).readStatus();
    VERIFY_OK(status);
    QVERIFY(status->state == storage::RunState::Failed);
    QVERIFY(status->reason.find("NaN") != std::string::npos);
    const std::string log = TrainingFixture::bytes(fixture.modelDir() + "/train.log");
    QVERIFY2(log.find("Z error health.nan_loss The loss became NaN at step ") != std::string::npos,
             log.c_str());
}

void TstTrainAndEvaluate::anotherExperimentIsRefused()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kTwoSaves));
    const auto other = trainAndEvaluate(fixture.request(
        kTwoSaves, "estimator { dnn_linear_combined_classifier { dnn_hidden_units: [2] } }"));
    VERIFY_ERROR(other, "train.other_experiment");
    QVERIFY(other.error().sentence.find("dnn_hidden_units") != std::string::npos);
    // How long and how often does not count as a difference.
    const auto longer =
        fixture.train("train_spec { max_steps: 22 input { batch_size: 16 } } "
                      "run_config { save_checkpoints_steps: 3 log_step_count_steps: 2 }");
    VERIFY_OK(longer);
    QCOMPARE(longer->outcome.startStep, 20);
}

void TstTrainAndEvaluate::checkpointWithoutSidecarBeginsItsInputAnew()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kTwoSaves));
    for (const char* name : {"model.ckpt-20.cannery", "experiment.cannery", "run.json"}) {
        VERIFY_OK(storage::realFileSystem().removeFile(fixture.modelDir() + "/" + name));
    }
    const auto further = fixture.train("train_spec { max_steps: 22 input { batch_size: 16 } }");
    VERIFY_OK(further);
    QCOMPARE(further->outcome.startStep, 20);
    QCOMPARE(further->outcome.globalStep, 22);
}

void TstTrainAndEvaluate::makesARunInTheProject()
{
    TrainingFixture fixture;
    TrainRequest request = fixture.request(kTwoSaves);
    request.modelDir.clear();
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QCOMPARE(report->runName, std::string("run-001"));
    QVERIFY(report->warnings.empty());
    auto store = storage::RunStore::open(fixture.path(""));
    VERIFY_OK(store);
    const auto run = store->show(report->runName);
    VERIFY_OK(run);
    QVERIFY(run->status.state == storage::RunState::Finished);
    QCOMPARE(run->info.estimator, std::string("dnn_linear_combined_classifier"));
    QCOMPARE(run->info.trainRows, 100);
    QCOMPARE(run->info.rowsPerStep, 16);
    QVERIFY(!run->info.dataFingerprint.empty());
    QVERIFY(!run->info.parameters.empty());
    QCOMPARE(run->evaluations.size(), std::size_t{2});
    QCOMPARE(run->checkpoints.size(), std::size_t{3});
    QVERIFY(!run->tags.empty());
    const auto before = *run;
    const auto rescanned = storage::RunStore::rescan(fixture.path(""));
    VERIFY_OK(rescanned);
    QCOMPARE(rescanned->runs, 1);
    const auto after = store->show(report->runName);
    VERIFY_OK(after);
    QCOMPARE(after->info, before.info);
    QCOMPARE(after->status, before.status);
    QCOMPARE(after->evaluations, before.evaluations);
    QCOMPARE(after->checkpoints, before.checkpoints);
    QCOMPARE(after->tags.size(), before.tags.size());
    VERIFY_OK(resumeRun(report->modelDir, TrainRequest(), 30));
    const auto resumed = store->show(report->runName);
    VERIFY_OK(resumed);
    QCOMPARE(resumed->status.globalStep, 30);
    QCOMPARE(before.status.secondsBefore, 0);
    QCOMPARE(resumed->status.secondsBefore, *before.status.finishedAt - *before.status.startedAt);
    VERIFY_OK(resumeRun(report->modelDir, TrainRequest(), 40));
    QCOMPARE(store->show(report->runName)->status.secondsBefore,
             resumed->status.secondsBefore +
                 (*resumed->status.finishedAt - *resumed->status.startedAt));
    const auto isTrainingLoss = [](const storage::TagStatistics& tag) {
        return tag.folder.empty() && tag.tag == "loss";
    };
    const auto loss = std::find_if(resumed->tags.begin(), resumed->tags.end(), isTrainingLoss);
    QVERIFY(loss != resumed->tags.end());
    QCOMPARE(loss->count, 6); // steps 1, 6, 11, 16, then 21 and 26
    QCOMPARE(loss->lastStep, 26);
    QVERIFY(storage::exists(report->modelDir + "/train.log"));
    QVERIFY(storage::exists(report->modelDir + "/graph.pbtxt"));
}

void TstTrainAndEvaluate::refusesAFolderThatIsBeingTrained()
{
    TrainingFixture fixture;
    VERIFY_OK(storage::makeFolders(fixture.modelDir()));
    const auto lock = storage::RunLock::acquire(fixture.modelDir());
    VERIFY_OK(lock);
    VERIFY_ERROR(fixture.train(kTwoSaves), "run.locked");
}

void TstTrainAndEvaluate::endsWhenTheInputEnds()
{
    TrainingFixture fixture;
    const auto report = fixture.train("train_spec { input { batch_size: 30 num_epochs: 2 } }");
    VERIFY_OK(report);
    QVERIFY(report->outcome.reason == StopReason::InputEnded);
    QCOMPARE(report->outcome.globalStep, 7); // 200 rows by 30, the last batch short
}

void TstTrainAndEvaluate::exportersRunInOrder()
{
    TrainingFixture fixture;
    RecordingObserver observer;
    TrainRequest request = fixture.request(
        kTwoSaves,
        "eval_spec { exporter { latest_exporter { exports_to_keep: 1 } } "
        "exporter { best_exporter { name: \"best\" } } exporter { final_exporter {} } }");
    request.observer = &observer;
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QVERIFY(observer.exporters.size() >= 4);
    QCOMPARE(observer.exporters[0], std::string("latest"));
    QCOMPARE(observer.exporters[1], std::string("best"));
    QCOMPARE(observer.exporters.back(), std::string("final"));
    QCOMPARE(storage::listFolder(fixture.modelDir() + "/export/latest")->size(), std::size_t{1});
    QCOMPARE(storage::listFolder(fixture.modelDir() + "/export/final")->size(), std::size_t{1});
}

void TstTrainAndEvaluate::earlyStoppingStopsAndStandsInTheCheckpoint()
{
    TrainingFixture fixture;
    const auto report = fixture.train(
        "train_spec { max_steps: 50 hook { stop_if_higher_hook { metric_name: \"loss\" "
        "threshold: 0 run_every_steps: 1 } } } eval_spec { throttle_secs: 0 } "
        "run_config { save_checkpoints_steps: 5 }");
    VERIFY_OK(report);
    QVERIFY(report->outcome.reason == StopReason::EarlyStopping);
    // Evaluated after step 5, checked after the next one.
    QCOMPARE(report->outcome.globalStep, 6);
    const std::string index = TrainingFixture::bytes(fixture.modelDir() + "/model.ckpt-6.index");
    QVERIFY(index.find("signal_early_stopping/STOP") != std::string::npos);
}

void TstTrainAndEvaluate::writesTensorFlowsTags()
{
    TrainingFixture fixture;
    VERIFY_OK(
        trainAndEvaluate(fixture.request(kTwoSaves, "run_config { log_step_count_steps: 5 }")));
    const std::vector<std::string> tags = tagsOf(fixture.modelDir());
    for (const char* tag :
         {"loss", "global_step/sec", "dnn/hiddenlayer_0/fraction_of_zero_values",
          "dnn/hiddenlayer_0/activation", "dnn/logits/activation", "linear/activation"}) {
        QVERIFY2(std::find(tags.begin(), tags.end(), tag) != tags.end(), tag);
    }
    const std::vector<std::string> evalTags = tagsOf(fixture.modelDir() + "/eval");
    QVERIFY(std::find(evalTags.begin(), evalTags.end(), "accuracy") != evalTags.end());
    QCOMPARE(evalTags.back(), std::string("checkpoint_path"));
}

void TstTrainAndEvaluate::wrongDataLeavesNoRunBehind()
{
    TrainingFixture fixture;
    std::ofstream(fixture.path("train.csv")) << "x,c,label\n1,a,0\n2,b,seven\n";
    TrainRequest request = fixture.request(kTwoSaves);
    request.modelDir.clear();
    const auto refused = trainAndEvaluate(request);
    VERIFY_ERROR(refused, "features.label_type");
    QVERIFY(!storage::exists(fixture.path("runs")));
}

CANNERY_TEST(TstTrainAndEvaluate)
#include "tst_train_and_evaluate.moc"
