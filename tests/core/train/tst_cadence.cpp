// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_retention.h"
#include "core/train/exporters/exporter_catalog.h"
#include "core/train/hooks/hook_catalog.h"
#include "core/train/hooks/stop_predicates.h"
#include "core/train/loop/progress_meter.h"
#include "core/train/loop/second_or_step_timer.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <limits>
#include <map>

using namespace cannery;
using namespace cannery::train;

namespace {

class FakeClock : public Clock
{
public:
    double wallTime() const override { return now; }
    double steadyTime() const override { return now; }
    double now = 1000;
};

EvalHistory losses(std::initializer_list<std::pair<std::int64_t, double>> values)
{
    EvalHistory history;
    for (const auto& [step, value] : values) {
        history[step]["loss"] = value;
    }
    return history;
}

} // namespace

/// When things are due, what is kept and when to stop: no files, a simulated clock.
class TstCadence : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void timerIsDueFirstThenByStepsNeverTwice();
    void timerTellsItsNextStep();
    void timerBySecondsFollowsTheClock();
    void whatThinsOutComesHalfAsOftenAtEveryDoubling();
    void keepsTheNewestCheckpoints();
    void keepsOneEveryNHoursForEver();
    void whatIsSavedAtTheHourIsNotYetKeptForEver();
    void keepMaxZeroKeepsEverything();
    void thresholdCountsFromMinSteps();
    void noDecreaseNeedsAStrictlyBetterValue();
    void unknownMetricIsAnError();
    void meterLeavesPausesOut();
    void meterCountsWorkIntoTheTimeLeft();
    void meterSaysNothingWithoutEvidence();
    void everyHookAndExporterOfTheSchemaHasARow();
    void twoCadencesAreRefused();
    void twoExportersOfOneNameAreRefused();
};

void TstCadence::timerIsDueFirstThenByStepsNeverTwice()
{
    const FakeClock clock;
    SecondOrStepTimer timer(Cadence::everySteps(4), clock);
    QVERIFY(timer.isDue(7));
    QVERIFY(!timer.mark(7).has_value());
    QVERIFY(!timer.isDue(7));
    QVERIFY(!timer.isDue(10));
    QVERIFY(timer.isDue(11));
    QCOMPARE(timer.mark(12)->steps, 5);
    QVERIFY(!SecondOrStepTimer({}, clock).isDue(0));
}

void TstCadence::timerTellsItsNextStep()
{
    const FakeClock clock;
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    QCOMPARE(SecondOrStepTimer({}, clock).stepsUntilDue(0), kLargest);
    for (const Cadence& cadence : {Cadence::everySteps(4), Cadence::thinningSteps(1)}) {
        SecondOrStepTimer timer(cadence, clock);
        QCOMPARE(timer.stepsUntilDue(9999), 1);
        timer.mark(10000);
        const std::int64_t left = timer.stepsUntilDue(10000);
        QVERIFY(left > 1);
        for (std::int64_t step = 10000; step < 10000 + left; ++step) {
            QVERIFY(!timer.isDue(step));
            QCOMPARE(timer.stepsUntilDue(step), 10000 + left - step);
        }
        QVERIFY(timer.isDue(10000 + left));
        QCOMPARE(timer.stepsUntilDue(10000 + left + 7), 1);
    }
    SecondOrStepTimer bySeconds(Cadence::everySeconds(1), clock);
    QCOMPARE(bySeconds.stepsUntilDue(5), 1);
    bySeconds.mark(5);
    QCOMPARE(bySeconds.stepsUntilDue(5), kLargest);
}

void TstCadence::whatThinsOutComesHalfAsOftenAtEveryDoubling()
{
    const FakeClock clock;
    SecondOrStepTimer timer(Cadence::thinningSteps(100), clock);
    std::map<std::int64_t, int> distances; // occurrences of each
    int times = 0;
    for (std::int64_t step = 0; step <= 14'000'000; step += 50) {
        if (timer.isDue(step)) {
            const auto elapsed = timer.mark(step);
            ++times;
            ++distances[elapsed ? elapsed->steps : 0];
        }
    }
    QCOMPARE(times, 1 + 5000 + 2500 + 2500 + 2500 + 2500 + 1875);
    QCOMPARE(distances, (std::map<std::int64_t, int>{{0, 1},
                                                     {100, 5000},
                                                     {200, 2500},
                                                     {400, 2500},
                                                     {800, 2500},
                                                     {1600, 2500},
                                                     {3200, 1875}}));
    // One that begins in the middle, as after a resume, is equally rare.
    SecondOrStepTimer resumed(Cadence::thinningSteps(100), clock);
    resumed.mark(3'000'000);
    QVERIFY(!resumed.isDue(3'000'799));
    QVERIFY(resumed.isDue(3'000'800));
    // Checkpoints and evaluations are not thinned out.
    SecondOrStepTimer plain(Cadence::everySteps(100), clock);
    plain.mark(3'000'000);
    QVERIFY(plain.isDue(3'000'100));
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    QVERIFY(thinnedSteps(1, most) > 0);
    QCOMPARE(thinnedSteps(most, most), most);
}

