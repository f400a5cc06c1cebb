// SPDX-License-Identifier: GPL-3.0-only
#include "storage/runs/run_lock.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/experiment_document.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/recent_projects.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/series_store.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <functional>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr int kEndless = 100000000;

QByteArray read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// A session and the real engine.
class TstSessionTraining : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void aShortRunIsStartedSeenAndKept();
    void aLongRunPausesGoesOnAndStops();
    void aKilledEngineIsNoticedAndItsRunResumed();
    void aSupervisorsNewEngineIsFoundAgain();
    void anotherSessionAttaches();
    void commandTwinFreezesTheSameExperiment();
    void aRunIsDuplicatedIntoANewExperiment();
    void aRunStartsFromAnothersCheckpoint();
    void homeTellsOfARunThatIsAlive();
    void aClusterIsStartedAsOneRun();
    void tasksStayWithTheirExperiment();
    void tasksElsewhereAreNotStartedHere();

private:
    std::unique_ptr<ProjectSession> makeSession() const;
    bool openExample(const QString& name, int steps);
    bool setStrategy(const char* strategy);
    QString startRun();
    const RunRow* row(const QString& run) const;
    RunState state(const QString& run) const;
    qint64 engineOf(const QString& run) const;
    bool waitFor(const std::function<bool()>& condition) const;

    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<ProjectSession> m_session;
};

std::unique_ptr<ProjectSession> TstSessionTraining::makeSession() const
{
    auto session =
        std::make_unique<ProjectSession>(nullptr, m_home->filePath(QStringLiteral("settings.ini")));
    session->setProgram(QStringLiteral(CANNERY_PROGRAM));
    session->settings().setRestarts(0);
    return session;
}

void TstSessionTraining::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    qputenv("XDG_RUNTIME_DIR", m_home->path().toUtf8());
    m_session = makeSession();
}

/// Engines outlive the window; here none may outlive its test.
void TstSessionTraining::cleanup()
{
    m_session->settings().setRestarts(0);
    const QDir runs(m_session->project().folder() + QStringLiteral("/runs"));
    const QStringList names = runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString& run : names) {
        m_session->engines().stopWithoutSaving(run);
    }
    QVERIFY(waitFor([&] {
        return std::none_of(names.begin(), names.end(),
                            [&](const QString& run) { return engineOf(run) > 0; });
    }));
    m_session.reset();
}

bool TstSessionTraining::waitFor(const std::function<bool()>& condition) const
{
    return QTest::qWaitFor(condition, kPatience);
}

bool TstSessionTraining::openExample(const QString& name, int steps)
{
    const QDir from(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/") + name);
    const QString to = m_home->filePath(name);
    QDir().mkpath(to);
    for (const QString& file : from.entryList(QDir::Files)) {
        QFile::copy(from.filePath(file), to + u'/' + file);
    }
    m_session->project().open(to);
    if (!waitFor(
            [&] { return m_session->project().isOpen() && !m_session->project().isOpening(); })) {
        return false;
    }
    ExperimentDocument& document = m_session->document();
    return waitFor([&] { return !document.isLoading(); }) &&
           document.setValue(QStringLiteral("train_spec.max_steps"), QString::number(steps)) &&
           waitFor([&] { return !document.storage().isSaving(); }) &&
           waitFor([&] { return m_session->starter().hindrance().isEmpty(); });
}

bool TstSessionTraining::setStrategy(const char* strategy)
{
    ExperimentDocument& document = m_session->document();
    return document.setValue(QStringLiteral("strategy"),
                             QString::fromLatin1(strategy) + QStringLiteral(" {}")) &&
           waitFor([&] { return document.isSettled(); }) &&
           waitFor([&] { return m_session->starter().hindrance().isEmpty(); });
}

QString TstSessionTraining::startRun()
{
    QSignalSpy started(&m_session->engines(), &EngineService::started);
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    m_session->starter().train();
    if (!waitFor([&] { return !started.isEmpty() || !failed.isEmpty(); }) || started.isEmpty()) {
        qWarning("no run: %s", qPrintable(failed.value(0).value(0).toString()));
        return {};
    }
    return started.first().first().toString();
}

const RunRow* TstSessionTraining::row(const QString& run) const
{
    return m_session->runs().snapshot()->find(run);
}

RunState TstSessionTraining::state(const QString& run) const
{
    const RunRow* found = row(run);
    return found == nullptr ? RunState::Queued : found->state;
}

qint64 TstSessionTraining::engineOf(const QString& run) const
{
    const auto owner = storage::RunLock::owner(
        (m_session->project().folder() + QStringLiteral("/runs/") + run).toStdString());
    return owner ? owner->processId : 0;
}

void TstSessionTraining::aShortRunIsStartedSeenAndKept()
{
    QVERIFY(openExample(QStringLiteral("penguins"), 500));
    const QString run = startRun();
    QVERIFY(!run.isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Finished, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!m_session->engines().isLive(run), kPatience);
    QCOMPARE(row(run)->globalStep, 500);
    m_session->watchList().watch(QStringLiteral("test"), {run});
    const SeriesKey loss{run, {}, QStringLiteral("loss")};
    QTRY_VERIFY_WITH_TIMEOUT(m_session->series().series(loss) &&
                                 m_session->series().series(loss)->size() >= 2,
                             kPatience);
    m_session->engines().readLog(run, row(run)->folder);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->engines().log(run).size() > 3, kPatience);
    QCOMPARE(m_session->starter().hindrance(), QString());
}

