// SPDX-License-Identifier: GPL-3.0-only
#include "core/reports/report_json.h"
#include "storage/runs/run_lock.h"
#include "tests/core/reports/report_golden.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/services/scripted_engine.h"
#include "ui/services/engine_service.h"
#include "ui/services/runs/run_log.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimeZone>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

reports::EngineStatus statusAt(std::int64_t step, const char* state)
{
    reports::EngineStatus status;
    status.set_state(state);
    status.set_global_step(step);
    status.set_max_steps(2000);
    return status;
}

} // namespace

class TstEngineService : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();

    void aRunThatSomebodyTrainsIsFound();
    void everyFieldOfAStatusArrives();
    void theNewestStatusIsShown();
    void newsComesSeldomWhileNobodyLooks();
    void linesWakeUpsAndNewsArrive();
    void aDeadEngineIsNoticedAtOnce();
    void aRunWithoutADoorIsLiveUntilItsLockGoes();
    void anEngineThatIsStartedAgainIsFoundAgain();
    void aBrokenLineIsTiedAgain();
    void callsReachTheEngineInOrder();
    void aStopIsShownAtOnce();
    void aCallToARunThatIsOverIsAnswered();
    void anotherProjectHearsNothing();
    void startTellsTheRun();
    void startTellsWhyNot();
    void aProgramThatIsNotThereIsTold();
    void aLogIsReadFromTheRunsFolder();
    void aLineThatTheLogHasIsNotSaidTwice();
    void aLogTellsWhichNotesItHolds();
    void whatHappenedIsFoundBehindMillionsOfLines();
    void notesStayWhenEventsAreMany();

private:
    QString makeRun(const QString& name);
    std::string folderOf(const QString& name) const;
    void beginRun(const QString& name);
    QString script(const QByteArray& body);

    std::unique_ptr<QTemporaryDir> m_project;
    std::shared_ptr<tests::ScriptedEngines> m_engines;
};

void TstEngineService::init()
{
    m_project = std::make_unique<QTemporaryDir>();
    m_engines = std::make_shared<tests::ScriptedEngines>();
}

std::string TstEngineService::folderOf(const QString& name) const
{
    return (m_project->path() + QStringLiteral("/runs/") + name).toStdString();
}

QString TstEngineService::makeRun(const QString& name)
{
    QDir(m_project->path()).mkpath(QStringLiteral("runs/") + name);
    return name;
}

