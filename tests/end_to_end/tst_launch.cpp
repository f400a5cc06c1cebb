// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_lock.h"
#include "tests/end_to_end/detached_run.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

#include <csignal>

using namespace cannery;
using namespace cannery::tests;

namespace {

const QStringList kEndlessSteps{"--set", "train_spec.max_steps=100000000", "--set",
                                "run_config.save_checkpoints_steps=100"};

/// Steps of four batches, which one, two or four workers share.
void writeCluster(const ProjectFixture& project)
{
    project.write("fixture.cannery",
                  project.experiment("train_spec {",
                                     "strategy { multi_worker_mirrored {} virtual_shards: 4 }\n"
                                     "train_spec {"));
}

QByteArray ofProcess(const QString& process, const char* what)
{
    QFile file("/proc/" + process + "/" + what);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The child of a process that has this in its environment; 0: none.
pid_t childWith(qint64 parent, const char* text)
{
    const QStringList processes = QDir("/proc").entryList(QDir::Dirs);
    for (const QString& process : processes) {
        const QByteArray status = ofProcess(process, "status");
        if (status.contains("\nPPid:\t" + QByteArray::number(parent) + "\n") &&
            ofProcess(process, "environ").contains(text)) {
            return static_cast<pid_t>(process.toInt());
        }
    }
    return 0;
}

} // namespace

/// `cannery launch`: a cluster on this host.
class TstLaunch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void wrongNumbersAreRefused_data();
    void wrongNumbersAreRefused();
    void problemsAreReportedOnceAndStartNothing();
    void aTableThatIsMissingIsReportedByTheChief();
    void helpNamesTheShortOption();
    void jobsAreDescribedToPlatforms();
    void jobsWithParameterServersAreDescribedToPlatforms();
    void aJobThatNoTaskWouldTrainIsNotDescribed();
    void aJobTrainsTheFileAsItIs();
    void aChiefAloneTrainsAsTrainDoes();
    void whoHasNothingLeftToDoEndsAtOnce();
    void aKilledChiefContinuesItsRun();
    void aClusterGoesOnInTheBackground();
    void aClusterInTheBackgroundReportsWhatIsMissing();
    void aClusterShrinksToTheSameBits();
};

void TstLaunch::wrongNumbersAreRefused_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("sentence");
    const QString count = "-n says how many workers train, the chief included: 1 to 256, not %1.";
    QTest::newRow("none") << QStringList{} << count.arg(0);
    QTest::newRow("zero") << QStringList{"-n", "0"} << count.arg(0);
    QTest::newRow("negative") << QStringList{"--workers=-2"} << count.arg(-2);
    QTest::newRow("too many") << QStringList{"-n", "257"} << count.arg(257);
    QTest::newRow("no number") << QStringList{"-n", "two"} << "two";
    QTest::newRow("two numbers") << QStringList{"-n", "2", "--max", "3"} << "give one of them";
    QTest::newRow("no minimum") << QStringList{"--max", "2", "--min", "0"}
                                << "--min must be from 1 to the number of workers, 2, not 0.";
    QTest::newRow("too high a minimum")
        << QStringList{"-n", "2", "--min", "3"}
        << "--min must be from 1 to the number of workers, 2, not 3.";
    QTest::newRow("elsewhere") << QStringList{"-n", "2", "--detach", "--dry-run", "slurm"}
                               << "are for a cluster on this machine";
    QTest::newRow("no servers") << QStringList{"-n", "2", "--ps", "-1"}
                                << "--ps says how many parameter servers there are: 0 to 256";
    QTest::newRow("restarts") << QStringList{"-n", "2", "--max-restarts", "-1"}
                              << "--max-restarts must be at least 0, not -1.";
}

void TstLaunch::wrongNumbersAreRefused()
{
    QFETCH(const QStringList, words);
    QFETCH(const QString, sentence);
    const ProjectFixture project;
    const ProgramResult result = project.run(QStringList{"launch", "fixture.cannery"} + words);
    QCOMPARE(result.exitCode, 2);
    QVERIFY2(result.err.contains(sentence), qPrintable(result.err));
    QVERIFY(!project.exists("runs"));
}