void TstSessionTraining::aLongRunPausesGoesOnAndStops()
{
    QVERIFY(openExample(QStringLiteral("penguins"), kEndless));
    const QString run = startRun();
    EngineService& engines = m_session->engines();
    const auto stands = [&](RunState wanted) {
        return waitFor([&] {
            const auto status = engines.status(run);
            return status && status->state == wanted;
        });
    };
    QVERIFY(stands(RunState::Running));
    QTRY_VERIFY_WITH_TIMEOUT(m_session->starter().hindrance().contains(QLatin1String("page:train")),
                             kPatience);
    engines.pause(run);
    QVERIFY(stands(RunState::Paused));
    const qint64 paused = engines.status(run)->globalStep;
    engines.unpause(run);
    QVERIFY(stands(RunState::Running));
    QVERIFY(waitFor([&] { return engines.status(run)->globalStep > paused; }));
    QSignalSpy ended(&engines, &EngineService::ended);
    QVERIFY(engines.isLive(run));
    engines.stopAndKeep(run);
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Stopped, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!row(run)->checkpoints.isEmpty() &&
                                 row(run)->checkpoints.last().step == row(run)->globalStep,
                             kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(m_session->starter().hindrance(), QString(), kPatience);
}

void TstSessionTraining::aKilledEngineIsNoticedAndItsRunResumed()
{
    QVERIFY(openExample(QStringLiteral("penguins"), kEndless));
    const QString run = startRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_session->engines().status(run), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(row(run) && !row(run)->checkpoints.isEmpty(), kPatience);
    QSignalSpy ended(&m_session->engines(), &EngineService::ended);
    QCOMPARE(kill(static_cast<pid_t>(engineOf(run)), SIGKILL), 0);
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Interrupted, kPatience);
    m_session->starter().resume(run);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->engines().status(run) &&
                                 m_session->engines().status(run)->state == RunState::Running,
                             kPatience);
}

void TstSessionTraining::aSupervisorsNewEngineIsFoundAgain()
{
    QVERIFY(openExample(QStringLiteral("penguins"), kEndless));
    m_session->settings().setRestarts(3);
    const QString run = startRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_session->engines().status(run), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(row(run) && !row(run)->checkpoints.isEmpty(), kPatience);
    const qint64 first = engineOf(run);
    QCOMPARE(kill(static_cast<pid_t>(first), SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->engines().status(run) &&
                                 m_session->engines().status(run)->processId != first &&
                                 m_session->engines().status(run)->state == RunState::Running,
                             kPatience);
}

void TstSessionTraining::anotherSessionAttaches()
{
    QVERIFY(openExample(QStringLiteral("penguins"), kEndless));
    const QString run = startRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_session->engines().status(run), kPatience);
    const QString folder = m_session->project().folder();
    m_session = makeSession(); // the window was closed; training continues
    m_session->recovery().restoreLast();
    QTRY_VERIFY_WITH_TIMEOUT(m_session->engines().status(run), kPatience);
    QCOMPARE(m_session->project().folder(), folder);
}

