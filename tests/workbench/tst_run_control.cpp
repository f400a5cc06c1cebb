// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"

#include <QFile>
#include <QProcess>

#include <csignal>

using namespace cannery::tests;
using namespace cannery::ui;

namespace {

QByteArray weightsAt(const QString& folder, qint64 step)
{
    QFile file(QString("%1/model.ckpt-%2.data-00000-of-00001").arg(folder).arg(step));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// Pausing, stopping and crashes, of engine and window, with the real engine training.
class TstRunControl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void D37_pauseResumeAndStopFollowTheStates();
    void D39_killedEngineLeavesTheWindowUsable();
    void D40_closedWindowAttachesAgain();
    void fiftyKillsOfTheEngineCostNoBits();
    void fiftyKillsOfTheWindowDisturbNoTraining();
};

void TstRunControl::D37_pauseResumeAndStopFollowTheStates()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    QVERIFY(bench.startEndlessTraining());
    bench.window().navigate("train");

    QVERIFY(bench.trigger("action.pause"));
    QVERIFY(bench.waitForState(RunState::Paused));
    const qint64 paused = bench.session().engines().status(bench.newestRun()->name)->globalStep;
    QVERIFY(bench.trigger("action.pause"));
    QVERIFY(bench.waitForState(RunState::Running));
    const QString run = bench.newestRun()->name;
    QVERIFY(bench.waitFor([&] {
        return bench.session().engines().status(run) &&
               bench.session().engines().status(run)->globalStep > paused;
    }));
    QVERIFY(bench.trigger("action.checkpoint_now"));
    QVERIFY(bench.trigger("action.stop_keep"));
    QVERIFY(bench.waitForState(RunState::Stopped));
    QVERIFY(bench.waitFor([&] {
        const RunRow* row = bench.session().runs().snapshot()->find(run);
        return !row->checkpoints.isEmpty() && row->globalStep >= paused &&
               !weightsAt(row->folder, row->globalStep).isEmpty();
    }));
}

void TstRunControl::D39_killedEngineLeavesTheWindowUsable()
{
    WorkbenchFixture bench;
    bench.open();
    bench.session().settings().setRestarts(0);
    QVERIFY(bench.openSample("penguins"));
    QVERIFY(bench.startEndlessTraining());
    const QString run = bench.newestRun()->name;
    ::kill(static_cast<pid_t>(bench.engineProcess(run)), SIGKILL);
    QVERIFY(bench.waitForState(RunState::Interrupted));
    QVERIFY(bench.waitFor([&] { return bench.action("action.resume_run")->isEnabled(); }));
    QVERIFY(bench.trigger("action.resume_run"));
    QVERIFY(bench.waitForState(RunState::Running));
    QCOMPARE(bench.newestRun()->name, run);
}

void TstRunControl::D40_closedWindowAttachesAgain()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    QVERIFY(bench.startEndlessTraining());
    const QString run = bench.newestRun()->name;
    const qint64 engine = bench.engineProcess(run);
    bench.close();
    QCOMPARE(::kill(static_cast<pid_t>(engine), 0), 0);
    bench.open(true);
    QVERIFY(bench.waitFor([&] { return bench.session().project().isOpen(); }));
    QVERIFY(bench.waitFor([&] { return bench.session().engines().status(run).has_value(); }));
    QCOMPARE(bench.engineProcess(run), engine);
    bench.window().navigate("train");
    QVERIFY(bench.waitFor([&] { return bench.trigger("action.stop_keep"); }));
    QVERIFY(bench.waitForState(RunState::Stopped));
}

void TstRunControl::fiftyKillsOfTheEngineCostNoBits()
{
    constexpr int kKills = 50;
    WorkbenchFixture bench;
    bench.open();
    bench.session().settings().setRestarts(0);
    QVERIFY(bench.openSample("penguins"));
    QVERIFY(bench.startEndlessTraining());
    const QString run = bench.newestRun()->name;
    const QString folder = bench.newestRun()->folder;
    qint64 saved = 0;
    for (int i = 0; i < kKills; ++i) {
        QVERIFY(bench.waitFor([&] { return bench.latestCheckpoint() > saved; }));
        saved = bench.latestCheckpoint();
        const qint64 engine = bench.engineProcess(run);
        QVERIFY(engine > 0);
        ::kill(static_cast<pid_t>(engine), SIGKILL);
        QVERIFY2(bench.waitForState(RunState::Interrupted), qPrintable(QString::number(i)));
        bench.session().starter().resume(run);
        QVERIFY2(bench.waitForState(RunState::Running), qPrintable(QString::number(i)));
    }
    bench.window().navigate("train");
    QVERIFY(bench.waitFor([&] { return bench.trigger("action.stop_keep"); }));
    QVERIFY(bench.waitForState(RunState::Stopped));
    const qint64 last = bench.newestRun()->globalStep;
    const QByteArray killed = weightsAt(folder, last);
    QVERIFY(!killed.isEmpty());

    QVERIFY(bench.setField("train_spec.max_steps", QString::number(last)));
    QVERIFY2(bench.waitFor([&] { return bench.trigger("action.train"); }),
             qPrintable(bench.window().actions().hindrance("action.train")));
    QVERIFY(bench.waitFor(
        [&] {
            return bench.newestRun()->name != run && bench.newestRun()->state == RunState::Finished;
        },
        180000));
    QCOMPARE(weightsAt(bench.newestRun()->folder, last), killed);
}

void TstRunControl::fiftyKillsOfTheWindowDisturbNoTraining()
{
    constexpr int kKills = 50;
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    QVERIFY(bench.startEndlessTraining());
    const QString run = bench.newestRun()->name;
    const QString experiment = bench.session().document().file();
    const qint64 engine = bench.engineProcess(run);
    bench.close();
    for (int i = 0; i < kKills; ++i) {
        QProcess window;
        window.start(CANNERY_WORKBENCH, {experiment});
        QVERIFY(window.waitForStarted(kPatience));
        // At a different moment each time: before, while and after the project opens.
        window.waitForFinished(20 * (i % 20));
        QVERIFY(window.state() == QProcess::Running);
        window.kill();
        QVERIFY(window.waitForFinished(kPatience));
    }
    QCOMPARE(::kill(static_cast<pid_t>(engine), 0), 0);
    bench.open();
    QVERIFY(bench.session().project().open(experiment));
    QVERIFY(bench.waitForState(RunState::Running));
    QCOMPARE(bench.engineProcess(run), engine);
    bench.window().navigate("train");
    QVERIFY(bench.waitFor([&] { return bench.trigger("action.stop_keep"); }));
    QVERIFY(bench.waitForState(RunState::Stopped));
    QVERIFY(!weightsAt(bench.newestRun()->folder, bench.newestRun()->globalStep).isEmpty());
}

CANNERY_TEST(TstRunControl)
#include "tst_run_control.moc"
