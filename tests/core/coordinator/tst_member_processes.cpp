// SPDX-License-Identifier: Apache-2.0
#include "tests/core/coordinator/test_cluster.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <csignal>

using namespace cannery;
using namespace cannery::coordinator;
using namespace cannery::tests;

/// Processes that die, stop and come back.
class TstMemberProcesses : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aDeadProcessIsNoticedByItsConnection();
    void aStoppedProcessIsNoticedBySilenceAndJoinsAgain();
    void aStoppedProcessThatWasReplacedIsTold();

private:
    void start(QProcess& process, const TestCluster& cluster, int incarnation)
    {
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(MEMBER_PROCESS,
                      {QString::fromStdString(cluster.address), QString::number(incarnation)});
    }
    /// Waits for the next line.
    QString lineOf(QProcess& process)
    {
        while (!process.canReadLine() && process.waitForReadyRead(kPatience)) {
        }
        return QString::fromUtf8(process.readLine()).trimmed();
    }
};

void TstMemberProcesses::aDeadProcessIsNoticedByItsConnection()
{
    TestCluster cluster(2); // with a limit of silence of a minute
    VERIFY_OK(cluster.start());
    const auto chief = cluster.connect(0);
    VERIFY_OK(chief);
    QProcess process;
    start(process, cluster, 1);
    VERIFY_OK((*chief)->join());
    QCOMPARE(lineOf(process), "generation 1");
    QElapsedTimer timer;
    timer.start();
    process.kill();
    QTRY_VERIFY_WITH_TIMEOUT((*chief)->isBroken(1), kPatience);
    QVERIFY2(timer.elapsed() < cluster.beats.deadAfter.count() / 2, "it was noticed by silence");
    process.waitForFinished(kPatience);

    start(process, cluster, 2);
    const Result<Generation> next = (*chief)->join();
    VERIFY_OK(next);
    QCOMPARE(next->number, 2);
    QCOMPARE(lineOf(process), "generation 2");
    VERIFY_OK((*chief)->leave(Outcome::Done));
    QCOMPARE(lineOf(process), "coordinator.job_ended");
    QVERIFY(process.waitForFinished(kPatience));
}

void TstMemberProcesses::aStoppedProcessIsNoticedBySilenceAndJoinsAgain()
{
    TestCluster cluster(2);
    cluster.beats = kImpatientBeats;
    VERIFY_OK(cluster.start());
    const auto chief = cluster.connect(0);
    VERIFY_OK(chief);
    QProcess process;
    start(process, cluster, 1);
    Result<Generation> generation = (*chief)->join();
    VERIFY_OK(generation);
    kill(static_cast<pid_t>(process.processId()), SIGSTOP);
    QTRY_VERIFY_WITH_TIMEOUT(cluster.notes.contains("coordinator.note_silent"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT((*chief)->isBroken(generation->number), kPatience);
    kill(static_cast<pid_t>(process.processId()), SIGCONT);
    const Result<Generation> next = (*chief)->join();
    VERIFY_OK(next);
    QVERIFY(next->number > generation->number);
    const QString last = QString("generation %1").arg(next->number);
    QString line = lineOf(process);
    while (line.startsWith("generation") && line != last) {
        line = lineOf(process);
    }
    QCOMPARE(line, last);
    process.kill();
    QVERIFY(process.waitForFinished(kPatience));
}

void TstMemberProcesses::aStoppedProcessThatWasReplacedIsTold()
{
    TestCluster cluster(2);
    cluster.beats = kImpatientBeats;
    VERIFY_OK(cluster.start());
    const auto chief = cluster.connect(0);
    VERIFY_OK(chief);
    QProcess process;
    start(process, cluster, 1);
    VERIFY_OK((*chief)->join());
    kill(static_cast<pid_t>(process.processId()), SIGSTOP);
    QTRY_VERIFY_WITH_TIMEOUT(cluster.notes.contains("coordinator.note_silent"), kPatience);
    const auto replacement = cluster.connect(1, 2);
    VERIFY_OK(replacement);
    kill(static_cast<pid_t>(process.processId()), SIGCONT);
    QString line = lineOf(process);
    while (line.startsWith("generation")) {
        line = lineOf(process);
    }
    QCOMPARE(line, "coordinator.replaced");
    QVERIFY(process.waitForFinished(kPatience));
    QVERIFY(cluster.coordinator->members()[1].isPresent);
}

CANNERY_TEST(TstMemberProcesses)
#include "tst_member_processes.moc"