void TstCadence::timerBySecondsFollowsTheClock()
{
    FakeClock clock;
    SecondOrStepTimer timer(Cadence::everySeconds(10), clock);
    timer.mark(1);
    clock.now += 9.9;
    QVERIFY(!timer.isDue(2));
    clock.now += 0.1;
    QVERIFY(timer.isDue(2));
    QVERIFY(!timer.isDue(1));
    SecondOrStepTimer always(Cadence::everySeconds(0), clock);
    always.mark(1);
    QVERIFY(always.isDue(2));
}

void TstCadence::keepsTheNewestCheckpoints()
{
    CheckpointRetention retention({.keepMax = 2}, {{.step = 1, .savedAt = 0}}, 0);
    QVERIFY(!retention.add({.step = 2, .savedAt = 1}));
    const auto tooMany = retention.add({.step = 3, .savedAt = 2});
    QVERIFY(tooMany.has_value());
    QCOMPARE(tooMany->step, 1);
    // Saved again on resume: the same step, no deletion.
    QVERIFY(!retention.add({.step = 3, .savedAt = 3}));
    QCOMPARE(retention.recent().size(), std::size_t{2});
}

void TstCadence::keepsOneEveryNHoursForEver()
{
    CheckpointRetention retention({.keepMax = 1, .keepEveryNHours = 1}, {}, 0);
    retention.add({.step = 1, .savedAt = 3500});
    const auto tooMany = retention.add({.step = 2, .savedAt = 3601});
    QVERIFY(tooMany.has_value());
    QCOMPARE(tooMany->step, 1);
    QVERIFY(!retention.add({.step = 3, .savedAt = 3700}));
    QCOMPARE(retention.preserved().front().step, 2);
    const auto next = retention.add({.step = 4, .savedAt = 9000});
    QVERIFY(next.has_value());
    QCOMPARE(next->step, 3);
    QVERIFY(!retention.add({.step = 5, .savedAt = 9001}));
}

/// TensorFlow's Saver: later than the next time, not at it.
void TstCadence::whatIsSavedAtTheHourIsNotYetKeptForEver()
{
    CheckpointRetention retention({.keepMax = 1, .keepEveryNHours = 1}, {}, 0);
    retention.add({.step = 1, .savedAt = 3600});
    const auto tooMany = retention.add({.step = 2, .savedAt = 3700});
    QVERIFY(tooMany.has_value());
    QCOMPARE(tooMany->step, 1);
    QVERIFY(retention.preserved().empty());
}

void TstCadence::keepMaxZeroKeepsEverything()
{
    CheckpointRetention retention({.keepMax = 0}, {}, 0);
    for (std::int64_t step = 0; step < 20; ++step) {
        QVERIFY(!retention.add({.step = step, .savedAt = 0}));
    }
    QCOMPARE(retention.recent().size(), std::size_t{20});
}

void TstCadence::thresholdCountsFromMinSteps()
{
    const StopPredicate lower = stopIfBeyond(Better::Lower, "loss", 0.5, 10);
    QCOMPARE(*lower(losses({{5, 0.1}, {10, 0.5}})), std::string());
    QVERIFY(!lower(losses({{5, 0.1}, {10, 0.4}}))->empty());
    const StopPredicate higher = stopIfBeyond(Better::Higher, "loss", 0.5, 0);
    QVERIFY(!higher(losses({{5, 0.6}}))->empty());
    QCOMPARE(*higher({}), std::string());
}

void TstCadence::noDecreaseNeedsAStrictlyBetterValue()
{
    const StopPredicate predicate = stopIfNoBetter(Better::Lower, "loss", 20, 0);
    QCOMPARE(*predicate(losses({{0, 1.0}, {10, 0.9}, {20, 0.9}, {29, 0.95}})), std::string());
    QVERIFY(!predicate(losses({{0, 1.0}, {10, 0.9}, {20, 0.9}, {30, 0.95}}))->empty());
    const StopPredicate increase = stopIfNoBetter(Better::Higher, "loss", 20, 0);
    QVERIFY(!increase(losses({{0, 1.0}, {20, 0.9}}))->empty());
}

void TstCadence::unknownMetricIsAnError()
{
    VERIFY_ERROR(stopIfBeyond(Better::Lower, "acuracy", 1, 0)(losses({{1, 1}})),
                 "train.unknown_metric");
}