QString TstEngineService::script(const QByteArray& body)
{
    const QString path = m_project->filePath(QStringLiteral("fake-cannery"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\n" + body) < 0) {
        qFatal("cannot write a test file");
    }
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
}

void TstEngineService::aRunThatSomebodyTrainsIsFound()
{
    makeRun(QStringLiteral("run-1"));
    makeRun(QStringLiteral("run-2"));
    const auto lock = storage::RunLock::acquire(folderOf(QStringLiteral("run-2")));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QTRY_COMPARE_WITH_TIMEOUT(service.liveRuns(), QStringList{QStringLiteral("run-2")}, kPatience);
    QVERIFY(!service.status(QStringLiteral("run-2")));
    makeRun(QStringLiteral("run-3"));
    const auto later = storage::RunLock::acquire(folderOf(QStringLiteral("run-3")));
    QTRY_COMPARE_WITH_TIMEOUT(service.liveRuns().size(), 2, kPatience);
}

/// Of the status that `attach --json` prints.
void TstEngineService::everyFieldOfAStatusArrives()
{
    reports::AttachLine line;
    QVERIFY(reports::readReport(tests::goldenLines("attach.jsonl")[1].toStdString(), line));
    const QString run = makeRun(QStringLiteral("run-1"));
    const auto lock = storage::RunLock::acquire(folderOf(run));
    m_engines->openDoor(folderOf(run));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QTRY_VERIFY_WITH_TIMEOUT(m_engines->watchers(folderOf(run)) == 1, kPatience);
    m_engines->say(folderOf(run), line.status());
    QTRY_VERIFY_WITH_TIMEOUT(service.status(run).has_value(), kPatience);
    const EngineStatus status = *service.status(run);
    QCOMPARE(status.run, run);
    QCOMPARE(status.state, RunState::Running);
    QCOMPARE(status.reason, QStringLiteral("Evaluating “é”."));
    QCOMPARE(status.globalStep, 12);
    QCOMPARE(status.maxSteps.value_or(0), 100);
    QCOMPARE(status.loss, 0.6931471805599453);
    QCOMPARE(status.stepsPerSecond, 20.0);
    QCOMPARE(status.rowsPerSecond, 640.5);
    QCOMPARE(status.epochs, 1.5);
    QCOMPARE(status.secondsLeft.value_or(0), 4.4);
    QCOMPARE(status.inputWait, 0.1);
    QCOMPARE(status.deviceBusy, 1.0);
    QCOMPARE(status.memoryBytes, 5'000'000'000);
    QCOMPARE(status.processId, 4194304);
    QCOMPARE(status.threads, 2);
    QCOMPARE(status.device, QStringLiteral("GPU:0 (NVIDIA H100 80GB HBM3)"));
    QCOMPARE(status.deviceMemoryBytes.value_or(0), 1'073'741'824);
    QCOMPARE(status.deviceMemoryTotal.value_or(0), 85'899'345'920);
    QCOMPARE(status.deviceLoad.value_or(0), 0.97);
    QCOMPARE(status.startedAt.toMSecsSinceEpoch(), 1'700'000'000'250);
    const QList<WorkerRow> workers{
        {QStringLiteral("chief:0"), QStringLiteral("running"), 12, 0.05, 0.0, 0.01, 0},
        {QStringLiteral("worker:0"), QStringLiteral("lost"), 9, {}, {}, {}, 2}};
    QCOMPARE(status.workers, workers);
}

void TstEngineService::theNewestStatusIsShown()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    const auto lock = storage::RunLock::acquire(folderOf(run));
    m_engines->openDoor(folderOf(run));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QSignalSpy changed(&service, &EngineService::statusChanged);
    for (int step = 1; step <= 500; ++step) {
        m_engines->say(folderOf(run), statusAt(step, "Running"));
    }
    QTRY_VERIFY_WITH_TIMEOUT(service.status(run) && service.status(run)->globalStep == 500,
                             kPatience);
    QCOMPARE(service.status(run)->state, RunState::Running);
    QCOMPARE(service.status(run)->maxSteps, std::optional<qint64>(2000));
    QVERIFY(changed.size() < 500); // merged, not queued
}

void TstEngineService::newsComesSeldomWhileNobodyLooks()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    const auto lock = storage::RunLock::acquire(folderOf(run));
    m_engines->openDoor(folderOf(run));
    EngineService service(nullptr, m_engines);
    service.setAwake(false);
    service.openProject(m_project->path());
    QSignalSpy changed(&service, &EngineService::statusChanged);
    QElapsedTimer clock;
    clock.start();
    constexpr int kSaid = 60;
    for (int step = 1; step <= kSaid; ++step) {
        m_engines->say(folderOf(run), statusAt(step, "Running"));
        QTest::qWait(10);
    }
    QVERIFY2(changed.size() <= 2 + clock.elapsed() / 2000,
             qPrintable(QString::number(changed.size())));
    service.setAwake(true);
    QTRY_VERIFY_WITH_TIMEOUT(service.status(run) && service.status(run)->globalStep == kSaid,
                             kPatience);
}

void TstEngineService::linesWakeUpsAndNewsArrive()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    const auto lock = storage::RunLock::acquire(folderOf(run));
    m_engines->openDoor(folderOf(run));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QTRY_VERIFY_WITH_TIMEOUT(m_engines->watchers(folderOf(run)) == 1, kPatience);
    QSignalSpy grew(&service, &EngineService::fileGrew);
    QSignalSpy news(&service, &EngineService::storeChanged);
    QSignalSpy logged(&service, &EngineService::logged);
    m_engines->say(folderOf(run), control::FileGrew{folderOf(run) + "/events.1", 100});
    reports::LogLine line;
    line.set_time(1000.5);
    line.set_level(reports::LogLine::WARNING);
    line.set_id("health.nan_loss");
    line.set_sentence("The loss is NaN.");
    m_engines->say(folderOf(run), line);
    m_engines->say(folderOf(run), control::StoreChanged{});
    QTRY_VERIFY_WITH_TIMEOUT(!grew.isEmpty() && !logged.isEmpty() && !news.isEmpty(), kPatience);
    QVERIFY(grew.first().first().toString().endsWith(QLatin1String("/events.1")));
    QCOMPARE(grew.first().at(1).toLongLong(), qint64{100});
    const QList<LogEntry> log = service.log(run);
    QCOMPARE(log.size(), 1);
    QCOMPARE(log.first().id, QStringLiteral("health.nan_loss"));
    QCOMPARE(log.first().level, LogLevel::Warning);
    QCOMPARE(log.first().time.toMSecsSinceEpoch(), 1000500);
}

void TstEngineService::aDeadEngineIsNoticedAtOnce()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    auto lock =
        std::make_unique<Result<storage::RunLock>>(storage::RunLock::acquire(folderOf(run)));
    m_engines->openDoor(folderOf(run));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QTRY_VERIFY_WITH_TIMEOUT(m_engines->watchers(folderOf(run)) == 1, kPatience);
    QSignalSpy ended(&service, &EngineService::ended);
    QSignalSpy news(&service, &EngineService::storeChanged);
    lock.reset();
    m_engines->closeDoor(folderOf(run));
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
    QVERIFY(service.liveRuns().isEmpty());
    QVERIFY(!news.isEmpty());
}

