// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/cluster_project.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>
#include <random>
#include <thread>

using namespace cannery;
using namespace cannery::tests;

/// processes of clusters, of training and of evaluating ones, are killed, asked to end and
/// stopped for a while at random moments. `CANNERY_FAULT_SEED` and `CANNERY_CLUSTER_FAULTS` make a
/// long run of it; see cluster_chaos.sh.
class TstClusterChaos : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyTrainingEndsInTheSameBits();

private:
    static int fromEnvironment(const char* name, int otherwise)
    {
        return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : otherwise;
    }
    int below(int limit) { return static_cast<int>(m_random() % static_cast<unsigned>(limit)); }
    static void sleepMs(int milliseconds)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }
    /// Of any task, the evaluator's included. What it did; empty if the task had no process.
    QByteArray disturb(const QProcess& launcher);
    std::unique_ptr<QProcess> launch(const ClusterProject& cluster, const QString& folder) const
    {
        return cluster.launch(kWorkers, folder, kSteps,
                              {"--evaluator", "--max-restarts", "1000", "--set",
                               "eval_spec.start_delay_secs=0", "--set",
                               "eval_spec.throttle_secs=0"});
    }

    static constexpr int kWorkers = 4;
    static constexpr qint64 kSteps = 150;
    /// The silence after which a task is given up is two seconds.
    static constexpr int kLongestStop = 3000;
    std::mt19937 m_random{static_cast<unsigned>(fromEnvironment("CANNERY_FAULT_SEED", 7))};
};

QByteArray TstClusterChaos::disturb(const QProcess& launcher)
{
    const int rank = below(kWorkers + 1);
    const QString task = rank == 0          ? QString("chief:0")
                         : rank == kWorkers ? QString("evaluator:0")
                                            : QString("worker:%1").arg(rank - 1);
    const int kind = below(4);
    const int stopFor = below(kLongestStop);
    const pid_t process = launchedTask(launcher.processId(), task);
    if (process <= 0) {
        return {};
    }
    const QByteArray name = task.toUtf8();
    if (kind == 0) {
        kill(process, SIGSTOP);
        sleepMs(stopFor);
        kill(process, SIGCONT);
        return name + " stopped for " + QByteArray::number(stopFor) + " ms";
    }
    const int number = kind == 1 ? SIGTERM : SIGKILL;
    kill(process, number);
    return name + (number == SIGTERM ? " asked to end" : " killed");
}

void TstClusterChaos::everyTrainingEndsInTheSameBits()
{
    const int faults = fromEnvironment("CANNERY_CLUSTER_FAULTS", 5);
    ClusterProject cluster;
    QElapsedTimer timer;
    timer.start();
    const auto calm = launch(cluster, "calm");
    QCOMPARE(endOfLauncher(*calm), 0);
    const int whole = static_cast<int>(timer.elapsed());
    QCOMPARE(cluster.differenceFromAlone("calm", kSteps), QByteArray());
    int injected = 0;
    int trainings = 0;
    while (injected < faults) {
        const QString folder = QString("training-%1").arg(++trainings);
        const auto launcher = launch(cluster, folder);
        QByteArrayList done;
        const int most = 1 + below(4);
        for (int i = 0; i < most && injected < faults; ++i) {
            sleepMs(below(whole));
            const QByteArray what = disturb(*launcher);
            if (!what.isEmpty()) {
                done.append(what);
                ++injected;
            }
        }
        const int code = endOfLauncher(*launcher);
        const QByteArray difference = cluster.differenceFromAlone(folder, kSteps);
        QVERIFY2(code == 0 && difference.isEmpty(), folder.toUtf8() + ", exit code " +
                                                        QByteArray::number(code) + ", " +
                                                        difference + ", after: " + done.join("; "));
    }
    qInfo(
        "%d faults in %d trainings of %d workers and an evaluator, all to the same bits, in %.0f s",
        injected, trainings, kWorkers, static_cast<double>(timer.elapsed()) / 1e3);
}

CANNERY_TEST(TstClusterChaos)
#include "tst_cluster_chaos.moc"
