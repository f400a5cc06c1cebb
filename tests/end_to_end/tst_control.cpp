// SPDX-License-Identifier: Apache-2.0
#include "core/control/socket_path.h"
#include "storage/runs/run_files.h"
#include "tests/end_to_end/detached_run.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScopeGuard>

#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::tests;

/// Controls real engines from other processes (D-37).
class TstControl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void D37_pauseAndResumeChangeNoBit();
    void D37_stopKeepsAndEvaluates();
    void stopWhilePaused();
    void stopWithoutSavingLosesTheSteps();
    void checkpointNowSaves();
    void attachShowsAndLeaves();
    void attachEndsWithTheRun();
    void frozenWatcherHoldsNobodyUp();
    void nobodyThere();
    void trainingInTheForegroundListens();
    void withoutASocketItTrainsAllTheSame();
    void crowdAtTheDoorEndsNoTraining();

private:
    /// Clients that connect to a training's socket and never send anything.
    class Crowd
    {
    public:
        Crowd(const std::string& runFolder, int size)
        {
            const std::vector<std::string> paths = control::socketPathsToTry(runFolder);
            for (int i = 0; i < size && !paths.empty(); ++i) {
                sockaddr_un address{};
                address.sun_family = AF_UNIX;
                std::memcpy(address.sun_path, paths.front().c_str(), paths.front().size() + 1);
                m_callers.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
                const int failed = ::connect(
                    m_callers.back(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
                m_size += failed == 0 ? 1 : 0;
            }
        }
        Crowd(const Crowd&) = delete;
        Crowd& operator=(const Crowd&) = delete;
        ~Crowd()
        {
            for (const int caller : m_callers) {
                close(caller);
            }
        }
        int size() const { return m_size; }

    private:
        std::vector<int> m_callers;
        int m_size = 0;
    };

    /// So that no checkpoint is saved by itself.
    static QStringList rareSaves()
    {
        return {"--set", "run_config.save_checkpoints_steps=900000000"};
    }

    QTemporaryDir m_runtime;
};

void TstControl::init()
{
    qputenv("XDG_RUNTIME_DIR", m_runtime.path().toUtf8());
}

void TstControl::D37_pauseAndResumeChangeNoBit()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless));
    QVERIFY2(run.started(), qPrintable(run.result().err));
    QVERIFY(run.waitForStepAfter(0));
    QCOMPARE(project.run({"pause", "latest", "--json"}).exitCode, 0);
    QVERIFY(run.waitForState("Paused"));
    QVERIFY(QTest::qWaitFor([&] { return run.latestStep() == run.status()->global_step(); },
                            DetachedRun::kPatience));
    const qint64 paused = run.status()->global_step();
    QCOMPARE(run.record().state, storage::RunState::Paused);
    const ProgramResult evaluated =
        project.run({"evaluate", run.name(), "--checkpoint", QString::number(paused)});
    QVERIFY2(evaluated.exitCode == 0, qPrintable(evaluated.err));
    QCOMPARE(run.status()->global_step(), paused);
    QCOMPARE(project.run({"pause", run.name(), "--resume"}).exitCode, 0);
    QVERIFY(run.waitForStepAfter(paused));
    QCOMPARE(project.run({"stop", run.name()}).exitCode, 0);
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Stopped);
    QVERIFY(run.latestStep() > paused);
    QVERIFY(hasBitsOfUndisturbed(project, run, run.latestStep()));
}

void TstControl::D37_stopKeepsAndEvaluates()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless));
    QVERIFY(run.waitForStepAfter(500));
    const ProgramResult stopped = project.run({"stop", run.folder(), "--json"});
    QCOMPARE(stopped.exitCode, 0);
    const QJsonObject answer = QJsonDocument::fromJson(stopped.out.toUtf8()).object();
    QCOMPARE(answer["run"].toString(), run.name());
    QCOMPARE(answer["asked"].toString(), QString("stop_and_keep"));
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Stopped);
    QCOMPARE(run.record().globalStep, run.latestStep());
    QVERIFY(project.read("runs/" + run.name() + "/evaluations.jsonl")
                .contains(QString("\"global_step\":%1").arg(run.latestStep()).toUtf8()));
    for (const char* checkpoint : {"latest", "best"}) {
        const ProgramResult evaluated =
            project.run({"evaluate", run.name(), "--checkpoint", checkpoint});
        QVERIFY2(evaluated.exitCode == 0, qPrintable(evaluated.err));
    }
}