void TstLaunch::problemsAreReportedOnceAndStartNothing()
{
    const ProjectFixture project;
    const ProgramResult result =
        project.run({"launch", "fixture.cannery", "-n", "4", "--set", "train_spec.max_steps=-1"});
    QCOMPARE(result.exitCode, 3);
    QCOMPARE(result.err.count("error: "), 1);
    QVERIFY(!project.exists("runs"));
}

void TstLaunch::aTableThatIsMissingIsReportedByTheChief()
{
    const ProjectFixture project;
    const ProgramResult result = project.run({"launch", "fixture.cannery", "-n", "1", "--set",
                                              "data.train.csv.files=absent.csv", "--json"});
    QCOMPARE(result.exitCode, 3);
    QCOMPARE(result.err.count("absent.csv"), 1);
    QVERIFY(json(result)["error"].isObject());
    QVERIFY(json(project.run({"runs", "--json"}))["runs"].toArray().isEmpty());
}

void TstLaunch::helpNamesTheShortOption()
{
    const ProjectFixture project;
    QVERIFY(project.run({"help", "launch"}).out.contains("  -n, --workers N  "));
    QVERIFY(project.run({"completion", "bash"})
                .out.contains("--workers --min --max --ps --evaluator "));
}

void TstLaunch::jobsAreDescribedToPlatforms()
{
    const ProjectFixture project;
    writeCluster(project);
    const QStringList launch{"launch", "fixture.cannery", "-n", "4", "--dry-run"};
    const ProgramResult kubernetes = project.run(
        launch + QStringList{"kubernetes", "--image", "registry.example/it:3", "--evaluator"});
    QVERIFY2(kubernetes.exitCode == 0, qPrintable(kubernetes.err));
    for (const char* line :
         {"kind: Job\n", "  name: fixture\n", "value: \"chief:1,worker:3,evaluator:1\"\n",
          "image: \"registry.example/it:3\"\n", "- \"/project/fixture.cannery\"\n",
          "- \"/project/models/fixture\"\n"}) {
        QVERIFY2(kubernetes.out.contains(line), line);
    }
    static const QRegularExpression kToken("  token: \"?[0-9a-f]{32}\"?\n");
    QVERIFY(kubernetes.out.contains(kToken));
    QVERIFY(project.run(launch + QStringList{"kubeflow"}).out.contains("kind: TFJob\n"));
    const ProgramResult slurm =
        project.run(launch + QStringList{"slurm", "--model-dir", "runs/big/", "--threads", "8"});
    for (const QString& line :
         {QString("#SBATCH --ntasks=4\n"), QString("#SBATCH --cpus-per-task=8\n"),
          QString("cd '%1' || exit 2\n").arg(QDir::cleanPath(project.path(""))),
          QString("train './fixture.cannery' --model-dir './runs/big' --threads 8")}) {
        QVERIFY2(slurm.out.contains(line), qPrintable(line + "\n" + slurm.out));
    }
    QVERIFY(!project.exists("runs") && !project.exists("models"));
}

void TstLaunch::jobsWithParameterServersAreDescribedToPlatforms()
{
    const ProjectFixture project;
    project.write(
        "fixture.cannery",
        project.experiment("train_spec {", "strategy { parameter_server {} }\ntrain_spec {"));
    const QStringList launch{"launch", "fixture.cannery", "-n",       "4", "--ps",
                             "2",      "--evaluator",     "--dry-run"};
    const ProgramResult kubernetes = project.run(launch + QStringList{"kubernetes"});
    QVERIFY2(kubernetes.exitCode == 0, qPrintable(kubernetes.err));
    QVERIFY(kubernetes.out.contains("value: \"chief:1,worker:3,ps:2,evaluator:1\"\n"));
    QVERIFY(kubernetes.out.contains("  completions: 7\n"));
    const ProgramResult kubeflow = project.run(launch + QStringList{"kubeflow"});
    QVERIFY(kubeflow.out.contains("    PS:\n      replicas: 2\n"));
    const ProgramResult slurm = project.run(launch + QStringList{"slurm"});
    QVERIFY(slurm.out.contains("#SBATCH --ntasks=7\n"));
    QVERIFY(slurm.out.contains("='chief:1,worker:3,ps:2,evaluator:1'\n"));
}

