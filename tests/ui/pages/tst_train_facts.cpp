// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/shown_numbers.h"
#include "tests/support/test_main.h"
#include "ui/models/formats.h"
#include "ui/pages/train/train_facts.h"

#include <QTest>
#include <QTimeZone>

using namespace cannery;
using namespace cannery::ui;

class TstTrainFacts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void timeLeftAppearsOnlyWithEvidence();
    void checkpointsStandOnTheBar();
    void anEndedRunTellsItsBest();
    void anEndedRunCountsTheRowsOfAllReplicas();
    void aResumedRunTellsTheTimeOfAllItsSessions();
    void aRegressionIsToldInTheUnitOfItsLabel();
    void theEngineKnowsTheStateBetterThanTheStore();
    void anInterruptedRunIsOfferedToGoOn();
    void aFailedRunWithoutCheckpointIsRetried();
    void tooLittleGpuMemoryProposesABatch();
    void aFullDiskIsSaidBeforeGoingOn();
    void aNanIsNotContinuedAtTheSameRate();
    void aGpuTellsItsMemoryAndLoad();
    void theNewestHealthNoteIsShownWithItsCure();
    void aNoteIsReplacedOrTakenBack();
    void onlyABestCheckpointOnTheDiskIsSafe();

private:
    static RunRow run()
    {
        RunRow row{.name = "run-012",
                   .folder = "/p/runs/run-012",
                   .state = cannery::ui::RunState::Running};
        row.startedAt = QDateTime({2026, 1, 2}, {14, 31}, QTimeZone::utc());
        row.maxSteps = 1000;
        row.checkpoints = {{.step = 200}, {.step = 400, .isBest = true}};
        row.bestStep = 400;
        row.decisionMetric = "auc";
        row.metrics = {{.name = "auc", .last = 0.83, .min = 0.7, .max = 0.84, .maxStep = 400}};
        return row;
    }
    static EngineStatus status()
    {
        return {.run = "run-012",
                .state = cannery::ui::RunState::Running,
                .globalStep = 600,
                .maxSteps = 1000};
    }
    static QDateTime now() { return run().startedAt.addSecs(64); }
};

void TstTrainFacts::timeLeftAppearsOnlyWithEvidence()
{
    EngineStatus engine = status();
    TrainFacts facts = trainFacts(run(), engine, now());
    QCOMPARE(facts.facts.size(), 1);
    QCOMPARE(facts.facts[0].number, "600");
    QCOMPARE(facts.facts[0].unit, cannery::tests::shownNumbers("of 1,000 steps"));
    QCOMPARE(facts.fraction, 0.6);
    engine.secondsLeft = 39;
    engine.stepsPerSecond = 118;
    facts = trainFacts(run(), engine, now());
    QCOMPARE(facts.facts[1].number, QStringLiteral("39\u2009s"));
    QCOMPARE(facts.facts[1].unit, "left");
    QCOMPARE(facts.facts[2].number, "118");
}

void TstTrainFacts::checkpointsStandOnTheBar()
{
    QCOMPARE(trainFacts(run(), status(), now()).checkpoints, (QList<double>{0.2, 0.4}));
}

void TstTrainFacts::anEndedRunTellsItsBest()
{
    RunRow row = run();
    row.state = cannery::ui::RunState::Finished;
    row.globalStep = 1000;
    row.finishedAt = now();
    const TrainFacts facts = trainFacts(row, {}, now().addSecs(120));
    QCOMPARE(facts.facts[0].number, cannery::tests::shownNumbers("1,000"));
    QCOMPARE(facts.facts[1].number, cannery::tests::shownNumbers("0.8400"));
    QCOMPARE(facts.facts[1].unit, "best AUC at step 400");
    QVERIFY2(facts.times.contains("took"), qPrintable(facts.times));
    QVERIFY2(!facts.times.contains("small"), qPrintable(facts.times));
    row.finishedAt = row.startedAt.addMSecs(800); // like a sample's
    QVERIFY(trainFacts(row, {}, now()).times.contains("A small run: Train Longer continues"));
}

void TstTrainFacts::anEndedRunCountsTheRowsOfAllReplicas()
{
    RunRow row = run();
    row.state = cannery::ui::RunState::Stopped;
    row.globalStep = 1000;
    row.trainRows = 160;
    row.rowsPerStep = 4 * 16;
    row.parameters = {{"train_spec.input.batch_size", "16"}};
    const FactRow::Fact epochs = trainFacts(row, {}, now()).facts.last();
    QCOMPARE(epochs.unit, "epochs");
    QCOMPARE(epochs.number, "400");
    row.rowsPerStep = 0; // an older run
    QCOMPARE(trainFacts(row, {}, now()).facts.last().number, "100");
}