void TstControl::stopWhilePaused()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless));
    QCOMPARE(project.run({"pause", run.name()}).exitCode, 0);
    QVERIFY(run.waitForState("Paused"));
    const qint64 step = run.status()->global_step();
    QCOMPARE(project.run({"stop", run.name()}).exitCode, 0);
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Stopped);
    QCOMPARE(run.latestStep(), step);
}

void TstControl::stopWithoutSavingLosesTheSteps()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless, rareSaves()));
    QVERIFY(run.waitForStepAfter(100));
    QCOMPARE(project.run({"stop", run.name(), "--without-saving"}).exitCode, 0);
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Stopped);
    QVERIFY(run.record().globalStep > 100);
    QCOMPARE(run.latestStep(), 0);
}

void TstControl::checkpointNowSaves()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless, rareSaves()));
    QVERIFY(run.waitForStepAfter(100));
    QCOMPARE(run.latestStep(), 0);
    QCOMPARE(project.run({"checkpoint", run.name()}).exitCode, 0);
    QTRY_VERIFY_WITH_TIMEOUT(run.latestStep() > 100, DetachedRun::kPatience);
    const qint64 saved = run.latestStep();
    QVERIFY(run.waitForStepAfter(saved));
    QVERIFY(hasBitsOfUndisturbed(project, run, saved));
}

void TstControl::attachShowsAndLeaves()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless));
    const std::unique_ptr<QProcess> attached = project.start({"attach", run.name(), "--json"});
    QTRY_VERIFY_WITH_TIMEOUT(attached->canReadLine(), DetachedRun::kPatience);
    QJsonObject event;
    while (event["global_step"].toInteger() == 0) { // log lines have none
        QTRY_VERIFY_WITH_TIMEOUT(attached->canReadLine(), DetachedRun::kPatience);
        event = QJsonDocument::fromJson(attached->readLine()).object();
    }
    QCOMPARE(event["process_id"].toInteger(), qint64(run.engine().value_or(0)));
    QCOMPARE(event["max_steps"].toInteger(), DetachedRun::kEndless);
    kill(static_cast<pid_t>(attached->processId()), SIGINT);
    QVERIFY(attached->waitForFinished(DetachedRun::kPatience));
    QCOMPARE(attached->exitCode(), 0);
    QVERIFY(attached->readAllStandardError().contains("continues in the background"));
    const qint64 step = run.status()->global_step();
    QVERIFY(run.waitForStepAfter(step));
}

void TstControl::attachEndsWithTheRun()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless));
    const std::unique_ptr<QProcess> attached = project.start({"attach", run.name()});
    QByteArray said;
    QTRY_VERIFY_WITH_TIMEOUT((said += attached->readAllStandardError()).contains("Running") ||
                                 attached->state() == QProcess::NotRunning,
                             DetachedRun::kPatience);
    QVERIFY2(said.contains("Running"), said);
    QCOMPARE(project.run({"stop", run.name()}).exitCode, 0);
    QVERIFY(attached->waitForFinished(DetachedRun::kPatience));
    QCOMPARE(attached->exitCode(), 0);
    QVERIFY(attached->readAllStandardError().contains("Stopped, step"));
}

void TstControl::frozenWatcherHoldsNobodyUp()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless));
    const std::unique_ptr<QProcess> frozen = project.start({"attach", run.name(), "--json"});
    QTRY_VERIFY_WITH_TIMEOUT(frozen->canReadLine(), DetachedRun::kPatience);
    kill(static_cast<pid_t>(frozen->processId()), SIGSTOP);
    const auto atLast = qScopeGuard([&] {
        frozen->kill();
        frozen->waitForFinished();
    });
    QVERIFY(run.waitForStepAfter(run.status()->global_step() + 5000));
    QCOMPARE(project.run({"stop", run.name()}).exitCode, 0);
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Stopped);
}

