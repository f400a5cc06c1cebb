// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_files.h"
#include "tests/faults/fault_project.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTest>

using namespace cannery;
using namespace cannery::tests;

/// The disk is full, or fails, at any call of a program: the program names the file and the reason,
/// loses nothing that was saved, and continues once the problem is solved. No failure is silent.
class TstFailingCalls : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void trainingSurvivesEveryFailedChange_data();
    void trainingSurvivesEveryFailedChange();
    void exportSurvivesEveryFailedChange();
    void storeSurvivesEveryFailedChange_data();
    void storeSurvivesEveryFailedChange();
    void failedReadIsReported_data();
    void failedReadIsReported();
    void shortReadsAndWritesChangeNothing();

private:
    /// Empty for a program that ended as it should: without a message, or with one that names one
    /// of its files and the reason.
    static QByteArray problemOf(const Ended& ended, const FaultProject& project, int systemError)
    {
        if (ended.signal != 0 || ended.timedOut || ended.exitCode > 5) {
            return ended.describe();
        }
        if (ended.exitCode == 0) {
            return {};
        }
        const QString said = ended.out + ended.err;
        const QStringList files{project.path(), "runs",   "table.csv",   "faults.cannery",
                                "cannery.db",   "served", "the folder ."};
        const bool namesFile = std::any_of(
            files.begin(), files.end(), [&](const QString& file) { return said.contains(file); });
        // SQLite hides the system's reason if it tries another way first.
        QStringList reasons{"cannery.db cannot be written", "cannery.db cannot be opened",
                            "cannery.db is damaged", "disk I/O error"};
        reasons += systemError == ENOSPC ? QStringList{"space", "disk is full"}
                                         : QStringList{"nput/output error"};
        const bool namesReason =
            std::any_of(reasons.begin(), reasons.end(),
                        [&](const QString& reason) { return said.contains(reason); });
        return namesFile && namesReason ? QByteArray()
                                        : "it does not say what failed: " + ended.describe();
    }
};

void TstFailingCalls::trainingSurvivesEveryFailedChange_data()
{
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<int>("systemError");
    QTest::newRow("full from here on") << QByteArray("fail_on") << ENOSPC;
    QTest::newRow("an I/O error, once") << QByteArray("fail") << EIO;
}

void TstFailingCalls::trainingSurvivesEveryFailedChange()
{
    QFETCH(QByteArray, what);
    QFETCH(int, systemError);
    const FaultProject project;
    project.spoils(); // a list that could not be written is reported, and stays old
    const QStringList calls = project.calls(FaultProject::trainWords());
    const RunResult undisturbed = RunResult::of(project.run(), FaultProject::kSteps);
    int failed = 0;
    for (int call = 1; call <= calls.size(); ++call) {
        project.clear();
        const Ended ended = project.cannery(FaultProject::trainWords(),
                                            {.at = call, .what = what, .systemError = systemError});
        QByteArray problem =
            problemOf(ended, project, systemError) + checkpointProblem(project.run());
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
        failed += ended.exitCode == 0 ? 0 : 1;
        const Ended again = project.cannery(project.continueWords());
        QVERIFY2(again.exitCode == 0, atCall(calls, call, again.describe()).constData());
        const Ended rescan = project.cannery({"runs", "rescan"});
        QVERIFY2(rescan.exitCode == 0, atCall(calls, call, rescan.describe()).constData());
        // A record that could not be written during a successful training is reported.
        const bool isTold = ended.exitCode == 0 && ended.err.contains("evaluations.jsonl");
        problem = RunResult::of(project.run(), FaultProject::kSteps).differenceFrom(undisturbed);
        problem = (isTold && problem.contains("evaluation") ? QByteArray() : problem) +
                  checkpointProblem(project.run(), FaultProject::kSteps) +
                  storeProblem(project.folder());
        QVERIFY2(problem.isEmpty(),
                 atCall(calls, call, problem + "\n" + ended.describe()).constData());
    }
    // A training does without the run store, whose calls are about half of all.
    QVERIFY2(
        failed > calls.size() / 5,
        qPrintable(QStringLiteral("%1 of %2 ended with a message").arg(failed).arg(calls.size())));
    qInfo("%d passed: a training with a disk that fails (%s); %d ended with a message",
          int(calls.size()), QTest::currentDataTag(), failed);
}

void TstFailingCalls::exportSurvivesEveryFailedChange()
{
    FaultProject project;
    project.spoils(); // a list that could not be written is reported, and stays old
    project.trainAndKeep();
    const QStringList words{"export", "runs/run-001", "--output", "served"};
    const QStringList calls = project.calls(words);
    int refused = 0;
    for (int call = 1; call <= calls.size(); ++call) {
        project.restore();
        const Ended ended =
            project.cannery(words, {.at = call, .what = "fail_on", .systemError = ENOSPC});
        refused += ended.exitCode == 0 ? 0 : 1;
        QByteArray problem = problemOf(ended, project, ENOSPC);
        const QStringList versions =
            QDir(project.path("served")).entryList({"[0-9]*"}, QDir::Dirs, QDir::Name);
        if (ended.exitCode == 0 && versions.size() != 1) {
            problem += "it failed in silence";
        }
        for (const QString& version : versions) {
            const Ended inspected = project.cannery({"inspect", "served/" + version});
            problem += inspected.exitCode == 0 ? QByteArray() : inspected.describe();
        }
        const Ended again = project.cannery(words);
        problem += again.exitCode == 0 ? QByteArray() : again.describe();
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
    }
    QVERIFY(refused > calls.size() / 2);
    qInfo("%d passed: an export with a full disk", int(calls.size()));
}

