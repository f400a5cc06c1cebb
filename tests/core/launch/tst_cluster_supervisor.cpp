// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/console/console.h"
#include "core/launch/cluster_supervisor.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::launch;
using namespace cannery::tests;
using namespace std::chrono_literals;

namespace {

/// A script that waits until a signal ends it, or until somebody writes to its pipe.
constexpr const char* kWait = "mkfifo $0.pipe 2>/dev/null; : > $0.waits; read line <> $0.pipe; ";

/// True for a running process, not for a zombie.
bool isAlive(pid_t process)
{
    QFile file(QString("/proc/%1/stat").arg(process));
    const QByteArray status = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    const qsizetype nameEnd = status.lastIndexOf(')');
    return nameEnd > 0 && status.mid(nameEnd + 2, 1) != "Z";
}

/// A folder in which scripts play the tasks of a cluster, in a process of its own. In a script, $0
/// is the task's name; files are relative to the folder.
class ScriptedCluster
{
public:
    ScriptedCluster()
    {
        supervision.firstPause = 1ms;
        supervision.patience = 60s;
        supervision.grace = 60s;
    }
    ~ScriptedCluster()
    {
        if (m_launcher > 0) {
            kill(m_launcher, SIGKILL);
            waitpid(m_launcher, nullptr, 0);
        }
    }
    ScriptedCluster(const ScriptedCluster&) = delete;
    ScriptedCluster& operator=(const ScriptedCluster&) = delete;

    /// The first one is the chief.
    void add(const std::string& name, const std::string& script)
    {
        supervision.tasks.push_back({.name = name,
                                     .program = "/bin/sh",
                                     .words = {"-c", "echo $$ > $0.id; " + script, name},
                                     .log = path(name + ".log"),
                                     .isShown = supervision.tasks.empty()});
    }