void TstTrainFacts::aResumedRunTellsTheTimeOfAllItsSessions()
{
    RunRow row = run();
    row.secondsBefore = 1800;
    const QString all = formatDuration(1864);
    const QString live = trainFacts(row, status(), now()).times;
    QVERIFY2(live.startsWith("Resumed") && live.endsWith(all + " so far in all"), qPrintable(live));
    row.state = cannery::ui::RunState::Finished;
    row.finishedAt = now();
    const QString ended = trainFacts(row, {}, now()).times;
    QVERIFY2(ended.endsWith("took " + all + " in all"), qPrintable(ended));
}

void TstTrainFacts::aRegressionIsToldInTheUnitOfItsLabel()
{
    RunRow row = run();
    row.state = cannery::ui::RunState::Finished;
    row.decisionMetric = "average_loss";
    row.higherIsBetter = false;
    row.metrics = {{.name = "average_loss", .min = 5'741'301'728, .minStep = 400},
                   {.name = "cannery/rmse", .min = 75'771.4, .minStep = 400},
                   {.name = "cannery/rmse_baseline", .last = 115'000}};
    const TrainFacts facts = trainFacts(row, {}, now());
    QCOMPARE(facts.facts[1].number, cannery::tests::shownNumbers("75,771"));
    QCOMPARE(facts.facts[1].unit, "best RMSE at step 400");
    QCOMPARE(facts.facts[2].number, cannery::tests::shownNumbers("115,000"));
    QCOMPARE(facts.facts[2].unit, "guessing the mean");
}

void TstTrainFacts::theEngineKnowsTheStateBetterThanTheStore()
{
    EngineStatus engine = status();
    engine.state = cannery::ui::RunState::Paused;
    QCOMPARE(stateOf(run(), engine), cannery::ui::RunState::Paused);
    QCOMPARE(stateOf(run(), {}), cannery::ui::RunState::Running);
}

void TstTrainFacts::anInterruptedRunIsOfferedToGoOn()
{
    const HealthNote note = healthNote(run(), cannery::ui::RunState::Interrupted, {});
    QCOMPARE(note.id, "state.interrupted");
    QCOMPARE(note.cure, HealthCure::Resume);
    QVERIFY(note.sentence.contains("400"));
}

void TstTrainFacts::aFailedRunWithoutCheckpointIsRetried()
{
    RunRow row = run();
    row.checkpoints.clear();
    row.reason = "The disk is full.";
    const HealthNote note = healthNote(row, cannery::ui::RunState::Failed, {});
    QCOMPARE(note.cure, HealthCure::Retry);
    QCOMPARE(note.sentence, "The disk is full.");
    QCOMPARE(note.level, Strip::Level::Error);
}

void TstTrainFacts::tooLittleGpuMemoryProposesABatch()
{
    RunRow row = run();
    row.state = cannery::ui::RunState::Failed;
    row.reason = "The model does not fit. It fits with train_spec.input.batch_size: 2048.";
    const HealthNote note = healthNote(row, row.state, {});
    QVERIFY(note.cure == HealthCure::SetBatchSize);
    QCOMPARE(note.batchSize, 2048);
    QCOMPARE(note.cureText, cannery::tests::shownNumbers("Set Batch Size to 2,048"));
    QCOMPARE(note.sentence, row.reason);
}

/// Whether the run wrote it down, or only its log has it.
void TstTrainFacts::aFullDiskIsSaidBeforeGoingOn()
{
    RunRow row = run();
    const QString reason =
        "Cannot write runs/run-012/model.ckpt-600.index: No space left on device.";
    row.reason = reason;
    for (const auto state : {cannery::ui::RunState::Failed, cannery::ui::RunState::Interrupted}) {
        const HealthNote note = healthNote(row, state, {});
        QCOMPARE(note.id, "state.disk_full");
        QVERIFY(note.lead.contains("disk"));
        QVERIFY(note.sentence.startsWith(reason) && note.sentence.contains("400"));
        QCOMPARE(note.cure, HealthCure::OpenFolder);
        QCOMPARE(note.next, HealthCure::Resume);
    }
    row.reason.clear();
    const QList<LogEntry> log{{.level = LogLevel::Error, .sentence = reason},
                              {.level = LogLevel::Info, .sentence = "Stopping"}};
    QCOMPARE(healthNote(row, cannery::ui::RunState::Interrupted, log).id, "state.disk_full");
    QCOMPARE(healthNote(row, cannery::ui::RunState::Interrupted, {}).id, "state.interrupted");
}

void TstTrainFacts::aNanIsNotContinuedAtTheSameRate()
{
    RunRow row = run();
    row.reason = "The loss became NaN at step 412. Lower the learning rate, clip the gradients.";
    const QString rate = "estimator.dnn_classifier.optimizer.adagrad.learning_rate";
    row.parameters = {{"train_spec.max_steps", "1000"}, {rate, "0.5"}};
    HealthNote note = healthNote(row, cannery::ui::RunState::Failed, {});
    QCOMPARE(note.id, "state.nan");
    QCOMPARE(note.cure, HealthCure::SetFields);
    QCOMPARE(note.settings, (QList<std::pair<QString, QString>>{{rate, "0.05"}}));
    QCOMPARE(note.cureText, cannery::tests::shownNumbers("Set Learning Rate to 0.05"));
    QCOMPARE(note.next, HealthCure::None);
    row.parameters.clear();
    note = healthNote(row, cannery::ui::RunState::Failed, {});
    QVERIFY(note.cure != HealthCure::Resume && note.cure != HealthCure::Retry);
}

void TstTrainFacts::aGpuTellsItsMemoryAndLoad()
{
    EngineStatus engine = status();
    QCOMPARE(trainFacts(run(), engine, now()).facts.size(), 1);
    engine.deviceMemoryBytes = 8'000'000'000;
    engine.deviceMemoryTotal = 80'000'000'000;
    engine.deviceLoad = 0.87;
    const TrainFacts facts = trainFacts(run(), engine, now());
    QCOMPARE(facts.facts.size(), 3);
    QVERIFY(facts.facts[1].unit.endsWith("on the GPU"));
    QCOMPARE(facts.facts[1].number, formatBytes(8'000'000'000));
    QCOMPARE(facts.facts[2].unit, "GPU busy");
    QVERIFY(facts.facts[2].number.startsWith("87"));
}

void TstTrainFacts::theNewestHealthNoteIsShownWithItsCure()
{
    const QList<LogEntry> log{
        {.level = LogLevel::Warning, .id = "health.input_bound", .sentence = "Input waits."},
        {.level = LogLevel::Warning,
         .id = "health.no_improvement",
         .sentence = "AUC has not improved for 16 evaluations."},
        {.level = LogLevel::Info, .sentence = "Checkpoint written."}};
    const HealthNote note = healthNote(run(), cannery::ui::RunState::Running, log);
    QCOMPARE(note.id, "health.no_improvement");
    QCOMPARE(note.lead, "AUC has not improved for 16 evaluations.");
    QCOMPARE(note.sentence, "The best checkpoint (400) is safe.");
    QCOMPARE(note.cure, HealthCure::StopAndKeep);
    QVERIFY(healthNote(run(), cannery::ui::RunState::Running, {}).isEmpty());
}

void TstTrainFacts::aNoteIsReplacedOrTakenBack()
{
    const LogEntry rising{.level = LogLevel::Warning,
                          .id = "health.rising_eval_loss",
                          .sentence = "Risen in 3 evaluations."};
    LogEntry more = rising;
    more.sentence = "Risen in 12 evaluations.";
    const LogEntry input{
        .level = LogLevel::Warning, .id = "health.input_bound", .sentence = "Input waits."};
    QCOMPARE(standingNotes({rising, input, more}), (QList<LogEntry>{input, more}));
    LogEntry over = rising;
    over.level = LogLevel::Info;
    over.sentence = "The evaluation loss falls again.";
    QCOMPARE(standingNotes({rising, input, more, over}), QList<LogEntry>{input});
    QCOMPARE(healthNote(run(), cannery::ui::RunState::Running, {rising, over}).id, QString());
    // Another engine has continued the run.
    QVERIFY(standingNotes({rising, {.sentence = "Running"}}).isEmpty());
}

void TstTrainFacts::onlyABestCheckpointOnTheDiskIsSafe()
{
    RunRow lost = run();
    lost.checkpoints.removeIf(
        [&](const CheckpointRow& checkpoint) { return checkpoint.step == lost.bestStep; });
    const LogEntry note{.level = LogLevel::Warning,
                        .id = "health.no_improvement",
                        .sentence = "AUC has not improved."};
    QCOMPARE(healthNote(run(), cannery::ui::RunState::Running, {note}).cureText,
             "Stop and Keep Best");
    const HealthNote said = healthNote(lost, cannery::ui::RunState::Running, {note});
    QCOMPARE(said.sentence, QString());
    QCOMPARE(said.cureText, "Stop and Keep");
}

CANNERY_TEST(TstTrainFacts)

#include "tst_train_facts.moc"