void TstLaunch::aJobThatNoTaskWouldTrainIsNotDescribed()
{
    const ProjectFixture project;
    const QStringList launch{"launch", "fixture.cannery", "-n", "4", "--dry-run", "kubernetes"};
    const ProgramResult alone = project.run(launch);
    QVERIFY2(alone.exitCode != 0 && alone.out.isEmpty() &&
                 alone.err.contains("the strategy one_device trains on one machine"),
             qPrintable(alone.err));
    writeCluster(project);
    const ProgramResult unused = project.run(launch + QStringList{"--ps", "2"});
    QVERIFY2(unused.exitCode != 0 && unused.out.isEmpty() &&
                 unused.err.contains("the strategy multi_worker_mirrored does not use them"),
             qPrintable(unused.err));
}

void TstLaunch::aJobTrainsTheFileAsItIs()
{
    const ProjectFixture project;
    writeCluster(project);
    const QStringList launch{"launch", "fixture.cannery", "-n", "4", "--dry-run", "slurm"};
    const ProgramResult set = project.run(launch + QStringList{"--set", "train_spec.max_steps=70"});
    QCOMPARE(set.exitCode, 2);
    QVERIFY(set.err.contains("belong into the file") && set.out.isEmpty());
    const ProgramResult outside = project.run(launch + QStringList{"--model-dir", "../elsewhere"});
    QVERIFY2(outside.exitCode == 1 && outside.err.contains("a path below the project folder"),
             qPrintable(outside.err));
    QCOMPARE(project.run(launch + QStringList{"-n", "0"}).exitCode, 2);
}

void TstLaunch::aChiefAloneTrainsAsTrainDoes()
{
    const ProjectFixture project;
    const ProgramResult trained =
        project.run({"train", "fixture.cannery", "--json", "--seed", "5", "--quiet"});
    const ProgramResult launched =
        project.run({"launch", "fixture.cannery", "-n", "1", "--json", "--seed", "5", "--quiet"});
    QVERIFY2(launched.exitCode == 0, qPrintable(launched.err));
    QCOMPARE(launched.err, trained.err);
    QJsonObject expected = json(trained);
    QJsonObject report = json(launched);
    QCOMPARE(report["run"].toString(), QString("run-002"));
    QCOMPARE(report["model_dir"].toString(),
             expected["model_dir"].toString().replace("run-001", "run-002"));
    for (const char* key : {"run", "model_dir"}) {
        report.remove(QLatin1String(key));
        expected.remove(QLatin1String(key));
    }
    QCOMPARE(QJsonDocument(report).toJson(), QJsonDocument(expected).toJson());
    const QString bits = "runs/run-00%1/model.ckpt-60.data-00000-of-00001";
    QVERIFY(project.read(bits.arg(1)).size() > 100);
    QCOMPARE(project.read(bits.arg(1)), project.read(bits.arg(2)));
    QVERIFY(project.read("runs/run-002/launch/chief-0.log").contains("\"global_step\": 60"));
}

void TstLaunch::whoHasNothingLeftToDoEndsAtOnce()
{
    const ProjectFixture project;
    writeCluster(project);
    const QStringList words{"launch",      "fixture.cannery",
                            "-n",          "2",
                            "--model-dir", "run",
                            "--set",       "train_spec.max_steps=100000000",
                            "--set",       "train_spec.input.num_epochs=2"};
    QCOMPARE(project.run(words).exitCode, 0);
    const ProgramResult again = project.run(words);
    QCOMPARE(again.exitCode, 0);
    QVERIFY2(!again.err.contains("has not ended by itself"), qPrintable(again.err));
}