void TstEngineService::aRunWithoutADoorIsLiveUntilItsLockGoes()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    auto lock =
        std::make_unique<Result<storage::RunLock>>(storage::RunLock::acquire(folderOf(run)));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QTRY_VERIFY_WITH_TIMEOUT(service.isLive(run), kPatience);
    QSignalSpy ended(&service, &EngineService::ended);
    lock.reset();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
    QCOMPARE(ended.first().first().toString(), run);
}

void TstEngineService::anEngineThatIsStartedAgainIsFoundAgain()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QSignalSpy ended(&service, &EngineService::ended);
    for (int round = 1; round <= 3; ++round) {
        auto lock =
            std::make_unique<Result<storage::RunLock>>(storage::RunLock::acquire(folderOf(run)));
        m_engines->openDoor(folderOf(run));
        m_engines->say(folderOf(run), statusAt(round * 100, "Running"));
        QTRY_VERIFY_WITH_TIMEOUT(
            service.status(run) && service.status(run)->globalStep == round * 100, kPatience);
        lock.reset();
        m_engines->closeDoor(folderOf(run));
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), round, kPatience);
    }
}

void TstEngineService::aBrokenLineIsTiedAgain()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    const auto lock = storage::RunLock::acquire(folderOf(run));
    m_engines->openDoor(folderOf(run));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QSignalSpy ended(&service, &EngineService::ended);
    QTRY_VERIFY_WITH_TIMEOUT(m_engines->watchers(folderOf(run)) == 1, kPatience);
    m_engines->closeDoor(folderOf(run));
    QTRY_VERIFY_WITH_TIMEOUT(m_engines->watchers(folderOf(run)) == 0, kPatience);
    m_engines->openDoor(folderOf(run));
    m_engines->say(folderOf(run), statusAt(7, "Paused"));
    QTRY_VERIFY_WITH_TIMEOUT(service.status(run) && service.status(run)->state == RunState::Paused,
                             kPatience);
    QVERIFY(ended.isEmpty());
}

void TstEngineService::callsReachTheEngineInOrder()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    const auto lock = storage::RunLock::acquire(folderOf(run));
    m_engines->openDoor(folderOf(run));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QTRY_VERIFY_WITH_TIMEOUT(service.isLive(run), kPatience);
    service.pause(run);
    service.unpause(run);
    service.checkpointNow(run);
    service.stopAndKeep(run);
    service.stopWithoutSaving(run);
    using Call = EngineLink::Call;
    const std::vector<Call> wanted{Call::Pause, Call::Resume, Call::CheckpointNow,
                                   Call::StopAndKeep, Call::StopWithoutSaving};
    QTRY_VERIFY_WITH_TIMEOUT(m_engines->calls(folderOf(run)) == wanted, kPatience);
}

