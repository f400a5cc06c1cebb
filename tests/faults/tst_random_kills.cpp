// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_store.h"
#include "tests/faults/fault_project.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <csignal>
#include <random>

using namespace cannery;
using namespace cannery::tests;

/// Programs killed at random moments. `CANNERY_FAULT_SEED` and `CANNERY_FAULT_KILLS` (per program)
/// make a long run of it; see soak.sh.
class TstRandomKills : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void trainingEndsInTheSameBits();
    void evaluationAndExportSpoilNothing();
    void savesOfTheProjectAreOldOrNew();
    void fiftySavesInARowKilled();

private:
    static int fromEnvironment(const char* name, int otherwise)
    {
        return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : otherwise;
    }
    static QStringList longTraining()
    {
        return FaultProject::trainWords({"--set", QString("train_spec.max_steps=%1").arg(kSteps)});
    }
    static qint64 timeOf(const FaultProject& project, const QStringList& words)
    {
        QElapsedTimer timer;
        timer.start();
        return project.cannery(words).exitCode == 0 ? timer.nsecsElapsed() / 1000 : -1;
    }
    int below(int limit) { return static_cast<int>(m_random() % static_cast<unsigned>(limit)); }

    static constexpr int kSteps = 40;
    /// The renames of a session before those of its second save: experiment, run.json, state.json,
    /// (state file), graph, then sidecar, data, index, state file and list of the first save.
    static constexpr int kSecondSave = 11;
    std::mt19937 m_random{static_cast<unsigned>(fromEnvironment("CANNERY_FAULT_SEED", 5))};
    int m_kills = fromEnvironment("CANNERY_FAULT_KILLS", 0);
};

void TstRandomKills::trainingEndsInTheSameBits()
{
    const FaultProject project;
    const int kills = m_kills > 0 ? m_kills : 100;
    const qint64 whole = timeOf(project, longTraining());
    QVERIFY(whole > 0);
    const RunResult undisturbed = RunResult::of(project.run(), kSteps);
    project.clear();
    int finished = 0;
    for (int killed = 0; killed < kills;) {
        const Ended ended = project.killedAfter(longTraining(), below(static_cast<int>(whole)));
        QByteArray problem = checkpointProblem(project.run());
        QVERIFY2(problem.isEmpty(), problem.constData());
        killed += ended.signal == SIGKILL ? 1 : 0;
        if (ended.signal != SIGKILL) {
            QVERIFY2(ended.exitCode == 0, ended.describe().constData());
            problem = RunResult::of(project.run(), kSteps).differenceFrom(undisturbed) +
                      storeProblem(project.folder()) + straysIn(project.path()).join(' ').toUtf8();
            QVERIFY2(problem.isEmpty(), problem.constData());
            project.clear();
            ++finished;
        }
    }
    const Ended ended = project.cannery(longTraining());
    QVERIFY2(ended.exitCode == 0, ended.describe().constData());
    const QByteArray problem = RunResult::of(project.run(), kSteps).differenceFrom(undisturbed);
    QVERIFY2(problem.isEmpty(), problem.constData());
    qInfo("%d passed: kills of a training; %d trainings ended, all in the same bits", kills,
          finished + 1);
}

void TstRandomKills::evaluationAndExportSpoilNothing()
{
    FaultProject project;
    QCOMPARE(project.cannery(FaultProject::trainWords()).exitCode, 0);
    const QStringList evaluate{"evaluate", "runs/run-001", "--json"};
    const QString metrics = project.cannery(evaluate).out;
    project.keep();
    int killed = 0;
    for (const QStringList& words :
         {evaluate, QStringList{"export", "runs/run-001", "--output", "served"}}) {
        project.restore();
        const qint64 whole = timeOf(project, words);
        QVERIFY(whole > 0);
        for (int i = 0; i < (m_kills > 0 ? m_kills : 35); ++i) {
            project.restore();
            const Ended ended = project.killedAfter(words, below(static_cast<int>(whole)));
            QVERIFY(ended.signal == SIGKILL || ended.exitCode == 0);
            killed += ended.signal == SIGKILL ? 1 : 0;
            const QByteArray problem = checkpointProblem(project.run(), FaultProject::kSteps) +
                                       storeProblem(project.folder());
            QVERIFY2(problem.isEmpty(), problem.constData());
            for (const QString& version :
                 QDir(project.path("served")).entryList({"[0-9]*"}, QDir::Dirs)) {
                const Ended inspected = project.cannery({"inspect", "served/" + version});
                QVERIFY2(inspected.exitCode == 0, inspected.describe().constData());
            }
        }
        QCOMPARE(project.cannery(words).exitCode, 0);
    }
    QCOMPARE(project.cannery(evaluate).out, metrics);
    qInfo("%d passed: kills of evaluations and exports", killed);
}

void TstRandomKills::savesOfTheProjectAreOldOrNew()
{
    const FaultProject project;
    QCOMPARE(project.cannery(FaultProject::trainWords()).exitCode, 0);
    const qint64 whole = timeOf(project, {"runs", "rename", "run-001", "first"});
    QVERIFY(whole > 0);
    QString title = "first";
    int killed = 0;
    for (int i = 0; i < (m_kills > 0 ? m_kills : 35); ++i) {
        const QString next = "title " + QString::number(i);
        const Ended ended = project.killedAfter({"runs", "rename", "run-001", next},
                                                below(static_cast<int>(whole)));
        killed += ended.signal == SIGKILL ? 1 : 0;
        const QByteArray problem = storeProblem(project.folder());
        QVERIFY2(problem.isEmpty(), problem.constData());
        auto store = storage::RunStore::open(project.folder());
        QVERIFY(store.has_value());
        const QString now = QString::fromStdString(store->show("run-001")->annotations.title);
        QVERIFY2(now == next || (now == title && ended.signal == SIGKILL), qPrintable(now));
        title = now;
    }
    qInfo("%d passed: kills of saves of the project", killed);
}

void TstRandomKills::fiftySavesInARowKilled()
{
    constexpr int kSaves = 50;
    const FaultProject project;
    const QStringList words =
        FaultProject::trainWords({"--set", QString("train_spec.max_steps=%1").arg(kSaves)});
    QCOMPARE(project.cannery(words).exitCode, 0);
    const RunResult undisturbed = RunResult::of(project.run(), kSaves);
    project.clear();
    int killed = 0;
    // The state file is the last rename of a save: once when a session begins (the state it found
    // is saved again), then at every step. Each session is killed in the middle of its second.
    for (int session = 0; session < 3 * kSaves; ++session) {
        const Ended ended = project.cannery(
            words, {.at = kSecondSave + session % 4, .what = "kill", .calls = "rename"});
        const QByteArray problem = checkpointProblem(project.run());
        QVERIFY2(problem.isEmpty(), problem.constData());
        if (ended.exitCode == 0) {
            break;
        }
        QCOMPARE(ended.signal, SIGKILL);
        ++killed;
    }
    const Ended ended = project.cannery(words);
    QVERIFY2(ended.exitCode == 0, ended.describe().constData());
    QVERIFY2(killed >= kSaves, qPrintable(QString::number(killed)));
    const QByteArray problem = RunResult::of(project.run(), kSaves).differenceFrom(undisturbed);
    QVERIFY2(problem.isEmpty(), problem.constData());
    qInfo("%d passed: kills of a training while it saved, one after the other", killed);
}

CANNERY_TEST(TstRandomKills)
#include "tst_random_kills.moc"
