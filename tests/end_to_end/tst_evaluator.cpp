// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTest>

#include <csignal>
#include <set>

using namespace cannery;
using namespace cannery::tests;

namespace {

const QByteArray kExporters = "eval_spec { exporter { final_exporter { name: \"final\" } } "
                              "exporter { best_exporter { name: \"best\" } }";

/// Ends when it is asked to.
const QStringList kEndless{"--set", "train_spec.max_steps=100000000",
                           "--set", "run_config.save_checkpoints_steps=100",
                           "--set", "eval_spec.start_delay_secs=0"};

/// Names a task for the programs started while it exists.
class TaskOfCluster
{
public:
    explicit TaskOfCluster(const QByteArray& json) { qputenv("TF_CONFIG", json); }
    ~TaskOfCluster() { qunsetenv("TF_CONFIG"); }
    TaskOfCluster(const TaskOfCluster&) = delete;
    TaskOfCluster& operator=(const TaskOfCluster&) = delete;
};

const QByteArray kChiefConfig =
    R"({"cluster":{"chief":["127.0.0.1:1"],"evaluator":["127.0.0.1:2"]},)"
    R"("task":{"type":"chief","index":0}})";

QByteArray evaluatorConfig(int index = 0)
{
    return R"({"cluster":{"chief":["127.0.0.1:1"]},"task":{"type":"evaluator","index":)" +
           QByteArray::number(index) + "}}";
}

std::vector<storage::RunEvaluation> evaluationsOf(const ProjectFixture& project)
{
    const std::string folder = project.path("runs/run-001").toStdString();
    return storage::RunFiles(folder).readEvaluations().value_or(
        std::vector<storage::RunEvaluation>());
}

/// The process in evaluator.lock; 0: none yet.
pid_t evaluatorOf(const ProjectFixture& project)
{
    static const QRegularExpression kProcess("pid (\\d+)\n");
    const QString text = project.read("runs/run-001/evaluator.lock");
    return static_cast<pid_t>(kProcess.match(text).captured(1).toInt());
}

QString evaluatorsLog(const ProjectFixture& project)
{
    return project.read("runs/run-001/launch/evaluator-0.log");
}

} // namespace

/// The evaluator of a cluster, a process that trains nothing.
class TstEvaluator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itEvaluatesAndExportsWhatTheChiefSaves();
    void earlyStoppingReadsItsEvaluations();
    void checkpointsThatVanishGiveWayToNewerOnes();
    void aKilledOneContinues();
    void itWaitsForAChiefThatIsStartedAgain();
    void aFolderHasOne();
    void mistakesAreSentences_data();
    void mistakesAreSentences();
};