void TstEngineService::aStopIsShownAtOnce()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    const auto lock = storage::RunLock::acquire(folderOf(run));
    m_engines->openDoor(folderOf(run));
    m_engines->say(folderOf(run), statusAt(7, "Running"));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QTRY_VERIFY_WITH_TIMEOUT(service.status(run), kPatience);
    service.stopAndKeep(run); // its engine is in a long step and says nothing new
    QTRY_VERIFY_WITH_TIMEOUT(service.status(run)->state == RunState::Finishing, kPatience);
    m_engines->say(folderOf(run), statusAt(8, "Running"));
    QTRY_COMPARE_WITH_TIMEOUT(service.status(run)->globalStep, 8, kPatience);
    QCOMPARE(service.status(run)->state, RunState::Finishing);
}

void TstEngineService::aCallToARunThatIsOverIsAnswered()
{
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QSignalSpy failed(&service, &EngineService::failed);
    service.pause(QStringLiteral("run-9"));
    QCOMPARE(failed.size(), 1);
    QVERIFY(failed.first().first().toString().contains(QLatin1String("run-9")));
}

void TstEngineService::anotherProjectHearsNothing()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    const auto lock = storage::RunLock::acquire(folderOf(run));
    m_engines->openDoor(folderOf(run));
    EngineService service(nullptr, m_engines);
    service.openProject(m_project->path());
    QTRY_VERIFY_WITH_TIMEOUT(m_engines->watchers(folderOf(run)) == 1, kPatience);
    service.openProject({});
    QVERIFY(service.liveRuns().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(m_engines->watchers(folderOf(run)) == 0, kPatience);
}

void TstEngineService::startTellsTheRun()
{
    EngineService service(nullptr, m_engines);
    service.setProgram(
        script("echo \"$@\" > \"$(dirname \"$0\")/words\"\n"
               "echo '{\"run\":\"run-7\",\"folder\":\"/x\",\"supervisor_pid\":1}'\n"));
    QSignalSpy started(&service, &EngineService::started);
    service.start(
        {{QStringLiteral("train"), QStringLiteral("a.cannery"), QStringLiteral("--detach")},
         m_project->path()});
    QVERIFY(service.isStarting());
    QTRY_COMPARE_WITH_TIMEOUT(started.size(), 1, kPatience);
    QCOMPARE(started.first().first().toString(), QStringLiteral("run-7"));
    QVERIFY(!service.isStarting());
    QFile words(m_project->filePath(QStringLiteral("words")));
    QVERIFY(words.open(QIODevice::ReadOnly));
    QCOMPARE(words.readAll(), QByteArray("train a.cannery --detach --json\n"));
}

void TstEngineService::startTellsWhyNot()
{
    EngineService service(nullptr, m_engines);
    service.setProgram(
        script("echo '{\"error\":{\"id\":\"data.file_missing\",\"sentence\":\"There is no file "
               "a.csv.\",\"path\":\"data.train\"}}'\nexit 3\n"));
    QSignalSpy failed(&service, &EngineService::failed);
    service.start({{QStringLiteral("train")}, {}});
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    QCOMPARE(failed.first().first().toString(), QStringLiteral("There is no file a.csv."));
}

void TstEngineService::aProgramThatIsNotThereIsTold()
{
    EngineService service(nullptr, m_engines);
    service.setProgram(m_project->filePath(QStringLiteral("none")));
    QSignalSpy failed(&service, &EngineService::failed);
    service.start({{QStringLiteral("train")}, {}});
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    QVERIFY(failed.first().first().toString().contains(service.program()));
}

void TstEngineService::aLogIsReadFromTheRunsFolder()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    QFile file(QString::fromStdString(folderOf(run)) + QStringLiteral("/train.log"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("2026-11-21 14:30:00.123 info: Training begins: 627 rows.\n"
               "2026-11-21 14:30:01.500 warning: Disk is\nnearly full.\n");
    file.close();
    EngineService service(nullptr, m_engines);
    QSignalSpy changed(&service, &EngineService::logChanged);
    service.readLog(run, QString::fromStdString(folderOf(run)));
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, kPatience);
    const QList<LogEntry> log = service.log(run);
    QCOMPARE(log.size(), 2);
    QCOMPARE(log[0].sentence, QStringLiteral("Training begins: 627 rows."));
    QCOMPARE(log[1].sentence, QStringLiteral("Disk is\nnearly full."));
    QCOMPARE(log[1].level, LogLevel::Warning);
    QCOMPARE(log[0].time.msecsTo(log[1].time), 1377);
}