void TstCadence::meterLeavesPausesOut()
{
    FakeClock clock;
    ProgressMeter meter(clock, 10, 110);
    std::optional<Progress> progress;
    for (std::int64_t step = 11; step <= 20; ++step) {
        clock.now += 0.125;
        progress = meter.stepDone(step, {.rows = 32}, 0.5);
        if (step == 15) {
            meter.pause();
            clock.now += 100;
            meter.resume();
        }
    }
    QVERIFY(progress.has_value());
    QVERIFY(std::abs(progress->stepsPerSecond - 8) < 1e-6);
    QVERIFY(std::abs(progress->rowsPerSecond - 256) < 1e-4);
    QCOMPARE(progress->globalStep, 20);
}

void TstCadence::meterCountsWorkIntoTheTimeLeft()
{
    FakeClock clock;
    ProgressMeter meter(clock, 0, 1000);
    meter.pause();
    clock.now += 50; // before the first step: does not affect later ones
    meter.resume();
    std::optional<Progress> progress;
    for (std::int64_t step = 1; step <= 100; ++step) {
        clock.now += 0.1;
        progress =
            meter.stepDone(step, {.rows = 32, .inputSeconds = 0.025, .deviceSeconds = 0.05}, 0.5);
        if (step % 10 == 0) {
            meter.pause();
            clock.now += 0.5;
            meter.pause();
            clock.now += 0.5;
            meter.resume();
            meter.resume();
        }
        if (step == 50) {
            meter.pause(true);
            clock.now += 1e6;
            meter.resume();
        }
    }
    QVERIFY(progress->secondsLeft.has_value());
    QVERIFY(std::abs(*meter.report().secondsLeft - 900 * (0.1 + 0.1)) < 1e-3);
    QVERIFY(std::abs(progress->inputWait - 0.25) < 1e-6);
    QVERIFY(std::abs(progress->deviceBusy - 0.5) < 1e-6);
}

void TstCadence::meterSaysNothingWithoutEvidence()
{
    FakeClock clock;
    const auto firstWord = [&](std::int64_t maxSteps) {
        ProgressMeter meter(clock, 0, maxSteps);
        std::int64_t step = 0;
        do {
            clock.now += 0.125;
        } while (!meter.stepDone(++step, {.rows = 1}, 0).value_or(Progress{}).secondsLeft);
        return step;
    };
    QCOMPARE(firstWord(100000), 80); // ten seconds
    QCOMPARE(firstWord(400), 20);    // a twentieth
    QCOMPARE(firstWord(40), 8);      // a second
}

void TstCadence::everyHookAndExporterOfTheSchemaHasARow()
{
    const auto* hooks = spec::Hook::descriptor()->oneof_decl(0);
    QCOMPARE(static_cast<int>(hookCatalog().size()), hooks->field_count());
    for (int i = 0; i < hooks->field_count(); ++i) {
        const HookRow& row = hookCatalog()[static_cast<std::size_t>(i)];
        QCOMPARE(std::string(row.name), hooks->field(i)->name());
        QCOMPARE(static_cast<int>(row.key), hooks->field(i)->number());
    }
    const auto* exporters = spec::Exporter::descriptor()->oneof_decl(0);
    QCOMPARE(static_cast<int>(exporterCatalog().size()), exporters->field_count());
    for (int i = 0; i < exporters->field_count(); ++i) {
        const ExporterRow& row = exporterCatalog()[static_cast<std::size_t>(i)];
        QCOMPARE(std::string(row.name), exporters->field(i)->name());
        QCOMPARE(static_cast<int>(row.key), exporters->field(i)->number());
    }
}

void TstCadence::twoCadencesAreRefused()
{
    spec::Hook hook;
    hook.mutable_stop_if_lower_hook()->set_metric_name("loss");
    hook.mutable_stop_if_lower_hook()->set_run_every_steps(10);
    std::byte stop{0};
    const HookContext context{.stopVariable = &stop};
    VERIFY_OK(makeHook(hook, context));
    hook.mutable_stop_if_lower_hook()->set_run_every_secs(30);
    VERIFY_ERROR(makeHook(hook, context), "train.two_cadences");
    VERIFY_ERROR(makeHook(spec::Hook(), context), "train.no_hook");
}

void TstCadence::twoExportersOfOneNameAreRefused()
{
    spec::EvalSpec evalSpec;
    evalSpec.add_exporter()->mutable_latest_exporter()->set_name("x");
    evalSpec.add_exporter()->mutable_final_exporter()->set_name("x");
    VERIFY_ERROR(makeExporters(evalSpec), "train.exporter_names");
}

CANNERY_TEST(TstCadence)
#include "tst_cadence.moc"
