// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_project.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTest>

#include <sys/resource.h>

using namespace cannery;
using namespace cannery::tests;

/// A program with little memory, few files or threads: it trains with less, or says why it cannot.
/// It never crashes, and never waits for what it will not get.
class TstLimits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fewThreadsTrainToTheSameBits();
    void littleMemory_data();
    void littleMemory();
    void fewFiles_data();
    void fewFiles();
    void smallFiles_data();
    void smallFiles();
    void interruptedAtEveryReadOfTheTable();

private:
    /// Empty if it trained, or said why not; and if the same command continues without the limit.
    static QByteArray problemOf(const Ended& ended, const FaultProject& project)
    {
        if (ended.signal != 0 || ended.timedOut) {
            return ended.describe();
        }
        const bool begins = ended.exitCode != 127; // otherwise the loader had no room for it
        if (begins && ended.exitCode != 0 && !ended.err.contains("error: ")) {
            return "it does not say why: " + ended.describe();
        }
        if (begins && ended.exitCode > 5) {
            return ended.describe();
        }
        const Ended again = project.cannery(project.continueWords());
        return (again.exitCode == 0 ? QByteArray() : again.describe()) +
               checkpointProblem(project.run(), FaultProject::kSteps);
    }
};

void TstLimits::fewThreadsTrainToTheSameBits()
{
    const FaultProject project;
    QStringList words = FaultProject::trainWords();
    words.replace(words.indexOf("--threads") + 1, "4");
    QCOMPARE(project.cannery(words).exitCode, 0);
    const RunResult undisturbed = RunResult::of(project.run(), FaultProject::kSteps);
    for (const int threads : {0, 1, 2, 3, 4, 5, 6, 8, 12, 24, 31, 32, 33, 34, 36, 40, 48}) {
        project.clear();
        const Ended ended = project.cannery(words, {.at = 0, .mostThreads = threads});
        QVERIFY2(ended.exitCode == 0, ended.describe().constData());
        const QByteArray problem =
            RunResult::of(project.run(), FaultProject::kSteps).differenceFrom(undisturbed);
        QVERIFY2(problem.isEmpty(), problem.constData());
        const QString said = "warning: This training cannot be controlled: too few threads may be "
                             "started (`ulimit -u`). It continues without a control socket.";
        QVERIFY2(ended.err.contains(said) == (threads < 32), ended.describe().constData());
    }
}

void TstLimits::littleMemory_data()
{
    QTest::addColumn<int>("mebibytes");
    for (int mebibytes = 24; mebibytes <= 160; mebibytes += 4) {
        QTest::addRow("%d MiB", mebibytes) << mebibytes;
    }
    QTest::addRow("%d MiB", 300) << 300;
    QTest::addRow("%d MiB", 600) << 600;
}

void TstLimits::littleMemory()
{
    QFETCH(int, mebibytes);
    const FaultProject project;
    const Ended ended =
        project.limited(QString("ulimit -v %1").arg(mebibytes * 1024), FaultProject::trainWords());
    const QByteArray problem = problemOf(ended, project);
    QVERIFY2(problem.isEmpty(), problem.constData());
    if (mebibytes >= 300) {
        QCOMPARE(ended.exitCode, 0);
    }
}

void TstLimits::fewFiles_data()
{
    QTest::addColumn<int>("files");
    for (int files = 3; files <= 72; files += files < 24 ? 1 : 8) {
        QTest::addRow("%d", files) << files;
    }
}

void TstLimits::fewFiles()
{
    QFETCH(int, files);
    const FaultProject project;
    const Ended ended =
        project.limited(QString("ulimit -n %1").arg(files), FaultProject::trainWords());
    const QByteArray problem = problemOf(ended, project);
    QVERIFY2(problem.isEmpty(), problem.constData());
    if (files >= 24) {
        QVERIFY2(ended.exitCode == 0, ended.describe().constData());
        const QString said = "too few files may be open at once (`ulimit -n`)";
        if (files <= 40 || files >= 64) {
            QCOMPARE(ended.err.contains(said), files <= 40);
        }
    }
}

void TstLimits::smallFiles_data()
{
    QTest::addColumn<int>("kibibytes");
    for (const int kibibytes : {0, 1, 2, 4, 8, 16, 32, 64, 128, 256}) {
        QTest::addRow("%d KiB", kibibytes) << kibibytes;
    }
}

/// SIGXFSZ would end the program; instead the failing write is reported.
void TstLimits::smallFiles()
{
    QFETCH(int, kibibytes);
    const FaultProject project;
    // dash counts in blocks of 512 bytes.
    const Ended ended =
        project.limited(QString("ulimit -f %1").arg(2 * kibibytes), FaultProject::trainWords());
    const QByteArray problem = problemOf(ended, project);
    QVERIFY2(problem.isEmpty(), problem.constData());
    if (kibibytes == 0) {
        QCOMPARE(ended.exitCode, 1);
    }
}

/// Ctrl-C while the table is read: reading stops, and nothing is left behind.
void TstLimits::interruptedAtEveryReadOfTheTable()
{
    const FaultProject project;
    QStringList reads = project.calls(FaultProject::trainWords(), "read");
    const auto firstOf = [&](const QString& what) {
        for (int i = 0; i < reads.size(); ++i) {
            if (reads[i].contains(what)) {
                return i + 1;
            }
        }
        return int(reads.size()) + 1;
    };
    const auto isOfTable = [](const QString& call) { return call == "read table.csv"; };
    QVERIFY(std::count_if(reads.begin(), reads.end(), isOfTable) >= 6);
    int interrupted = 0;
    for (int call = firstOf("table.csv"); call <= reads.size(); ++call) {
        if (!isOfTable(reads[call - 1])) {
            continue;
        }
        project.clear();
        const Ended ended = project.cannery(FaultProject::trainWords(),
                                            {.at = call, .what = "interrupt", .calls = "read"});
        QVERIFY2(ended.exitCode == 130, atCall(reads, call, ended.describe()).constData());
        const QStringList made = project.takeCalls();
        const auto later = std::count_if(made.begin() + call, made.end(), isOfTable);
        QVERIFY2(later <= 4, atCall(reads, call, QByteArray::number(int(later))).constData());
        QVERIFY2(ended.err.contains("Stopped while the data was being read: no step was taken, and "
                                    "what was there is as it was."),
                 ended.describe().constData());
        const QStringList left = QDir(project.run().c_str()).entryList({"*ckpt*", "events*"});
        QVERIFY2(left.isEmpty(), qPrintable(left.join(' ')));
        ++interrupted;
    }
    QVERIFY(interrupted >= 6);
}

CANNERY_TEST(TstLimits)
#include "tst_limits.moc"
