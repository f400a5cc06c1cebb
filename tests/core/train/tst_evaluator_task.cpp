// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/evaluator_task.h"
#include "core/train/loop/training_loop.h"
#include "core/train/loop/training_watch.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;
using storage::RunState;

namespace {

constexpr const char* kEvaluated = "train_spec { max_steps: 20 input { batch_size: 16 } } "
                                   "eval_spec { throttle_secs: 0 start_delay_secs: 0 } "
                                   "run_config { save_checkpoints_steps: 4 } ";

class SettableClock : public Clock
{
public:
    double wallTime() const override { return now; }
    double steadyTime() const override { return now; }

    double now = 1000;
};

/// A folder with the records of a training.
class Records
{
public:
    std::string folder() const { return m_folder.path().toStdString(); }
    void say(RunState state, std::string_view reason = {}, double updatedAt = 1)
    {
        const auto written = storage::RunFiles(folder()).writeStatus({.state = state,
                                                                      .reason = std::string(reason),
                                                                      .maxSteps = 20,
                                                                      .updatedAt = updatedAt});
        QVERIFY(written);
    }

private:
    QTemporaryDir m_folder;
};

} // namespace

/// An evaluator, and how it knows that the training has ended.
class TstEvaluatorTask : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itEvaluatesAsTheTrainingWould();
    void aCheckpointIsEvaluatedOnce();
    void aChiefWithAnEvaluatorTellsWhatThatHasRecorded();
    void aTrainingThatFinishesIsOver();
    void aTrainingThatMayContinueIsNotOver();
    void oldRecordsCountOnceNobodyComes();
};

void TstEvaluatorTask::itEvaluatesAsTheTrainingWould()
{
    TrainingFixture alone;
    const Result<TrainReport> expected = alone.train(kEvaluated);
    QVERIFY(expected && expected->evaluation);

    TrainingFixture fixture;
    TrainRequest request = fixture.request(kEvaluated);
    request.hasEvaluator = true;
    const Result<TrainReport> trained = trainAndEvaluate(request);
    QVERIFY(trained && !trained->evaluation);
    QVERIFY(!storage::exists(fixture.modelDir() + "/eval"));
    const Result<TrainReport> report = evaluateContinuously(request);
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QVERIFY(report->evaluation);
    QVERIFY(report->outcome.reason == StopReason::MaxSteps);
    QCOMPARE(report->outcome.globalStep, 20);
    QCOMPARE(report->evaluation->metrics.size(), expected->evaluation->metrics.size());
    for (std::size_t i = 0; i < report->evaluation->metrics.size(); ++i) {
        QCOMPARE(report->evaluation->metrics[i].name, expected->evaluation->metrics[i].name);
        QVERIFY(report->evaluation->metrics[i].value == expected->evaluation->metrics[i].value);
    }
}

void TstEvaluatorTask::aCheckpointIsEvaluatedOnce()
{
    TrainingFixture fixture;
    TrainRequest request = fixture.request(kEvaluated);
    request.hasEvaluator = true;
    QVERIFY(trainAndEvaluate(request));
    QVERIFY(evaluateContinuously(request));
    const Result<TrainReport> again = evaluateContinuously(request);
    QVERIFY(again && !again->evaluation);
    const auto evaluations = storage::RunFiles(fixture.modelDir()).readEvaluations();
    QCOMPARE(evaluations->size(), std::size_t{1});
}

/// As if the evaluator had recorded it while the chief trains.
void TstEvaluatorTask::aChiefWithAnEvaluatorTellsWhatThatHasRecorded()
{
    class Evaluator : public tests::RecordingObserver
    {
    public:
        explicit Evaluator(std::string folder) : m_folder(std::move(folder)) {}
        void checkpointSaved(std::int64_t step, const std::string& prefix) override
        {
            if (step == 8) {
                (void)storage::RunFiles(m_folder).addEvaluation(
                    {.globalStep = step, .metrics = {{"loss", 0.25}}});
            }
            tests::RecordingObserver::checkpointSaved(step, prefix);
        }

    private:
        std::string m_folder;
    };
    TrainingFixture fixture;
    Evaluator evaluator(fixture.modelDir());
    TrainRequest request = fixture.request(kEvaluated);
    request.hasEvaluator = true;
    request.observer = &evaluator;
    QVERIFY(trainAndEvaluate(request));
    QCOMPARE(evaluator.evaluatedSteps, std::vector<std::int64_t>{8});
    const auto evaluations = storage::RunFiles(fixture.modelDir()).readEvaluations();
    QCOMPARE(evaluations->size(), std::size_t{1});
}

void TstEvaluatorTask::aTrainingThatFinishesIsOver()
{
    Records records;
    const SettableClock clock;
    TrainingWatch watch(records.folder(), 20, clock);
    QVERIFY(!watch.isOver());
    records.say(RunState::Running);
    QVERIFY(!watch.isOver());
    records.say(RunState::Finished);
    QVERIFY(watch.isOver());
    records.say(RunState::Stopped, "Stopped on request.");
    QVERIFY(watch.isOver());
}

void TstEvaluatorTask::aTrainingThatMayContinueIsNotOver()
{
    Records records;
    SettableClock clock;
    TrainingWatch watch(records.folder(), 20, clock);
    for (const auto& [state, reason] :
         {std::pair(RunState::Failed, std::string_view("The disk is full.")),
          std::pair(RunState::Stopped, kStoppedBySignal)}) {
        records.say(state, reason);
        clock.now += 2 * TrainingWatch::kPatienceSeconds;
        QVERIFY(!watch.isOver());
    }
}

void TstEvaluatorTask::oldRecordsCountOnceNobodyComes()
{
    Records records;
    records.say(RunState::Finished);
    SettableClock clock;
    TrainingWatch watch(records.folder(), 20, clock);
    TrainingWatch longer(records.folder(), 30, clock);
    clock.now += TrainingWatch::kPatienceSeconds / 2;
    QVERIFY(!watch.isOver());
    {
        const auto lock = storage::RunLock::acquire(records.folder());
        QVERIFY(lock && !watch.isOver());
    }
    clock.now += TrainingWatch::kPatienceSeconds / 2;
    QVERIFY(!watch.isOver());
    clock.now += TrainingWatch::kPatienceSeconds / 2;
    QVERIFY(watch.isOver());
    QVERIFY(!longer.isOver()); // it is to be continued
    records.say(RunState::Finished, {}, 2);
    QVERIFY(longer.isOver());
}

CANNERY_TEST(TstEvaluatorTask)
#include "tst_evaluator_task.moc"