void TstFailingCalls::storeSurvivesEveryFailedChange_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("rename") << QStringList{"runs", "rename", "run-001", "new"};
    QTest::newRow("rescan") << QStringList{"runs", "rescan"};
    QTest::newRow("queue") << QStringList{"queue", "add", "faults.cannery"};
}

void TstFailingCalls::storeSurvivesEveryFailedChange()
{
    QFETCH(QStringList, words);
    FaultProject project;
    project.spoils(); // a list that could not be written is reported, and stays old
    project.trainAndKeep({{"runs", "note", "run-001", "kept"}});
    const QStringList calls = project.calls(words);
    int passed = 0;
    int refused = 0;
    for (const int systemError : {ENOSPC, EIO}) {
        for (const char* what : {"fail", "fail_on"}) {
            for (int call = 1; call <= calls.size(); ++call) {
                project.restore();
                const Ended ended =
                    project.cannery(words, {.at = call, .what = what, .systemError = systemError});
                refused += ended.exitCode == 0 ? 0 : 1;
                QByteArray problem =
                    problemOf(ended, project, systemError) + storeProblem(project.folder());
                const Ended shown = project.cannery({"runs", "show", "run-001"});
                if (!shown.out.contains("kept") && !shown.err.contains("kept")) {
                    problem += "an annotation is lost";
                }
                QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
                ++passed;
            }
        }
    }
    QVERIFY(refused > passed / 4);
    qInfo("%d passed: %s with a disk that fails", passed, QTest::currentDataTag());
}

void TstFailingCalls::failedReadIsReported_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("resume") << QStringList{"resume", "runs/run-001", "--quiet", "--threads",
                                           "1",      "--max-steps",  "4"};
    QTest::newRow("evaluate") << QStringList{"evaluate", "runs/run-001", "--json"};
    QTest::newRow("predict") << QStringList{"predict", "runs/run-001", "--input", "table.csv"};
    QTest::newRow("export") << QStringList{"export", "runs/run-001", "--output", "served"};
    QTest::newRow("check") << QStringList{"check", "faults.cannery"};
    QTest::newRow("runs show") << QStringList{"runs", "show", "run-001"};
}

void TstFailingCalls::failedReadIsReported()
{
    QFETCH(QStringList, words);
    FaultProject project;
    project.spoils(); // a list that could not be written is reported, and stays old
    project.trainAndKeep();
    const QStringList calls = project.calls(words, "read");
    QVERIFY(calls.size() > 2);
    project.restore();
    const Ended undisturbed = project.cannery(words);
    const bool printsResult = words[0] != "export" && words[0] != "resume";
    const RunResult trained = RunResult::of(project.run(), 4);
    int failed = 0;
    for (int call = 1; call <= calls.size(); ++call) {
        project.restore();
        const Ended ended = project.cannery(words, {.at = call, .what = "fail", .calls = "read"});
        QByteArray problem = problemOf(ended, project, EIO);
        if (ended.exitCode == 0 && printsResult && ended.out != undisturbed.out) {
            problem += "another result, in silence: " + ended.describe();
        }
        if (ended.exitCode == 0 && words[0] == "resume" &&
            !ended.err.contains("evaluations.jsonl")) { // reports that it lacks the record
            problem += RunResult::of(project.run(), 4).differenceFrom(trained);
        }
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
        failed += ended.exitCode == 0 ? 0 : 1;
    }
    QVERIFY(failed > 0);
    qInfo("%d passed: %s with a read that fails; %d ended with a message", int(calls.size()),
          QTest::currentDataTag(), failed);
}

void TstFailingCalls::shortReadsAndWritesChangeNothing()
{
    const FaultProject project;
    project.spoils(); // a list that could not be written is reported, and stays old
    QCOMPARE(project.cannery(FaultProject::trainWords()).exitCode, 0);
    const RunResult undisturbed = RunResult::of(project.run(), FaultProject::kSteps);
    const Ended predicted = project.cannery({"predict", "runs/run-001", "--input", "table.csv"});
    project.clear();
    const Fault halves{.at = 1, .what = "short", .calls = "read,write"};
    const Ended ended = project.cannery(FaultProject::trainWords(), halves);
    QVERIFY2(ended.exitCode == 0, ended.describe().constData());
    const QByteArray problem =
        RunResult::of(project.run(), FaultProject::kSteps).differenceFrom(undisturbed) +
        storeProblem(project.folder());
    QVERIFY2(problem.isEmpty(), problem.constData());
    QCOMPARE(project.cannery({"predict", "runs/run-001", "--input", "table.csv"}, halves).out,
             predicted.out);
}

CANNERY_TEST(TstFailingCalls)
#include "tst_failing_calls.moc"
