// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_project.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::tests;

/// A sweep and its trainings that are killed, or whose disk is full, from any of their calls on:
/// the same command again trains what is missing, and reports what an undisturbed one does.
class TstSweepFaults : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theSameCommandGoesOn_data();
    void theSameCommandGoesOn();
};

void TstSweepFaults::theSameCommandGoesOn_data()
{
    QTest::addColumn<QByteArray>("what");
    QTest::newRow("killed") << QByteArray("kill");
    QTest::newRow("killed in a write") << QByteArray("tear");
    QTest::newRow("full disk") << QByteArray("fail_on");
}

void TstSweepFaults::theSameCommandGoesOn()
{
    QFETCH(QByteArray, what);
    constexpr int kFaults = 20; // the first half in the sweep's own calls, which are fewer
    const QStringList words{"sweep",
                            "faults.cannery",
                            "--json",
                            "--set",
                            "data.eval=",
                            "--set",
                            "run_config.threads=1",
                            "--set",
                            "sweep={ k_fold { folds: 2 } parallel_runs: 1 }"};
    const FaultProject project;
    project.spoils(); // a training that failed has said so, and is trained again
    const QByteArray kinds = what == "tear" ? "write" : kChanges;
    const QStringList calls = project.calls(words, kinds);
    project.clear();
    const Ended undisturbed = project.cannery(words);
    QVERIFY2(undisturbed.exitCode == 0, undisturbed.describe().constData());
    const Ended folds = project.cannery({"runs", "show", "sweep-001-002", "--json"});
    QVERIFY(folds.out.contains("\"cross_validation\": {"));
    int stopped = 0;
    for (int fault = 0; fault < kFaults; ++fault) {
        const int call = fault < kFaults / 2 ? 1 + 2 * fault
                                             : static_cast<int>(1 + fault * calls.size() / kFaults);
        project.clear();
        const Ended ended = project.cannery(
            words, {.at = call, .what = what, .calls = kinds, .systemError = ENOSPC});
        stopped += ended.exitCode == 0 ? 0 : 1;
        const Ended again = project.cannery(words);
        QVERIFY2(again.exitCode == 0, atCall(calls, call, again.describe()).constData());
        QVERIFY2(again.out == undisturbed.out, atCall(calls, call, again.describe()).constData());
        const QByteArray problem =
            checkpointProblem(project.folder() + "/runs/sweep-001-001", FaultProject::kSteps) +
            checkpointProblem(project.folder() + "/runs/sweep-001-002", FaultProject::kSteps);
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
    }
    QVERIFY(stopped > 0);
    qInfo("%d passed: a sweep %s, gone on with; %d had stopped", kFaults, QTest::currentDataTag(),
          stopped);
}

CANNERY_TEST(TstSweepFaults)
#include "tst_sweep_faults.moc"
