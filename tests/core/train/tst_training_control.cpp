// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <thread>

using namespace cannery;
using namespace cannery::train;
using cannery::storage::RunState;
using cannery::tests::RecordingObserver;
using cannery::tests::TrainingFixture;

using Steps = std::vector<std::int64_t>;
using States = std::vector<RunState>;

namespace {

constexpr const char* kEndless =
    "train_spec { max_steps: 1000000000 input { batch_size: 1 } } "
    "run_config { save_checkpoints_steps: 900000000 save_summary_steps: 900000000 }";
constexpr const char* kTwentySteps =
    "train_spec { max_steps: 20 input { batch_size: 16 } } "
    "eval_spec { throttle_secs: 0 } "
    "run_config { save_checkpoints_steps: 8 save_summary_steps: 5 keep_checkpoint_max: 0 }";

/// Makes a request after a step, or in a state; always at the same moment of the training.
class AskingObserver : public RecordingObserver
{
public:
    void opened(const std::string& modelDir) override { folder = modelDir; }
    void stateChanged(RunState state, const std::string&) override
    {
        states.push_back(state);
        if (onState) {
            onState(state);
        }
    }
    void stepDone(std::int64_t globalStep, double loss) override
    {
        RecordingObserver::stepDone(globalStep, loss);
        if (afterStep) {
            afterStep(globalStep);
        }
    }
    void fileGrew(const std::string& path, std::uint64_t bytes) override
    {
        isAlwaysThere = isAlwaysThere && storage::fileSize(path).value_or(0) >= bytes;
        sizes[path] = bytes;
    }
    void activityChanged(std::string_view activity) override { activities.emplace_back(activity); }

    std::string folder;
    States states;
    std::map<std::string, std::uint64_t> sizes;
    bool isAlwaysThere = true;
    std::vector<std::string> activities;
    std::function<void(RunState)> onState;
    std::function<void(std::int64_t)> afterStep;
};

} // namespace

/// Requests to a running training, and what they must not change.
class TstTrainingControl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pausedRunEndsInTheSameBits();
    void checkpointNowChangesNothingElse();
    void stopAndKeepSavesAndEvaluates();
    void stopWithoutSavingLeavesTheLastCheckpoint();
    void stopWithoutSavingIsNoSignalAtAnyMoment();
    void stopWhilePausedEnds();
    void signalWhilePausedEnds();
    void wishesBeforeTheFirstStepCount();
    void hurryEndsAnEvaluation();
    void flushedBytesAreTold();

private:
    Result<TrainReport> train(TrainingFixture& project, AskingObserver& observer,
                              const std::string& more = kTwentySteps);
    QByteArray weights(const TrainingFixture& project, std::int64_t step);

    TrainingControl* m_control = nullptr; ///< of the current training
};

Result<TrainReport> TstTrainingControl::train(TrainingFixture& project, AskingObserver& observer,
                                              const std::string& more)
{
    TrainingControl none;
    TrainRequest request = project.request(more);
    request.observer = &observer;
    request.control = m_control != nullptr ? m_control : &none;
    request.stop = &observer.stop;
    auto report = trainAndEvaluate(request);
    m_control = nullptr;
    return report;
}

QByteArray TstTrainingControl::weights(const TrainingFixture& project, std::int64_t step)
{
    return QByteArray::fromStdString(TrainingFixture::bytes(
        project.modelDir() + "/model.ckpt-" + std::to_string(step) + ".data-00000-of-00001"));
}

void TstTrainingControl::pausedRunEndsInTheSameBits()
{
    TrainingFixture undisturbed;
    AskingObserver quiet;
    VERIFY_OK(train(undisturbed, quiet));
    TrainingFixture project;
    AskingObserver observer;
    TrainingControl control;
    observer.afterStep = [&](std::int64_t step) {
        if (step == 3 || step == 11) {
            control.pause();
        }
    };
    observer.onState = [&](RunState state) {
        if (state == RunState::Paused) {
            control.resume();
        }
    };
    m_control = &control;
    VERIFY_OK(train(project, observer));
    QCOMPARE(observer.states, States({RunState::Running, RunState::Paused, RunState::Running,
                                      RunState::Paused, RunState::Running, RunState::Finished}));
    QCOMPARE(TrainingFixture::steps(project.modelDir()), Steps({0, 3, 8, 11, 16, 20}));
    QCOMPARE(observer.losses, quiet.losses);
    QCOMPARE(observer.evaluatedSteps, quiet.evaluatedSteps);
    QVERIFY(weights(project, 20).size() > 100);
    QCOMPARE(weights(project, 20), weights(undisturbed, 20));
}

void TstTrainingControl::checkpointNowChangesNothingElse()
{
    TrainingFixture undisturbed;
    AskingObserver quiet;
    VERIFY_OK(train(undisturbed, quiet));
    TrainingFixture project;
    AskingObserver observer;
    TrainingControl control;
    observer.afterStep = [&](std::int64_t step) {
        if (step == 5 || step == 8) {
            control.checkpointNow();
        }
    };
    m_control = &control;
    VERIFY_OK(train(project, observer));
    QCOMPARE(observer.saved, Steps({0, 5, 8, 16, 20}));
    QCOMPARE(observer.evaluatedSteps, quiet.evaluatedSteps);
    QCOMPARE(weights(project, 20), weights(undisturbed, 20));
    QCOMPARE(weights(project, 16), weights(undisturbed, 16));
}

