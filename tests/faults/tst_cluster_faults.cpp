// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/cluster_project.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <csignal>

using namespace cannery;
using namespace cannery::tests;

/// A process of a cluster is lost in the middle of a training: killed, silent, asked to end,
/// without room on the disk. The others wait for it, and the bits are those of one undisturbed
/// process.
class TstClusterFaults : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aKilledTaskCostsNoBits_data();
    void aKilledTaskCostsNoBits();
    void aSilentTaskCostsNoBits_data();
    void aSilentTaskCostsNoBits();
    void whoIsKilledAtTheEndCostsNoBits_data();
    void whoIsKilledAtTheEndCostsNoBits();
    void everyTerminalMayBeClosedAndOpenedAgain();
    void aTerminatedClusterGoesOnWithAnotherNumber();
    void tasksThatAreAskedToEndOneByOneSave();
    void aFullDiskIsWaitedFor();
    void whoIsAskedToEndWaitsForNoRoom();

private:
    static constexpr qint64 kSteps = 400;
    static constexpr qint64 kMiddle = 100;

    /// Variables of a process that finds no room at its hundredth write, once or from then on.
    QStringList fullDisk(const QString& how) const
    {
        return {"LD_PRELOAD=" CANNERY_FAULT_SHIM, "CANNERY_FAULT_ROOT=" + m_cluster.path({}),
                "CANNERY_FAULT_CALLS=write",      "CANNERY_FAULT_DO=" + how,
                "CANNERY_FAULT_AT=100",           QString("CANNERY_FAULT_ERRNO=%1").arg(ENOSPC)};
    }
    /// The task's process, once there is one other than this.
    static pid_t taskOf(const QProcess& launcher, const QString& task, pid_t other = 0)
    {
        pid_t process = 0;
        const bool found = QTest::qWaitFor(
            [&] {
                process = launchedTask(launcher.processId(), task);
                return process != 0 && process != other;
            },
            kPatience);
        return found ? process : 0;
    }

    ClusterProject m_cluster;
};

void TstClusterFaults::aKilledTaskCostsNoBits_data()
{
    QTest::addColumn<QString>("task");
    QTest::newRow("chief") << "chief:0";
    QTest::newRow("worker") << "worker:0";
    QTest::newRow("last worker") << "worker:2";
}

void TstClusterFaults::aKilledTaskCostsNoBits()
{
    QFETCH(const QString, task);
    const QString folder = "killed-" + task.section(':', 0, 0) + task.section(':', 1);
    const auto launcher = m_cluster.launch(4, folder, kSteps);
    QVERIFY(m_cluster.waitForStep(folder, kMiddle));
    const pid_t process = taskOf(*launcher, task);
    QVERIFY(process > 0);
    kill(process, SIGKILL);
    QVERIFY(taskOf(*launcher, task, process) > 0); // before the training has ended
    QCOMPARE(endOfLauncher(*launcher), 0);
    QCOMPARE(m_cluster.differenceFromAlone(folder, kSteps), QByteArray());
}

void TstClusterFaults::aSilentTaskCostsNoBits_data()
{
    QTest::addColumn<QString>("task");
    QTest::newRow("chief") << "chief:0";
    QTest::newRow("worker") << "worker:0";
}

void TstClusterFaults::aSilentTaskCostsNoBits()
{
    QFETCH(const QString, task);
    const QString folder = "silent-" + task.section(':', 0, 0);
    ClusterTasks tasks(m_cluster.path({}), 2,
                       QStringList{"train"} + ClusterProject::words(folder, kSteps));
    tasks.startAll();
    QVERIFY(m_cluster.waitForStep(folder, kMiddle));
    const bool isChief = task == "chief:0";
    const int rank = isChief ? 0 : 1;
    const int witness = isChief ? 1 : 0;
    const auto count = [&] { return tasks.told(witness).count(isChief ? "Waiting for" : "lost"); };
    tasks.signal(rank, SIGSTOP);
    QTRY_VERIFY_WITH_TIMEOUT(count() > 0, kPatience);
    QVERIFY2(isChief ||
                 tasks.told(0).contains("worker:0 at 127.0.0.1 is lost: it was silent for 2 s."),
             qPrintable(tasks.told(0)));
    tasks.signal(rank, SIGCONT);
    QCOMPARE(tasks.endAll(), QList<int>({0, 0}));
    QCOMPARE(m_cluster.differenceFromAlone(folder, kSteps), QByteArray());
}

void TstClusterFaults::whoIsKilledAtTheEndCostsNoBits_data()
{
    QTest::addColumn<QString>("task");
    QTest::newRow("chief") << "chief:0";
    QTest::newRow("worker") << "worker:0";
}

