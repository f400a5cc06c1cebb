// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/detached_run.h"
#include "tests/support/test_main.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>
#include <unistd.h>

using namespace cannery;
using namespace cannery::tests;

/// Trainings in the background and their supervisor (D-39).
class TstSupervisor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void detachedRunIsInASessionOfItsOwn();
    void errorsBeforeTheRunAreTold();
    void D39_fiftyKillsCostNoBits();
    void D39_engineIsStartedAgainSoOftenOnly();
    void D39_engineWithLastWordsStaysDown();
    void signalIsPassedOn();
    void stoppedRunIsResumedInTheBackground();
    void supervisorInTheForeground();
    void starterThatIgnoresTheEndsOfChildren();
    void runThatWasKilledAtItsEndIsFinished();

private:
    /// Kills the engine and waits until another one trains.
    bool killAndWaitForNext(const DetachedRun& run) const;

    QTemporaryDir m_runtime;
};

void TstSupervisor::init()
{
    qputenv("XDG_RUNTIME_DIR", m_runtime.path().toUtf8());
}

bool TstSupervisor::killAndWaitForNext(const DetachedRun& run) const
{
    const std::optional<pid_t> before = run.engine();
    if (!before) {
        return false;
    }
    kill(*before, SIGKILL);
    return QTest::qWaitFor(
        [&] {
            const auto status = run.status();
            return status && status->process_id() != *before && status->state() == "Running" &&
                   status->global_step() > 0;
        },
        DetachedRun::kPatience);
}

void TstSupervisor::detachedRunIsInASessionOfItsOwn()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless, {"--nice"}));
    QVERIFY2(run.started(), qPrintable(run.result().err));
    QCOMPARE(run.folder(), project.path("runs/" + run.name()));
    QVERIFY(run.waitForStepAfter(0));
    QCOMPARE(getsid(run.supervisor()), run.supervisor());
    QCOMPARE(getsid(run.engine().value_or(0)), run.supervisor());
    QCOMPARE(project.run({"stop", run.name()}).exitCode, 0);
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Stopped);
}

void TstSupervisor::errorsBeforeTheRunAreTold()
{
    const ProjectFixture project;
    project.write("broken.csv", "id,x,y,colour,label\n1,2\n");
    const DetachedRun run(project,
                          DetachedRun::words(60, {"--set", "data.train.csv.files=broken.csv"}));
    QVERIFY(!run.started());
    QCOMPARE(run.result().exitCode, 3);
    const QJsonObject error =
        QJsonDocument::fromJson(run.result().out.toUtf8()).object()["error"].toObject();
    QVERIFY2(!error["id"].toString().isEmpty() && !error["sentence"].toString().isEmpty(),
             qPrintable(run.result().out));
    QVERIFY(!project.exists("runs"));
    QCOMPARE(project.run({"train", "fixture.cannery", "--detach", "--restarts", "-1"}).exitCode, 2);
}

void TstSupervisor::D39_fiftyKillsCostNoBits()
{
    constexpr int kKills = 50;
    const ProjectFixture project;
    const DetachedRun run(project,
                          DetachedRun::words(DetachedRun::kEndless, {"--restarts", "1000"}));
    QVERIFY(run.waitForStepAfter(500));
    for (int i = 0; i < kKills; ++i) {
        QVERIFY2(killAndWaitForNext(run), qPrintable(QString::number(i) + "\n" + run.log()));
    }
    QCOMPARE(run.log().count("Signal 9"), kKills);
    QCOMPARE(project.run({"stop", run.name()}).exitCode, 0);
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Stopped);
    QVERIFY(hasBitsOfUndisturbed(project, run, run.latestStep()));
}

void TstSupervisor::D39_engineIsStartedAgainSoOftenOnly()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless, {"--restarts", "1"}));
    QVERIFY(run.waitForStepAfter(0));
    QVERIFY(killAndWaitForNext(run));
    kill(run.engine().value_or(0), SIGSEGV);
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Interrupted);
}

void TstSupervisor::D39_engineWithLastWordsStaysDown()
{
    const ProjectFixture project;
    const DetachedRun run(
        project,
        DetachedRun::words(DetachedRun::kEndless,
                           {"--restarts", "5", "--set",
                            "estimator.dnn_classifier.optimizer.adam.learning_rate=1e30"}));
    QVERIFY(run.started());
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Failed);
    QVERIFY(run.log().contains("NaN"));
    QVERIFY(!run.log().contains("Signal"));
}