void TstTrainingControl::stopAndKeepSavesAndEvaluates()
{
    TrainingFixture project;
    AskingObserver observer;
    TrainingControl control;
    observer.afterStep = [&](std::int64_t step) {
        if (step == 6) {
            control.stopAndKeep();
        }
    };
    m_control = &control;
    const auto report = train(project, observer);
    VERIFY_OK(report);
    QVERIFY(report->outcome.reason == StopReason::Requested);
    QVERIFY(report->state == RunState::Stopped);
    QCOMPARE(observer.states, States({RunState::Running, RunState::Finishing, RunState::Stopped}));
    QCOMPARE(observer.saved, Steps({0, 6}));
    QCOMPARE(observer.evaluatedSteps, Steps({6}));
    QCOMPARE(observer.folder, project.modelDir());
}

void TstTrainingControl::stopWithoutSavingLeavesTheLastCheckpoint()
{
    TrainingFixture project;
    AskingObserver observer;
    TrainingControl control;
    observer.afterStep = [&](std::int64_t step) {
        if (step == 13) {
            control.stopAndKeep();
            control.stopWithoutSaving();
        }
    };
    m_control = &control;
    const auto report = train(project, observer);
    VERIFY_OK(report);
    QVERIFY(report->state == RunState::Stopped);
    QVERIFY(report->outcome.reason == StopReason::Discarded);
    QCOMPARE(observer.saved, Steps({0, 8}));
    QCOMPARE(observer.evaluatedSteps, Steps({8}));
    AskingObserver again;
    VERIFY_OK(train(project, again));
    QCOMPARE(again.losses.size(), std::size_t{12});
}

/// The request comes from another thread, between any two things that the training looks at.
void TstTrainingControl::stopWithoutSavingIsNoSignalAtAnyMoment()
{
    for (int i = 0; i < 60; ++i) {
        TrainingFixture project;
        AskingObserver observer;
        TrainingControl control;
        std::atomic<bool> isTraining = false;
        observer.afterStep = [&](std::int64_t /*step*/) {
            isTraining = true;
            isTraining.notify_one();
        };
        std::thread user([&] {
            isTraining.wait(false);
            std::this_thread::sleep_for(std::chrono::microseconds(i));
            control.stopWithoutSaving();
        });
        m_control = &control;
        const auto report = train(project, observer, kEndless);
        observer.afterStep(0); // if there was no step
        user.join();
        VERIFY_OK(report);
        QVERIFY(report->outcome.reason == StopReason::Discarded);
        QCOMPARE(observer.saved, Steps({0}));
    }
}

void TstTrainingControl::stopWhilePausedEnds()
{
    TrainingFixture project;
    AskingObserver observer;
    TrainingControl control;
    control.pause();
    observer.onState = [&](RunState state) {
        if (state == RunState::Paused) {
            control.stopAndKeep();
        }
    };
    m_control = &control;
    VERIFY_OK(train(project, observer));
    QCOMPARE(observer.states,
             States({RunState::Running, RunState::Paused, RunState::Finishing, RunState::Stopped}));
    QVERIFY(observer.losses.empty());
}

void TstTrainingControl::signalWhilePausedEnds()
{
    TrainingFixture project;
    AskingObserver observer;
    TrainingControl control;
    control.pause();
    observer.onState = [&](RunState state) {
        if (state == RunState::Paused) {
            observer.stop = true;
        }
    };
    m_control = &control;
    const auto report = train(project, observer);
    VERIFY_OK(report);
    QVERIFY(report->outcome.reason == StopReason::Cancelled);
    QVERIFY(observer.evaluatedSteps.empty());
}

void TstTrainingControl::wishesBeforeTheFirstStepCount()
{
    TrainingFixture project;
    AskingObserver observer;
    TrainingControl control;
    control.checkpointNow();
    control.stopAndKeep();
    m_control = &control;
    VERIFY_OK(train(project, observer));
    QVERIFY(observer.losses.empty());
    QCOMPARE(observer.saved, Steps({0}));
    QCOMPARE(observer.evaluatedSteps, Steps({0}));
}

void TstTrainingControl::hurryEndsAnEvaluation()
{
    TrainingFixture project;
    AskingObserver observer;
    TrainingControl control;
    observer.afterStep = [&](std::int64_t step) {
        if (step == 6) {
            control.stopAndKeep();
        }
    };
    observer.onState = [&](RunState state) {
        if (state == RunState::Finishing) {
            control.stopWithoutSaving();
        }
    };
    m_control = &control;
    const auto report = train(project, observer);
    VERIFY_OK(report);
    QCOMPARE(observer.saved, Steps({0, 6}));
    QVERIFY(observer.evaluatedSteps.empty());
}

void TstTrainingControl::flushedBytesAreTold()
{
    TrainingFixture project;
    AskingObserver observer;
    VERIFY_OK(train(project, observer));
    QVERIFY(observer.isAlwaysThere);
    QCOMPARE(observer.sizes.size(), std::size_t{2}); // of the training and of its evaluations
    for (const auto& [path, bytes] : observer.sizes) {
        QCOMPARE(storage::fileSize(path).value_or(0), bytes);
    }
    QCOMPARE(observer.activities,
             std::vector<std::string>({"Evaluating", "", "Evaluating", "", "Evaluating", ""}));
}

CANNERY_TEST(TstTrainingControl)
#include "tst_training_control.moc"