void TstSessionTraining::commandTwinFreezesTheSameExperiment()
{
    QVERIFY(openExample(QStringLiteral("penguins"), 20));
    const QString text = m_session->starter().commands().train().display();
    const QString run = startRun();
    QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Finished, kPatience);
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    const QString folder = QFileInfo(QStringLiteral(CANNERY_PROGRAM)).absolutePath();
    environment.insert(QStringLiteral("PATH"),
                       folder + u':' + environment.value(QStringLiteral("PATH")));
    shell.setProcessEnvironment(environment);
    shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), text});
    QVERIFY(shell.waitForFinished(kPatience));
    QCOMPARE(shell.exitCode(), 0);
    QTRY_COMPARE_WITH_TIMEOUT(m_session->runs().snapshot()->runs.size(), 2, kPatience);
    const QString twin = m_session->runs().snapshot()->runs.first().name == run
                             ? m_session->runs().snapshot()->runs.last().name
                             : m_session->runs().snapshot()->runs.first().name;
    QTRY_COMPARE_WITH_TIMEOUT(state(twin), RunState::Finished, kPatience);
    const QByteArray frozen = read(row(run)->folder + QStringLiteral("/experiment.cannery"));
    QVERIFY(!frozen.isEmpty());
    QCOMPARE(read(row(twin)->folder + QStringLiteral("/experiment.cannery")), frozen);
}

void TstSessionTraining::aRunIsDuplicatedIntoANewExperiment()
{
    QVERIFY(openExample(QStringLiteral("penguins"), 20));
    const QString run = startRun();
    QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Finished, kPatience);
    QSignalSpy changed(&m_session->project(), &OpenProject::changed);
    m_session->experiments().duplicateRun(run);
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, kPatience);
    QVERIFY(m_session->document().file().endsWith(QLatin1String("/penguins-2.cannery")));
    QCOMPARE(m_session->document().name(), QStringLiteral("Penguins (copy)"));
    QCOMPARE(m_session->document().value(QStringLiteral("train_spec.max_steps")),
             QStringLiteral("20"));
    QTRY_COMPARE_WITH_TIMEOUT(m_session->starter().hindrance(), QString(), kPatience);
    QVERIFY(row(run)); // the same project, the same runs
    QCOMPARE(m_session->experiments().copiedFrom(), run);
    const QString second = startRun();
    QTRY_COMPARE_WITH_TIMEOUT(state(second), RunState::Finished, kPatience);
    const QString copy = m_session->document().file();
    m_session = makeSession(); // another start of the program
    m_session->project().open(copy);
    QTRY_COMPARE_WITH_TIMEOUT(m_session->experiments().copiedFrom(), run, kPatience);
}

void TstSessionTraining::aRunStartsFromAnothersCheckpoint()
{
    QVERIFY(openExample(QStringLiteral("penguins"), 20));
    const QString run = startRun();
    QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Finished, kPatience);
    QSignalSpy started(&m_session->engines(), &EngineService::started);
    m_session->starter().start(m_session->starter().commands().warmStart(run, 20));
    QTRY_COMPARE_WITH_TIMEOUT(started.size(), 1, kPatience);
    const QString second = started.first().first().toString();
    QTRY_COMPARE_WITH_TIMEOUT(state(second), RunState::Finished, kPatience);
    QVERIFY(
        row(second)->parameter(QStringLiteral("warm_start.ckpt_to_initialize_from")).contains(run));
}

void TstSessionTraining::homeTellsOfARunThatIsAlive()
{
    QVERIFY(openExample(QStringLiteral("penguins"), kEndless));
    const QString run = startRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_session->engines().status(run), kPatience);
    QVERIFY(waitFor([&] {
        m_session->recents().refresh();
        const RecentProject& project = m_session->recents().projects().first();
        return project.liveRun == run && project.liveState == QLatin1String("Running") &&
               project.runCount == 1 && !project.sparkline.isEmpty() && project.rows == 258;
    }));
}