void TstSupervisor::signalIsPassedOn()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(DetachedRun::kEndless, {"--restarts", "5"}));
    QVERIFY(run.waitForStepAfter(0));
    kill(run.supervisor(), SIGTERM);
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Stopped);
    QCOMPARE(run.record().globalStep, run.latestStep());
}

void TstSupervisor::stoppedRunIsResumedInTheBackground()
{
    const ProjectFixture project;
    const DetachedRun first(project, DetachedRun::words(DetachedRun::kEndless));
    QVERIFY(first.waitForStepAfter(0));
    QCOMPARE(project.run({"stop", first.name()}).exitCode, 0);
    QVERIFY(first.waitForEnd());
    const qint64 step = first.latestStep();
    const DetachedRun second(project, {"resume", first.name(), "--detach", "--json", "--restarts",
                                       "100", "--max-steps", QString::number(step + 2000)});
    QCOMPARE(second.name(), first.name());
    QVERIFY(second.waitForEnd());
    QCOMPARE(second.record().state, storage::RunState::Finished);
    QVERIFY(hasBitsOfUndisturbed(project, second, step + 2000));
}

void TstSupervisor::supervisorInTheForeground()
{
    const ProjectFixture project;
    QStringList words =
        DetachedRun::words(DetachedRun::kEndless, {"--restarts", "1", "--model-dir", "runs/here"});
    words.removeAll("--detach");
    const std::unique_ptr<QProcess> training = project.start(words);
    const std::string folder = project.path("runs/here").toStdString();
    const auto otherEngine = [&](std::int64_t known) -> std::int64_t {
        auto client = control::ControlClient::connect(folder);
        const auto status = client ? client->status() : tl::make_unexpected(client.error());
        return status && status->global_step() > 500 && status->process_id() != known
                   ? status->process_id()
                   : 0;
    };
    std::int64_t engine = 0;
    QTRY_VERIFY_WITH_TIMEOUT((engine = otherEngine(0)) != 0, DetachedRun::kPatience);
    QVERIFY(engine != training->processId());
    kill(static_cast<pid_t>(engine), SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(otherEngine(engine) != 0, DetachedRun::kPatience);
    kill(static_cast<pid_t>(training->processId()), SIGINT);
    QVERIFY(training->waitForFinished(DetachedRun::kPatience));
    QCOMPARE(training->exitCode(), 130);
    const QJsonObject report = QJsonDocument::fromJson(training->readAllStandardOutput()).object();
    QCOMPARE(report["state"].toString(), QString("Stopped"));
}

/// With SIGCHLD ignored, which programs inherit, the system keeps no exit codes of children.
void TstSupervisor::starterThatIgnoresTheEndsOfChildren()
{
    const ProjectFixture project;
    const auto exitCodeOf = [&](const QStringList& more) {
        QProcess training;
        training.setWorkingDirectory(project.path("."));
        training.setChildProcessModifier([] { std::signal(SIGCHLD, SIG_IGN); });
        training.start(CANNERY_PROGRAM,
                       QStringList{"train", "fixture.cannery", "--restarts", "1", "--quiet"} +
                           more);
        return training.waitForFinished(DetachedRun::kPatience) ? training.exitCode() : -1;
    };
    QCOMPARE(exitCodeOf({"--set", "train_spec.max_steps=20"}), 0);
    project.write("broken.csv", "id,x,y,colour,label\n1,2\n");
    QCOMPARE(exitCodeOf({"--set", "data.train.csv.files=broken.csv"}), 3);
}

void TstSupervisor::runThatWasKilledAtItsEndIsFinished()
{
    const ProjectFixture project;
    const DetachedRun run(project, DetachedRun::words(1500));
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.record().state, storage::RunState::Finished);
    // As if it had died between its last checkpoint and its last record.
    const QString state = "runs/" + run.name() + "/state.json";
    project.write(state, project.read(state).replace("Finished", "Running"));
    const DetachedRun again(project, {"resume", run.name(), "--detach", "--json"});
    QVERIFY(again.started());
    QVERIFY(again.waitForEnd());
    QCOMPARE(again.record().state, storage::RunState::Finished);
    QCOMPARE(again.record().globalStep, 1500);
}

CANNERY_TEST(TstSupervisor)
#include "tst_supervisor.moc"