/// The last checkpoint is saved, or will be; workers have nothing more to compute.
void TstClusterFaults::whoIsKilledAtTheEndCostsNoBits()
{
    QFETCH(const QString, task);
    const QString folder = "late-" + task.section(':', 0, 0);
    const auto launcher = m_cluster.launch(2, folder, kSteps);
    QVERIFY(m_cluster.waitForStep(folder, kSteps - 20));
    const pid_t process = launchedTask(launcher->processId(), task);
    if (process > 0) {
        kill(process, SIGKILL);
    }
    QCOMPARE(endOfLauncher(*launcher), 0);
    QCOMPARE(m_cluster.differenceFromAlone(folder, kSteps), QByteArray());
}

void TstClusterFaults::everyTerminalMayBeClosedAndOpenedAgain()
{
    ClusterTasks tasks(m_cluster.path({}), 4,
                       QStringList{"train"} + ClusterProject::words("by-hand", kSteps));
    tasks.startAll();
    for (int rank = 3; rank >= 0; --rank) {
        QVERIFY2(m_cluster.waitForStep("by-hand", 60 * (4 - rank)), qPrintable(tasks.told(0)));
        tasks.kill(rank);
        tasks.start(rank);
    }
    QCOMPARE(tasks.endAll(), QList<int>({0, 0, 0, 0}));
    QCOMPARE(m_cluster.differenceFromAlone("by-hand", kSteps), QByteArray());
}

void TstClusterFaults::aTerminatedClusterGoesOnWithAnotherNumber()
{
    const auto launcher = m_cluster.launch(4, "resized", 100'000'000);
    QVERIFY(m_cluster.waitForStep("resized", kMiddle));
    kill(static_cast<pid_t>(launcher->processId()), SIGTERM);
    QCOMPARE(endOfLauncher(*launcher), 128 + SIGTERM);
    const qint64 step = newestStep(m_cluster.path("resized"));
    QVERIFY(step >= kMiddle);
    QCOMPARE(m_cluster.differenceFromAlone("resized", step, false), QByteArray());

    const auto second = m_cluster.launch(2, "resized", step + 100);
    QCOMPARE(endOfLauncher(*second), 0);
    QCOMPARE(m_cluster.differenceFromAlone("resized", step + 100), QByteArray());
}

void TstClusterFaults::tasksThatAreAskedToEndOneByOneSave()
{
    ClusterTasks tasks(m_cluster.path({}), 2,
                       QStringList{"train"} + ClusterProject::words("one-by-one", 100'000'000));
    tasks.startAll();
    QVERIFY(m_cluster.waitForStep("one-by-one", kMiddle));
    tasks.signal(1, SIGTERM);
    QCOMPARE(tasks.end(1), 128 + SIGTERM);
    tasks.signal(0, SIGTERM); // which waits for the other
    QCOMPARE(tasks.end(0), 128 + SIGTERM);
    const qint64 step = newestStep(m_cluster.path("one-by-one"));
    QVERIFY(step >= kMiddle);
    QCOMPARE(m_cluster.differenceFromAlone("one-by-one", step, false), QByteArray());
}

void TstClusterFaults::aFullDiskIsWaitedFor()
{
    ClusterTasks tasks(m_cluster.path({}), 2,
                       QStringList{"train"} + ClusterProject::words("crowded", kSteps));
    tasks.start(0, {}, fullDisk("fail")); // once: then there is room again
    tasks.start(1);
    QCOMPARE(tasks.endAll(), QList<int>({0, 0}));
    QVERIFY2(tasks.told(0).contains("No space left on device") &&
                 tasks.told(0).contains("The training waits"),
             qPrintable(tasks.told(0)));
    QCOMPARE(m_cluster.differenceFromAlone("crowded", kSteps), QByteArray());
}

/// With room again, the same command continues.
void TstClusterFaults::whoIsAskedToEndWaitsForNoRoom()
{
    ClusterTasks tasks(m_cluster.path({}), 2,
                       QStringList{"train"} + ClusterProject::words("full", kSteps));
    tasks.start(0, {}, fullDisk("fail_on"));
    tasks.start(1);
    QTRY_VERIFY_WITH_TIMEOUT(tasks.told(0).contains("The training waits"), kPatience);
    tasks.signal(0, SIGTERM);
    QCOMPARE(tasks.endAll(), QList<int>({1, 1}));
    QVERIFY2(tasks.told(1).contains("The job has failed: ") &&
                 tasks.told(1).contains("No space left on device"),
             qPrintable(tasks.told(1)));
    const qint64 step = newestStep(m_cluster.path("full"));
    QVERIFY(step >= 20 && step < kSteps);
    tasks.startAll();
    QCOMPARE(tasks.endAll(), QList<int>({0, 0}));
    QCOMPARE(m_cluster.differenceFromAlone("full", kSteps), QByteArray());
}

CANNERY_TEST(TstClusterFaults)
#include "tst_cluster_faults.moc"