void TstControl::nobodyThere()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--quiet"}).exitCode, 0);
    for (const char* command : {"stop", "pause", "checkpoint", "attach"}) {
        const ProgramResult result = project.run({command, "latest", "--json"});
        QCOMPARE(result.exitCode, 1);
        const QJsonObject error =
            QJsonDocument::fromJson(result.out.toUtf8()).object()["error"].toObject();
        QCOMPARE(error["id"].toString(), QString("control.not_running"));
    }
    const ProgramResult unknown = project.run({"stop", "no-such-run"});
    QCOMPARE(unknown.exitCode, 1);
    QVERIFY2(unknown.err.contains("There is no run 'no-such-run' in '.'."),
             qPrintable(unknown.err));
}

void TstControl::trainingInTheForegroundListens()
{
    const ProjectFixture project;
    QStringList words = DetachedRun::words(DetachedRun::kEndless, {"--model-dir", "elsewhere"});
    words.removeAll("--detach");
    const std::unique_ptr<QProcess> training = project.start(words);
    const std::string folder = project.path("elsewhere").toStdString();
    QTRY_VERIFY_WITH_TIMEOUT(control::ControlClient::connect(folder).has_value(),
                             DetachedRun::kPatience);
    QCOMPARE(project.run({"stop", "elsewhere"}).exitCode, 0);
    QVERIFY(training->waitForFinished(DetachedRun::kPatience));
    QCOMPARE(training->exitCode(), 0);
    const QJsonObject report = QJsonDocument::fromJson(training->readAllStandardOutput()).object();
    QCOMPARE(report["state"].toString(), QString("Stopped"));
}

void TstControl::withoutASocketItTrainsAllTheSame()
{
    const ProjectFixture project;
    const auto path = control::socketPathToListen(project.path("model").toStdString());
    VERIFY_OK(path);
    QVERIFY(QDir().mkpath(QString::fromStdString(*path)));
    const ProgramResult result = project.run({"train", "fixture.cannery", "--model-dir", "model"});
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.err.count("This training cannot be controlled"), 1);
    QVERIFY(project.exists("model/model.ckpt-60.index"));
}

void TstControl::crowdAtTheDoorEndsNoTraining()
{
    const ProjectFixture project;
    QStringList words = DetachedRun::words(DetachedRun::kEndless, {"--model-dir", "model"});
    words.removeAll("--detach");
    QProcess training;
    training.setWorkingDirectory(project.path("."));
    training.start("/bin/sh",
                   QStringList{"-c", "ulimit -n 64; exec \"$0\" \"$@\"", CANNERY_PROGRAM} + words);
    const std::string folder = project.path("model").toStdString();
    const auto step = [&] {
        auto client = control::ControlClient::connect(folder);
        const auto status = client ? client->status() : tl::make_unexpected(client.error());
        return status ? status->global_step() : -1;
    };
    QTRY_VERIFY_WITH_TIMEOUT(step() > 0, DetachedRun::kPatience);
    {
        const Crowd crowd(folder, 500);
        QCOMPARE(crowd.size(), 500);
        qint64 before = -1;
        QTRY_VERIFY_WITH_TIMEOUT((before = step()) > 0, DetachedRun::kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(step() > before + 1000, DetachedRun::kPatience);
    }
    QCOMPARE(project.run({"checkpoint", "model"}).exitCode, 0);
    QCOMPARE(project.run({"stop", "model"}).exitCode, 0);
    QVERIFY(training.waitForFinished(DetachedRun::kPatience));
    QCOMPARE(training.exitStatus(), QProcess::NormalExit);
    QCOMPARE(training.exitCode(), 0);
}

CANNERY_TEST(TstControl)
#include "tst_control.moc"