void TstEvaluator::itEvaluatesAndExportsWhatTheChiefSaves()
{
    const ProjectFixture project;
    project.write("fixture.cannery", project.experiment("eval_spec {", kExporters));
    const QStringList more{"--json", "--seed", "5"};
    QVERIFY(project.run(QStringList{"train", "fixture.cannery"} + more).exitCode == 0);
    const std::vector<storage::RunEvaluation> expected = evaluationsOf(project);
    QDir(project.path("runs/run-001")).removeRecursively();

    const ProgramResult launched =
        project.run(QStringList{"launch", "fixture.cannery", "-n", "1", "--evaluator",
                                "--model-dir", "runs/run-001"} +
                    more);
    QVERIFY2(launched.exitCode == 0, qPrintable(launched.err));
    const std::vector<storage::RunEvaluation> found = evaluationsOf(project);
    QVERIFY(!found.empty());
    QCOMPARE(found.back().globalStep, 60);
    QVERIFY(found.back().metrics == expected.back().metrics);
    QVERIFY2(evaluatorsLog(project).contains("step 60: evaluated"),
             qPrintable(evaluatorsLog(project)));
    const QJsonObject report = json(launched);
    QVERIFY(report["metrics"].toObject()["accuracy"].toDouble() > 0.5);
    QVERIFY(report["exports"].toArray().size() >= 2);
    for (const char* exporter : {"final", "best"}) {
        const QDir folder(project.path("runs/run-001/export/" + QString(exporter)));
        QVERIFY(!folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
    }
    const QJsonObject run = json(project.run({"runs", "show", "run-001", "--json"}));
    QCOMPARE(run["evaluations"].toArray().last().toObject()["global_step"].toInt(), 60);
    QVERIFY(run["exports"].toArray().size() >= 2);
    QCOMPARE(project.run({"verify"}).exitCode, 0);
}

void TstEvaluator::earlyStoppingReadsItsEvaluations()
{
    const ProjectFixture project;
    project.write("fixture.cannery",
                  project.experiment("max_steps: 60",
                                     "max_steps: 100000000 hook { stop_if_higher_hook { "
                                     "metric_name: \"accuracy\" threshold: 0.5 "
                                     "run_every_steps: 1 } }"));
    const ProgramResult launched =
        project.run({"launch", "fixture.cannery", "-n", "1", "--evaluator", "--json", "--set",
                     "eval_spec.start_delay_secs=0"});
    QVERIFY2(launched.exitCode == 0, qPrintable(launched.err));
    const QJsonObject report = json(launched);
    QVERIFY2(report["reason"].toString().contains("accuracy"), qPrintable(launched.out));
    QCOMPARE(evaluationsOf(project).back().globalStep, report["global_step"].toInt());
}

void TstEvaluator::checkpointsThatVanishGiveWayToNewerOnes()
{
    const ProjectFixture project;
    const ProgramResult launched = project.run(
        {"launch", "fixture.cannery", "-n", "1", "--evaluator", "--set",
         "run_config.save_checkpoints_steps=1", "--set", "run_config.keep_checkpoint_max=1",
         "--set", "train_spec.max_steps=400", "--set", "eval_spec.start_delay_secs=0"});
    QVERIFY2(launched.exitCode == 0,
             qPrintable(launched.err + QString::fromUtf8(evaluatorsLog(project).toUtf8())));
    std::set<std::int64_t> steps;
    for (const storage::RunEvaluation& evaluation : evaluationsOf(project)) {
        QVERIFY2(steps.insert(evaluation.globalStep).second, "a step was evaluated twice");
    }
    QCOMPARE(*steps.rbegin(), 400);
}

void TstEvaluator::aKilledOneContinues()
{
    const ProjectFixture project;
    const auto launcher = project.start(
        QStringList{"launch", "fixture.cannery", "-n", "1", "--evaluator"} + kEndless);
    QTRY_VERIFY_WITH_TIMEOUT(!evaluationsOf(project).empty(), kPatience);
    const pid_t first = evaluatorOf(project);
    QVERIFY(first > 0 && kill(first, SIGKILL) == 0);
    QTRY_VERIFY_WITH_TIMEOUT(evaluatorOf(project) != first, kPatience);
    const std::size_t before = evaluationsOf(project).size();
    QTRY_VERIFY_WITH_TIMEOUT(evaluationsOf(project).size() > before, kPatience);
    QCOMPARE(project.run({"stop", "run-001"}).exitCode, 0);
    QVERIFY(launcher->waitForFinished(kPatience));
    const QByteArray told = launcher->readAllStandardError();
    QVERIFY2(launcher->exitCode() == 0, told);
    QVERIFY2(told.contains("evaluator:0 was killed by signal 9; starting it again (1 of 3)."),
             told);
    const auto status = storage::RunFiles(project.path("runs/run-001").toStdString()).readStatus();
    QVERIFY(status && status->state == storage::RunState::Stopped);
    QCOMPARE(evaluationsOf(project).back().globalStep, status->globalStep);
}

void TstEvaluator::itWaitsForAChiefThatIsStartedAgain()
{
    const ProjectFixture project;
    const QStringList train =
        QStringList{"train", "fixture.cannery", "--model-dir", "runs/run-001"} + kEndless;
    const auto evaluator = [&] {
        const TaskOfCluster task(evaluatorConfig());
        return project.start(train);
    }();
    QTRY_VERIFY_WITH_TIMEOUT(evaluatorOf(project) > 0, kPatience);
    const auto chief = [&] {
        const TaskOfCluster task(kChiefConfig);
        return project.start(train);
    };
    const auto first = chief();
    QTRY_VERIFY_WITH_TIMEOUT(!evaluationsOf(project).empty(), kPatience);
    first->terminate();
    QVERIFY(first->waitForFinished(kPatience));
    QCOMPARE(first->exitCode(), 128 + SIGTERM);
    const auto status = storage::RunFiles(project.path("runs/run-001").toStdString()).readStatus();
    // The evaluator has seen the end of the first training once it has evaluated its last step.
    QTRY_COMPARE_WITH_TIMEOUT(evaluationsOf(project).back().globalStep, status->globalStep,
                              kPatience);
    const auto second = chief();
    QTRY_VERIFY_WITH_TIMEOUT(evaluationsOf(project).back().globalStep > status->globalStep,
                             kPatience);
    QCOMPARE(project.run({"stop", "run-001"}).exitCode, 0);
    QVERIFY(second->waitForFinished(kPatience));
    QVERIFY(evaluator->waitForFinished(kPatience));
    QCOMPARE(evaluator->exitCode(), 0);
}

void TstEvaluator::aFolderHasOne()
{
    const ProjectFixture project;
    const TaskOfCluster task(evaluatorConfig());
    const QStringList words{"train", "fixture.cannery", "--model-dir", "runs/run-001"};
    const auto first = project.start(words);
    QTRY_VERIFY_WITH_TIMEOUT(evaluatorOf(project) > 0, kPatience);
    const ProgramResult second = project.run(words);
    QCOMPARE(second.exitCode, 1);
    QVERIFY2(second.err.contains("a cluster has one evaluator"), qPrintable(second.err));
    first->terminate();
    QVERIFY(first->waitForFinished(kPatience));
    QCOMPARE(first->exitCode(), 128 + SIGTERM);
}

void TstEvaluator::mistakesAreSentences_data()
{
    QTest::addColumn<int>("index");
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("sentence");
    const QStringList folder{"--model-dir", "models"};
    QTest::newRow("second") << 1 << folder << 1 << "this process is evaluator 1";
    QTest::newRow("no folder") << 0 << QStringList{} << 1 << "name their model_dir";
    QTest::newRow("nothing to evaluate on")
        << 0 << folder + QStringList{"--copy", "without.cannery"} << 3
        << "eval_spec needs rows to evaluate on";
}

void TstEvaluator::mistakesAreSentences()
{
    QFETCH(const int, index);
    QFETCH(const QStringList, words);
    QFETCH(const int, exitCode);
    QFETCH(const QString, sentence);
    const ProjectFixture project;
    project.write("without.cannery",
                  project.experiment("  eval { csv { files: \"table.csv\" } }\n", ""));
    const TaskOfCluster task(evaluatorConfig(index));
    const ProgramResult result = project.run(QStringList{"train", "fixture.cannery"} + words);
    QVERIFY2(result.err.contains(sentence), qPrintable(result.err));
    QCOMPARE(result.exitCode, exitCode);
}

CANNERY_TEST(TstEvaluator)
#include "tst_evaluator.moc"