    void start(bool isJson = false)
    {
        std::fflush(stdout);
        m_launcher = fork();
        if (m_launcher == 0) {
            const auto redirect = [&](const char* name, int descriptor) {
                dup2(open(path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
            };
            redirect("out", STDOUT_FILENO);
            redirect("err", STDERR_FILENO);
            const bool isThere = chdir(path("").c_str()) == 0;
            app::Console console;
            console.setJson(isJson);
            const ClusterEnd end =
                isThere ? superviseCluster(console, supervision) : ClusterEnd{ExitCode::Failed};
            if (!end.lost.empty()) {
                console.diagnostic("lost: " + end.lost);
            }
            _exit(static_cast<int>(console.finish(end.code)));
        }
    }

    /// Its exit code; -1 if it does not end, 128 + signal if one ended it.
    int wait()
    {
        int status = 0;
        if (!QTest::qWaitFor([&] { return waitpid(m_launcher, &status, WNOHANG) == m_launcher; },
                             kPatience)) {
            return -1;
        }
        m_launcher = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    int run(bool isJson = false)
    {
        start(isJson);
        return wait();
    }

    void signal(int number) const { kill(m_launcher, number); }
    bool waitFor(const std::string& file) const
    {
        return QTest::qWaitFor([&] { return storage::exists(path(file)); }, kPatience);
    }
    pid_t processOf(const std::string& name) const
    {
        return static_cast<pid_t>(std::atoi(read(name + ".id").c_str()));
    }

    std::string path(const std::string& name) const
    {
        return m_folder.filePath(QString::fromStdString(name)).toStdString();
    }
    std::string read(const std::string& name) const
    {
        return storage::readWholeFile(path(name)).value_or("");
    }
    bool has(const std::string& file, const std::string& text) const
    {
        const bool found = read(file).find(text) != std::string::npos;
        if (!found) {
            qWarning("%s: %s", file.c_str(), read(file).c_str());
        }
        return found;
    }

    ClusterSupervision supervision;

private:
    QTemporaryDir m_folder;
    pid_t m_launcher = 0;
};

} // namespace

/// How the tasks of a cluster on this host are kept going and ended.
class TstClusterSupervisor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aKilledTaskIsStartedAgain();
    void aTaskThatLostAnotherIsStartedAgain();
    void aLostGroupOfGpusCountsOnce_data();
    void aLostGroupOfGpusCountsOnce();
    void aKilledChiefIsStartedAgainAndReportsOnce();
    void aKilledChiefGetsItsWorkersBack();
    void whoWasAskedToEndIsStartedAgainWithoutCounting();
    void aFailureEndsTheOthers();
    void theChiefsFailureIsItsOwn();
    void aTellingCodeWinsOverOne();
    void theSameFailureIsShownOnce();
    void oneRestartTooManyEndsTheCluster();
    void aClusterThatCanShrinkNamesTheLostTask();
    void aFailureShrinksNothing();
    void aChiefWithLastWordsStaysDown();
    void aProgramThatIsMissingIsAFailure();
    void aWorkersMissingProgramEndsTheOthers();
    void aSignalGoesToAll_data();
    void aSignalGoesToAll();
    void aTaskThatWaitsForItsRestartIsNotStartedAfterASignal();
    void whoIgnoresTheEndIsKilled();
    void workersThatOutliveTheChiefAreAskedToEnd();
    void anEvaluatorHasItsTime();
    void nobodySurvivesAKilledLauncher();
    void outputGoesToTheLogs();
};

void TstClusterSupervisor::aKilledTaskIsStartedAgain()
{
    ScriptedCluster cluster;
    cluster.add("chief:0", kWait + std::string("exit 0"));
    cluster.add("worker:0", "if [ ! -e died ]; then : > died; kill -9 $$; fi; "
                            "while [ ! -p chief:0.pipe ]; do :; done; echo > chief:0.pipe");
    QCOMPARE(cluster.run(), 0);
    QVERIFY(cluster.has("err", "worker:0 was killed by signal 9; starting it again (1 of 3)."));
}

void TstClusterSupervisor::aTaskThatLostAnotherIsStartedAgain()
{
    ScriptedCluster cluster;
    cluster.add("chief:0",
                "echo >> runs; [ $(wc -l < runs) = 3 ] || exit 20$(($(wc -l < runs) - 1))");
    QCOMPARE(cluster.run(), 0);
    QVERIFY(cluster.has("err", "chief:0 ended with exit code 200; starting it again (1 of 3)."));
    QVERIFY(cluster.has("err", "chief:0 ended with exit code 201; starting it again (2 of 3)."));
}

/// All that train on GPUs together end with one of them, which may be seen to end last.
void TstClusterSupervisor::aLostGroupOfGpusCountsOnce_data()
{
    QTest::addColumn<std::string>("chief");
    QTest::addColumn<std::string>("worker");
    QTest::addColumn<bool>("counts");
    const std::string once = "if [ ! -e $0.died ]; then : > $0.died; ";
    QTest::newRow("the lost one first")
        << once + "sleep 0.3; exit 202; fi" << once + "kill -9 $$; fi; sleep 0.3" << true;
    QTest::newRow("the lost one last")
        << once + "exit 202; fi; sleep 1" << once + "sleep 0.3; kill -9 $$; fi" << true;
    QTest::newRow("asked to end, first")
        << once + "sleep 0.3; exit 202; fi" << once + "exit 143; fi; sleep 0.3" << false;
    QTest::newRow("asked to end, last")
        << once + "exit 202; fi; sleep 1" << once + "sleep 0.3; exit 143; fi" << true;
}

void TstClusterSupervisor::aLostGroupOfGpusCountsOnce()
{
    QFETCH(const std::string, chief);
    QFETCH(const std::string, worker);
    QFETCH(const bool, counts);
    ScriptedCluster cluster;
    cluster.supervision.maxRestarts = counts ? 1 : 0;
    cluster.add("chief:0", chief);
    cluster.add("worker:0", worker);
    QCOMPARE(cluster.run(), 0);
    QVERIFY(!counts || cluster.has("err", "starting it again (1 of 1)."));
    QVERIFY(cluster.has("err", "; starting it again.\n"));
}

void TstClusterSupervisor::aKilledChiefIsStartedAgainAndReportsOnce()
{
    ScriptedCluster cluster;
    cluster.add("chief:0", "if [ ! -e died ]; then : > died; echo lost; kill -9 $$; fi; echo won");
    QCOMPARE(cluster.run(), 0);
    QCOMPARE(cluster.read("out"), std::string("won\n"));
}

void TstClusterSupervisor::aKilledChiefGetsItsWorkersBack()
{
    ScriptedCluster cluster;
    cluster.add("chief:0", "while [ ! -e worker:0.runs ]; do :; done; "
                           "if [ ! -e died ]; then while kill -0 $(cat worker:0.id); do :; done; "
                           ": > died; kill -9 $$; fi; "
                           "while [ $(wc -l < worker:0.runs) != 2 ]; do :; done");
    cluster.add("worker:0", "echo >> worker:0.runs");
    QCOMPARE(cluster.run(), 0);
    QCOMPARE(cluster.read("worker:0.runs"), std::string("\n\n"));
}

void TstClusterSupervisor::whoWasAskedToEndIsStartedAgainWithoutCounting()
{
    ScriptedCluster cluster;
    cluster.supervision.maxRestarts = 0;
    cluster.add("chief:0", "while [ ! -e done ]; do :; done");
    cluster.add("worker:0", "if [ -e asked ]; then : > done; exit 0; fi; : > asked; exit 143");
    QCOMPARE(cluster.run(), 0);
    QVERIFY(cluster.has("err", "worker:0 was asked to end; starting it again."));
}

void TstClusterSupervisor::aFailureEndsTheOthers()
{
    ScriptedCluster cluster;
    cluster.add("chief:0", "trap 'echo stopped; : > asked; exit 143' TERM; " + std::string(kWait));
    cluster.add("worker:0", "trap ': > asked-too; exit 143' TERM; " + std::string(kWait));
    cluster.add("worker:1", "while [ ! -e chief:0.waits ] || [ ! -e worker:0.waits ]; do :; done; "
                            "echo 'error: No such table.' >&2; exit 3");
    QCOMPARE(cluster.run(true), 3);
    QVERIFY(storage::exists(cluster.path("asked")) && storage::exists(cluster.path("asked-too")));
    QVERIFY(cluster.has("err", "worker:1: error: No such table."));
    QVERIFY(cluster.has("err", "error: The task worker:1 ended with exit code 3; the cluster was "
                               "stopped. The output of the task is in " +
                                   cluster.path("worker:1.log")));
    QVERIFY(cluster.read("err").find("again") == std::string::npos);
    // One document, not the chief's as well
    const QJsonObject failure =
        QJsonDocument::fromJson(QByteArray::fromStdString(cluster.read("out"))).object();
    QCOMPARE(failure["error"].toObject()["id"].toString(), QString("launch.task_failed"));
    QCOMPARE(failure["error"].toObject()["notes"].toArray(), QJsonArray({"error: No such table."}));
}

void TstClusterSupervisor::theChiefsFailureIsItsOwn()
{
    ScriptedCluster cluster;
    cluster.add("chief:0", "echo 'the report'; echo 'error: NaN.' >&2; exit 4");
    cluster.add("worker:0", kWait);
    QCOMPARE(cluster.run(true), 4);
    QCOMPARE(cluster.read("out"), std::string("the report\n"));
    QCOMPARE(cluster.read("err"), std::string("error: NaN.\n"));
}

void TstClusterSupervisor::aTellingCodeWinsOverOne()
{
    ScriptedCluster cluster;
    cluster.add("chief:0", "trap 'exit 4' TERM; " + std::string(kWait));
    cluster.add("worker:0", "while [ ! -e chief:0.waits ]; do :; done; exit 1");
    QCOMPARE(cluster.run(), 4);

    ScriptedCluster other;
    other.add("chief:0", "trap 'exit 4' TERM; " + std::string(kWait));
    other.add("worker:0", "while [ ! -e chief:0.waits ]; do :; done; exit 3");
    QCOMPARE(other.run(), 3);
}

void TstClusterSupervisor::theSameFailureIsShownOnce()
{
    ScriptedCluster cluster;
    cluster.add("chief:0",
                "trap 'echo the report; echo No table. >&2; exit 3' TERM; " + std::string(kWait));
    cluster.add("worker:0", "while [ ! -e chief:0.waits ]; do :; done; echo No table. >&2; exit 3");
    QCOMPARE(cluster.run(true), 3);
    QCOMPARE(cluster.read("err"), std::string("No table.\n"));
    QCOMPARE(cluster.read("out"), std::string("the report\n"));
}

void TstClusterSupervisor::oneRestartTooManyEndsTheCluster()
{
    for (const int restarts : {0, 2}) {
        ScriptedCluster cluster;
        cluster.supervision.maxRestarts = restarts;
        cluster.add("chief:0", kWait);
        cluster.add("worker:0", "echo >> runs; kill -9 $$");
        QCOMPARE(cluster.run(), 128 + SIGKILL);
        QCOMPARE(cluster.read("runs").size(), static_cast<std::size_t>(1 + restarts));
        QVERIFY(cluster.has(
            "err", fmt::format("error: The task worker:0 was killed by signal 9, and tasks were "
                               "started again {} times already",
                               restarts)));
    }
}

void TstClusterSupervisor::aClusterThatCanShrinkNamesTheLostTask()
{
    ScriptedCluster cluster;
    cluster.supervision.canShrink = true;
    cluster.supervision.maxRestarts = 1;
    cluster.add("chief:0", "trap 'exit 143' TERM; " + std::string(kWait));
    cluster.add("worker:0", "while [ ! -e chief:0.waits ]; do :; done; kill -9 $$");
    QCOMPARE(cluster.run(), 143);
    QVERIFY(cluster.has("err", "lost: worker:0 was killed by signal 9\n"));
    QVERIFY(cluster.read("err").find("error: ") == std::string::npos);
}

/// Not by what would happen again with fewer workers.
void TstClusterSupervisor::aFailureShrinksNothing()
{
    ScriptedCluster cluster;
    cluster.supervision.canShrink = true;
    cluster.add("chief:0", kWait);
    cluster.add("worker:0", "exit 3");
    QCOMPARE(cluster.run(), 3);
    QVERIFY(cluster.has("err", "error: The task worker:0 ended with exit code 3;"));
}

void TstClusterSupervisor::aChiefWithLastWordsStaysDown()
{
    ScriptedCluster cluster;
    cluster.supervision.folder = cluster.path("run");
    QVERIFY(storage::makeFolders(cluster.path("run")));
    storage::RunFiles run(cluster.path("run"));
    QVERIFY(run.writeStatus({.state = storage::RunState::Failed, .reason = "A bug."}));
    cluster.add("chief:0", "kill -ABRT $$");
    QCOMPARE(cluster.run(), 128 + SIGABRT);
    QVERIFY(cluster.has("err", "error: The task chief:0 was killed by signal 6;"));
}

void TstClusterSupervisor::aProgramThatIsMissingIsAFailure()
{
    ScriptedCluster cluster;
    cluster.add("chief:0", "");
    cluster.supervision.tasks[0].program = "/nowhere/cannery";
    QCOMPARE(cluster.run(), 127);
    QVERIFY(cluster.has("err",
                        "warning: The program /nowhere/cannery could not be started: No such "
                        "file or directory."));
}

/// The others get the end that any failure brings.
void TstClusterSupervisor::aWorkersMissingProgramEndsTheOthers()
{
    ScriptedCluster cluster;
    cluster.add("chief:0", "trap 'exit 143' TERM; " + std::string(kWait));
    cluster.add("worker:0", "");
    cluster.supervision.tasks[1].program = "/nowhere/cannery";
    QCOMPARE(cluster.run(), 127);
    QVERIFY(cluster.has("err", "error: The task worker:0 ended with exit code 127;"));
}

void TstClusterSupervisor::aSignalGoesToAll_data()
{
    QTest::addColumn<int>("number");
    QTest::addColumn<QString>("name");
    QTest::newRow("terminate") << SIGTERM << "TERM";
    QTest::newRow("Ctrl-C") << SIGINT << "INT";
    QTest::newRow("the terminal is closed") << SIGHUP << "HUP";
}

void TstClusterSupervisor::aSignalGoesToAll()
{
    QFETCH(const int, number);
    QFETCH(const QString, name);
    ScriptedCluster cluster;
    const std::string script = "trap 'echo stopped; echo >> $0.asked; exit " +
                               std::to_string(128 + number) + "' " + name.toStdString() + "; " +
                               kWait;
    cluster.add("chief:0", script);
    cluster.add("worker:0", script);
    cluster.start();
    QVERIFY(cluster.waitFor("chief:0.waits") && cluster.waitFor("worker:0.waits"));
    cluster.signal(number);
    QCOMPARE(cluster.wait(), 128 + number);
    QCOMPARE(cluster.read("chief:0.asked"), std::string("\n"));
    QCOMPARE(cluster.read("worker:0.asked"), std::string("\n"));
    QCOMPARE(cluster.read("out"), std::string("stopped\n"));
    QCOMPARE(cluster.read("err"), std::string());
}

void TstClusterSupervisor::aTaskThatWaitsForItsRestartIsNotStartedAfterASignal()
{
    ScriptedCluster cluster;
    cluster.supervision.firstPause = 1h;
    cluster.add("chief:0", "echo >> runs; kill -9 $$");
    cluster.start();
    QVERIFY(QTest::qWaitFor([&] { return !cluster.read("err").empty(); }, kPatience));
    cluster.signal(SIGTERM);
    QCOMPARE(cluster.wait(), 128 + SIGTERM);
    QCOMPARE(cluster.read("runs"), std::string("\n"));
}

void TstClusterSupervisor::whoIgnoresTheEndIsKilled()
{
    ScriptedCluster cluster;
    cluster.supervision.grace = 10ms;
    cluster.add("chief:0", "trap '' TERM; " + std::string(kWait));
    cluster.add("worker:0", "while [ ! -e chief:0.waits ]; do :; done; exit 3");
    QCOMPARE(cluster.run(), 3);
    QVERIFY(cluster.has("err", "chief:0 has not ended by itself; it gets signal 9."));
    QVERIFY(!isAlive(cluster.processOf("chief:0")));
}

void TstClusterSupervisor::workersThatOutliveTheChiefAreAskedToEnd()
{
    ScriptedCluster cluster;
    cluster.supervision.patience = 10ms;
    cluster.add("chief:0", "while [ ! -e worker:0.waits ]; do :; done");
    cluster.add("worker:0", "trap ': > asked; exit 143' TERM; " + std::string(kWait));
    QCOMPARE(cluster.run(), 0);
    QVERIFY(storage::exists(cluster.path("asked")));
}

void TstClusterSupervisor::anEvaluatorHasItsTime()
{
    // It waits for a worker that waits to be asked to end; before, it is killed and comes back.
    ScriptedCluster cluster;
    cluster.supervision.patience = 10ms;
    cluster.add("chief:0", "while [ ! -e worker:0.waits ]; do :; done");
    cluster.add("worker:0", "trap ': > asked; exit 143' TERM; " + std::string(kWait));
    cluster.add("evaluator:0", "while [ ! -e asked ]; do :; done; "
                               "if [ ! -e died ]; then : > died; kill -9 $$; fi; : > evaluated");
    QCOMPARE(cluster.run(), 0);
    QVERIFY(storage::exists(cluster.path("evaluated")));
    QVERIFY(cluster.has("err", "evaluator:0 was killed by signal 9; starting it again (1 of 3)."));
}

void TstClusterSupervisor::nobodySurvivesAKilledLauncher()
{
    ScriptedCluster cluster;
    cluster.add("chief:0", "trap '' TERM HUP INT; " + std::string(kWait));
    cluster.add("worker:0", "trap '' TERM HUP INT; " + std::string(kWait));
    cluster.start();
    QVERIFY(cluster.waitFor("chief:0.waits") && cluster.waitFor("worker:0.waits"));
    const pid_t chief = cluster.processOf("chief:0");
    const pid_t worker = cluster.processOf("worker:0");
    QVERIFY(isAlive(chief) && isAlive(worker));
    cluster.signal(SIGKILL);
    QCOMPARE(cluster.wait(), 128 + SIGKILL);
    QVERIFY(QTest::qWaitFor([&] { return !isAlive(chief) && !isAlive(worker); }, kPatience));
}

void TstClusterSupervisor::outputGoesToTheLogs()
{
    ScriptedCluster cluster;
    const std::string script = "echo \"$0 says\"; echo \"$0 warns\" >&2";
    cluster.add("chief:0", script);
    cluster.add("worker:0", script + "; if [ ! -e died ]; then : > died; kill -9 $$; fi");
    cluster.add("worker:1", script);
    QCOMPARE(storage::realFileSystem().create(cluster.path("worker:1.log")).has_value(), true);
    QCOMPARE(cluster.run(), 0);
    QCOMPARE(cluster.read("out"), std::string("chief:0 says\n"));
    QVERIFY(cluster.has("err", "chief:0 warns\n"));
    QVERIFY(cluster.has("chief:0.log", "chief:0 says\n") &&
            cluster.has("chief:0.log", "chief:0 warns\n"));
    QVERIFY(cluster.read("worker:0.log").starts_with("worker:0 says\nworker:0 warns\n"));
    QCOMPARE(cluster.read("worker:1.log"), std::string("worker:1 says\nworker:1 warns\n"));
    QVERIFY(cluster.read("err").find("worker:1") == std::string::npos);
}

CANNERY_TEST(TstClusterSupervisor)
#include "tst_cluster_supervisor.moc"
