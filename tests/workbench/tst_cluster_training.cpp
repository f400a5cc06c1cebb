// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/document/experiment_document.h"
#include "ui/services/engine_service.h"

#include <QTableView>

using namespace cannery::tests;
using namespace cannery::ui;

/// A cluster on this machine, from the tile to the last checkpoint.
class TstClusterTraining : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void twoTasksArePickedTrainedPausedAndStopped();
};

void TstClusterTraining::twoTasksArePickedTrainedPausedAndStopped()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    bench.window().navigate("model");
    QVERIFY(bench.waitFor([&] { return bench.click("tile.one_device"); })); // shows the others
    QVERIFY(bench.waitFor([&] { return bench.find("tile.multi_worker_mirrored") != nullptr; }));
    QVERIFY(bench.find("table.cluster") == nullptr);
    QVERIFY(bench.click("tile.multi_worker_mirrored"));
    QVERIFY(bench.waitFor([&] { return bench.find<QTableView>("table.cluster") != nullptr; }));
    QCOMPARE(bench.find<QTableView>("table.cluster")->model()->rowCount(), 2);

    QVERIFY(bench.startEndlessTraining());
    QVERIFY(
        bench.session().starter().commands().train().display().startsWith("cannery launch -n 2 "));
    const QString run = bench.newestRun()->name;
    bench.window().navigate("train");
    const auto cell = [&](int row, int column) {
        const auto* table = bench.find<QTableView>("table.workers");
        return table == nullptr ? QString() : table->model()->index(row, column).data().toString();
    };
    QVERIFY(bench.waitFor([&] { return cell(1, 0) == "worker:0" && cell(1, 1) == "training"; }));
    const QString step = cell(1, 2);
    QVERIFY(bench.waitFor([&] { return cell(1, 2) != step; }));

    QVERIFY(bench.trigger("action.pause"));
    QVERIFY(bench.waitForState(RunState::Paused));
    QVERIFY(bench.trigger("action.pause"));
    QVERIFY(bench.waitForState(RunState::Running));
    QVERIFY(bench.waitFor([&] { return bench.trigger("action.stop_keep"); }));
    QVERIFY(bench.waitForState(RunState::Stopped));
    QVERIFY(bench.waitFor([&] { return bench.find("table.workers") == nullptr; }));
    QVERIFY(!bench.newestRun()->checkpoints.isEmpty());
    QCOMPARE(bench.newestRun()->name, run);
}

CANNERY_TEST(TstClusterTraining)
#include "tst_cluster_training.moc"