/// Both processes belong to one run: its chief is watched, paused and stopped for all.
void TstSessionTraining::aClusterIsStartedAsOneRun()
{
    QVERIFY(openExample(QStringLiteral("penguins"), kEndless));
    m_session->settings().setThreads(2);
    QVERIFY(!m_session->cluster().isLaunchedHere() && m_session->cluster().tasks().isEmpty());
    QVERIFY(setStrategy("multi_worker_mirrored"));
    QVERIFY(m_session->cluster().isLaunchedHere());
    const QString twin = m_session->starter().commands().train().display();
    QVERIFY2(twin.startsWith("cannery launch -n 2 ") &&
                 twin.endsWith(".cannery --threads 1 --detach --max-restarts 0"),
             qPrintable(twin));
    const QString run = startRun();
    QVERIFY(!run.isEmpty());
    EngineService& engines = m_session->engines();
    const auto workersTrain = [&](qint64 after) {
        return waitFor([&] {
            const auto status = engines.status(run);
            return status && status->workers.size() == 2 &&
                   std::all_of(status->workers.begin(), status->workers.end(),
                               [&](const WorkerRow& worker) {
                                   return worker.state == QLatin1String("running") &&
                                          worker.step > after;
                               });
        });
    };
    QVERIFY(workersTrain(0));
    QCOMPARE(engines.status(run)->workers[1].task, QStringLiteral("worker:0"));
    engines.pause(run);
    QVERIFY(waitFor([&] { return engines.status(run)->state == RunState::Paused; }));
    const qint64 paused = engines.status(run)->globalStep;
    engines.unpause(run);
    QVERIFY(workersTrain(paused));
    engines.stopAndKeep(run);
    QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Stopped, kPatience);
    QCOMPARE(m_session->runs().snapshot()->runs.size(), 1);
    QVERIFY(!row(run)->checkpoints.isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(!engines.isLive(run), kPatience);
    const qint64 stopped = row(run)->globalStep;
    QVERIFY2(
        m_session->starter().commands().resume(run).display().startsWith("cannery launch -n 2 "),
        qPrintable(m_session->starter().commands().resume(run).display()));
    m_session->starter().resume(run);
    QVERIFY(workersTrain(stopped));
    QCOMPARE(m_session->runs().snapshot()->runs.size(), 1);
}

void TstSessionTraining::tasksStayWithTheirExperiment()
{
    QVERIFY(openExample(QStringLiteral("penguins"), 20));
    QVERIFY(setStrategy("parameter_server"));
    QSignalSpy changed(&m_session->cluster(), &ExperimentCluster::changed);
    ClusterTasks tasks = m_session->cluster().tasks();
    tasks.setWorkers(5);
    tasks.add(ClusterTask::Type::Evaluator);
    m_session->cluster().setTasks(tasks);
    QCOMPARE(changed.size(), 1);
    QVERIFY(m_session->starter().commands().train().display().startsWith(
        "cannery launch -n 5 --ps 1 --evaluator "));
    QVERIFY(setStrategy("one_device"));
    QVERIFY(m_session->starter().commands().train().display().startsWith("cannery train "));
    QVERIFY(m_session->cluster().tasks().isEmpty());
    const QString file = m_session->document().file();
    QVERIFY(setStrategy("parameter_server"));
    QVERIFY(waitFor([&] { return !m_session->document().storage().isSaving(); }));
    QString failure;
    bool isDone = false;
    m_session->experiments().rename(QStringLiteral("Penguins"), QStringLiteral("birds"),
                                    [&](const QString& error) {
                                        failure = error;
                                        isDone = true;
                                    });
    QVERIFY(waitFor([&] { return isDone; }));
    QCOMPARE(failure, QString());
    QTRY_VERIFY_WITH_TIMEOUT(m_session->document().file() != file, kPatience);
    QVERIFY(m_session->cluster().tasks() == tasks);
    const QString renamed = m_session->document().file();
    m_session = makeSession(); // another start of the program
    m_session->project().open(renamed);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->cluster().tasks() == tasks, kPatience);
}

void TstSessionTraining::tasksElsewhereAreNotStartedHere()
{
    QVERIFY(openExample(QStringLiteral("penguins"), 20));
    QVERIFY(setStrategy("multi_worker_mirrored"));
    ClusterTasks tasks = m_session->cluster().tasks();
    tasks.setAddress(1, QStringLiteral("far.example:2222"));
    m_session->cluster().setTasks(tasks);
    QVERIFY(!m_session->cluster().isLaunchedHere());
    QVERIFY2(m_session->starter().hindrance().contains("other machines"),
             qPrintable(m_session->starter().hindrance()));
    QVERIFY(m_session->starter().hindrance().contains("page:model"));
    tasks.setAddress(1, QStringLiteral("nowhere"));
    m_session->cluster().setTasks(tasks);
    QVERIFY2(m_session->starter().hindrance().contains("host:port"),
             qPrintable(m_session->starter().hindrance()));
    m_session->cluster().setTasks(defaultTasks(QStringLiteral("multi_worker_mirrored")));
    QCOMPARE(m_session->starter().hindrance(), QString());
}

CANNERY_TEST(TstSessionTraining)
#include "tst_session_training.moc"