void TstEngineService::aLineThatTheLogHasIsNotSaidTwice()
{
    const QString run = QStringLiteral("run-1");
    const QList<LogEntry> file =
        parseRunLog(run, "2026-11-21 14:30:00.000 info: A.\n2026-11-21 14:30:05.000 info: B.\n");
    LogEntry again = file[1];
    again.time = again.time.addMSecs(20);
    again.id = QStringLiteral("health.b");
    const LogEntry later{run, file[1].time.addSecs(5), LogLevel::Error, {}, QStringLiteral("C.")};
    const QList<LogEntry> merged = mergedLog(file, {again, later});
    QCOMPARE(merged.size(), 3);
    QCOMPARE(merged[1].id, QStringLiteral("health.b"));
    QCOMPARE(merged[2].sentence, QStringLiteral("C."));
}

void TstEngineService::aLogTellsWhichNotesItHolds()
{
    const QList<LogEntry> log =
        parseRunLog(QStringLiteral("run-1"),
                    "2026-11-21T14:30:00.123Z info - Running\n"
                    "2026-11-21T14:30:01.500Z error health.nan_loss The loss became NaN.\nLast.\n");
    QCOMPARE(log.size(), 2);
    QCOMPARE(log[0].id, QString());
    QCOMPARE(log[0].sentence, QStringLiteral("Running"));
    QCOMPARE(log[0].time.toUTC(),
             QDateTime(QDate(2026, 11, 21), QTime(14, 30, 0, 123), QTimeZone::utc()));
    QCOMPARE(log[1].id, QStringLiteral("health.nan_loss"));
    QCOMPARE(log[1].level, LogLevel::Error);
    QCOMPARE(log[1].sentence, QStringLiteral("The loss became NaN.\nLast."));
}

void TstEngineService::whatHappenedIsFoundBehindMillionsOfLines()
{
    const QString run = makeRun(QStringLiteral("run-1"));
    QFile file(QString::fromStdString(folderOf(run)) + QStringLiteral("/train.log"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("2026-11-21T14:30:00.000Z info - Running\n"
               "2026-11-21T14:30:01.000Z warning health.rising_eval_loss The loss rises.\n");
    for (int line = 0; line < 60'000; ++line) {
        file.write("2026-11-21T14:31:00.000Z info - loss = 0.5, step = 100\n"
                   "2026-11-21T14:31:00.000Z info - global_step/sec: 20000\n");
        if (line == 30'000) {
            file.write("2026-11-21T14:31:00.500Z info - Saved the checkpoint of step 7: model\n");
        }
    }
    file.write("2026-11-21T14:40:00.000Z info - Finished\n");
    file.close();
    const RunLog log = readRunLog(run, QString::fromStdString(folderOf(run)));
    QCOMPARE(log.lines.size(), EngineService::kLogLimit);
    QStringList events;
    for (const LogEntry& entry : log.events) {
        events << entry.sentence;
    }
    QCOMPARE(events, (QStringList{"Running", "The loss rises.",
                                  "Saved the checkpoint of step 7: model", "Finished"}));
    QCOMPARE(log.events[1].id, QStringLiteral("health.rising_eval_loss"));
}

void TstEngineService::notesStayWhenEventsAreMany()
{
    RunLog log;
    log.append({{.id = "health.no_improvement", .sentence = "No better."}});
    for (int i = 0; i < 3 * EngineService::kEventLimit; ++i) {
        log.append({{.sentence = QString("Saved %1").arg(i)},
                    {.sentence = QString("loss = 0.5, step = %1").arg(i)}});
    }
    QCOMPARE(log.events.size(), EngineService::kEventLimit);
    QCOMPARE(log.events.first().sentence, QString("No better."));
    QCOMPARE(log.events.last().sentence,
             QString("Saved %1").arg(3 * EngineService::kEventLimit - 1));
    QCOMPARE(log.lines.last().sentence,
             QString("loss = 0.5, step = %1").arg(3 * EngineService::kEventLimit - 1));
}

CANNERY_TEST(TstEngineService)
#include "tst_engine_service.moc"
