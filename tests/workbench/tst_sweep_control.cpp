// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/document/experiment_document.h"
#include "ui/frame/main_window.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/dialog.h"

#include <QAbstractButton>
#include <QAction>
#include <QRegularExpression>

#include <algorithm>

using namespace cannery::tests;
using namespace cannery::ui;

/// A sweep that is started in the window, with the real program.
class TstSweepControl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aSweepGoesOnWithoutTheWindow();
    void aWindowWithASweepAsksBeforeItCloses();

private:
    static bool startSweep(WorkbenchFixture& bench);
    static QAbstractButton* cancelButton(const WorkbenchFixture& bench);
    static bool isSweeping(const WorkbenchFixture& bench)
    {
        return bench.action("action.sweep")->toolTip().contains("sweep is running");
    }
};

/// More steps than a test waits for.
bool TstSweepControl::startSweep(WorkbenchFixture& bench)
{
    const QString sweep = "{ parameter { field: \"train_spec.input.batch_size\" choice { value: "
                          "[\"8\", \"64\"] } } parallel_runs: 1 grid {} }";
    return bench.openSample("penguins") && bench.setField("train_spec.max_steps", "500000000") &&
           bench.setField("run_config.save_checkpoints_steps", "2000") &&
           bench.session().document().setValue("sweep", sweep) &&
           bench.waitFor([&] { return bench.trigger("action.sweep"); }) &&
           bench.waitForState(RunState::Running);
}

QAbstractButton* TstSweepControl::cancelButton(const WorkbenchFixture& bench)
{
    const auto all = bench.window().findChildren<QAbstractButton*>(
        QRegularExpression("^button\\.cancel_job_-\\d+$"));
    return all.isEmpty() ? nullptr : all.first();
}

void TstSweepControl::aSweepGoesOnWithoutTheWindow()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(startSweep(bench));
    QVERIFY(isSweeping(bench));
    const QString run = bench.newestRun()->name;
    bench.close();
    bench.open(true);
    QVERIFY(bench.waitFor([&] { return bench.session().project().isOpen(); }));
    QVERIFY(bench.waitForState(RunState::Running));
    QCOMPARE(bench.newestRun()->name, run);
    QVERIFY(bench.waitFor([&] { return isSweeping(bench); }));
    QVERIFY(!bench.action("action.sweep")->isEnabled());
    QVERIFY(bench.waitFor([&] { return cancelButton(bench) != nullptr; }));
    cancelButton(bench)->click();
    QVERIFY(bench.waitForState(RunState::Stopped));
    QVERIFY(bench.waitFor([&] { return bench.action("action.sweep")->isEnabled(); }));
    QCOMPARE(bench.session().runs().snapshot()->runs.size(), 1); // the second did not begin
}

void TstSweepControl::aWindowWithASweepAsksBeforeItCloses()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(startSweep(bench));
    QVERIFY(!bench.window().close());
    auto* dialog = bench.window().findChild<Dialog*>("dialog.leaving");
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->windowTitle(), QString("A sweep is running"));
    dialog->findChild<QAbstractButton*>("button.leave_stop")->click();
    QVERIFY(bench.waitForState(RunState::Stopped));
    QVERIFY(bench.waitFor([&] { return !isSweeping(bench); }));
    QCOMPARE(bench.session().runs().snapshot()->runs.size(), 1);
}

CANNERY_TEST(TstSweepControl)
#include "tst_sweep_control.moc"