void TstLaunch::aKilledChiefContinuesItsRun()
{
    const ProjectFixture project;
    const auto launcher = project.start(
        {"launch", "fixture.cannery", "-n", "1", "--json", "--log-dir", "logs", "--set",
         "train_spec.max_steps=100000000", "--set", "run_config.save_checkpoints_steps=500"});
    const std::string folder = project.path("runs/run-001").toStdString();
    const auto chief = [&] {
        const auto owner = storage::RunLock::owner(folder);
        return owner ? static_cast<pid_t>(owner->processId) : 0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(project.exists("runs/run-001/model.ckpt-500.index"), kPatience);
    const pid_t first = chief();
    QVERIFY(first > 0 && first != launcher->processId());
    kill(first, SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(chief() != 0 && chief() != first, kPatience);
    kill(static_cast<pid_t>(launcher->processId()), SIGTERM);
    QVERIFY(launcher->waitForFinished(kPatience));
    QCOMPARE(launcher->exitCode(), 128 + SIGTERM);
    const QByteArray told = launcher->readAllStandardError();
    QVERIFY2(told.contains("chief:0 was killed by signal 9; starting it again (1 of 3)."), told);
    QCOMPARE(QDir(project.path("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot),
             QStringList{"run-001"});
}

void TstLaunch::aClusterGoesOnInTheBackground()
{
    const ProjectFixture project;
    writeCluster(project);
    const DetachedRun run(
        project,
        QStringList{"launch", "fixture.cannery", "-n", "2", "--detach", "--json"} + kEndlessSteps);
    QVERIFY2(run.started(), qPrintable(run.result().err));
    QCOMPARE(run.name(), QString("run-001"));
    QVERIFY(run.waitForStepAfter(100));
    QVERIFY(run.engine() && *run.engine() != run.supervisor());
    QCOMPARE(project.run({"stop", "run-001"}).exitCode, 0);
    QVERIFY(run.waitForEnd());
    QVERIFY(run.record().state == storage::RunState::Stopped);
    for (const char* log : {"chief-0.log", "worker-0.log", "launcher.log"}) {
        QVERIFY2(project.exists(QString("runs/run-001/launch/") + log), log);
    }
}

void TstLaunch::aClusterInTheBackgroundReportsWhatIsMissing()
{
    const ProjectFixture project;
    const ProgramResult result = project.run({"launch", "fixture.cannery", "-n", "1", "--detach",
                                              "--set", "data.train.csv.files=absent.csv"});
    QCOMPARE(result.exitCode, 3);
    QVERIFY2(result.err.contains("absent.csv"), qPrintable(result.err));
    QVERIFY(result.out.isEmpty());
}

/// The second worker is lost for good, and the first one computes its batches too.
void TstLaunch::aClusterShrinksToTheSameBits()
{
    const ProjectFixture project;
    writeCluster(project);
    const QStringList more{"--set", "train_spec.max_steps=3000", "--set",
                           "run_config.save_checkpoints_steps=100"};
    const auto launcher = project.start(QStringList{"launch", "fixture.cannery", "--min", "1",
                                                    "--max", "2", "--max-restarts", "0"} +
                                        more);
    QTRY_VERIFY_WITH_TIMEOUT(project.exists("runs/run-001/model.ckpt-100.index"), kPatience);
    const pid_t worker = childWith(launcher->processId(), R"("type":"worker")");
    QVERIFY(worker > 0 && kill(worker, SIGKILL) == 0);
    QVERIFY(launcher->waitForFinished(kPatience));
    const QByteArray told = launcher->readAllStandardError();
    QVERIFY2(launcher->exitCode() == 0, told);
    QVERIFY2(told.contains("worker:0 was killed by signal 9 once too often; training goes on with "
                           "1 worker"),
             told);
    QCOMPARE(project.run(QStringList{"train", "fixture.cannery", "--quiet"} + more).exitCode, 0);
    const QString bits = "runs/run-00%1/model.ckpt-3000.data-00000-of-00001";
    QVERIFY(project.read(bits.arg(1)).size() > 100);
    QVERIFY(project.read(bits.arg(1)) == project.read(bits.arg(2)));
}

CANNERY_TEST(TstLaunch)
#include "tst_launch.moc"
