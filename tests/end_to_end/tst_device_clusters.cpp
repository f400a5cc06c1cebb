// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "tests/end_to_end/device_machine.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/cluster_tasks.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <map>

using namespace cannery;
using namespace cannery::tests;

namespace {

const QString kNccl = "strategy={ multi_worker_mirrored { communication_options { implementation: "
                      "NCCL } } }";
const QString kTwoGpus = "strategy={ mirrored { devices: [\"GPU:0\", \"GPU:1\"] } }";

/// All tensors but copies of slots, which only several replicas of one process have.
std::map<std::string, std::vector<std::byte>> tensorsOf(const QString& checkpoint)
{
    std::map<std::string, std::vector<std::byte>> tensors;
    const auto reader = storage::CheckpointReader::open(checkpoint.toStdString());
    if (!reader) {
        return tensors;
    }
    for (const storage::CheckpointEntry& entry : reader->entries()) {
        const auto tensor = reader->read(entry.name);
        if (tensor && entry.name.find("replica_") == std::string::npos) {
            tensors[entry.name] = {tensor->bytes.begin(), tensor->bytes.end()};
        }
    }
    return tensors;
}

QStringList steps(int last, int saved)
{
    return {"--set", QString("train_spec.max_steps=%1").arg(last), "--set",
            QString("run_config.save_checkpoints_steps=%1").arg(saved)};
}

/// Words of a training that only a signal ends.
QStringList endlessTraining(int saved)
{
    return QStringList{"train", "fixture.cannery", "--set", kNccl, "--model-dir", "run"} +
           steps(100'000'000, saved);
}

} // namespace

/// Tasks of a cluster that train on emulated GPUs, one each.
class TstDeviceClusters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void trainTheBitsOfOneProcessWithTheirGpus();
    void endAgainAtTheEndOfTheirInput();
    void shareOutTheGpusOfAHost();
    void goOnInTheSameBitsAfterALoss_data();
    void goOnInTheSameBitsAfterALoss();
    void endTogetherWhenTheChiefIsAskedTo();
    void saveWhatThereIsWhenAWorkerIsAskedToEnd();
    void endAsAskedWithoutAWorkerThatHasEnded();
    void endWithTheErrorOfWhoHasNoNccl();

private:
    QTemporaryDir m_groups;
    std::unique_ptr<Machine> m_machine;
};

void TstDeviceClusters::init()
{
    qputenv("CANNERY_CUDA_PLUGIN", CANNERY_EMULATED_PLUGIN);
    m_machine = std::make_unique<Machine>(
        Machine::Variables{{"CANNERY_EMULATED_GROUPS", qPrintable(m_groups.path())}, {kGpus, "3"}});
}

void TstDeviceClusters::cleanup()
{
    m_machine.reset();
}

void TstDeviceClusters::trainTheBitsOfOneProcessWithTheirGpus()
{
    const ProjectFixture project;
    const ProgramResult cluster =
        project.run({"launch", "fixture.cannery", "-n", "2", "--set", kNccl, "--model-dir", "two"});
    QVERIFY2(cluster.exitCode == 0, qPrintable(cluster.err));
    const ProgramResult one =
        project.run({"train", "fixture.cannery", "--set", kTwoGpus, "--model-dir", "one"});
    QVERIFY2(one.exitCode == 0, qPrintable(one.err));
    const auto expected = tensorsOf(project.path("one/model.ckpt-60"));
    QVERIFY(expected.size() > 3);
    QVERIFY(tensorsOf(project.path("two/model.ckpt-60")) == expected);
}

/// The chief has nothing left to train, and needs no other task.
void TstDeviceClusters::endAgainAtTheEndOfTheirInput()
{
    const ProjectFixture project;
    ClusterTasks tasks(project.path("."), 2,
                       QStringList{"train", "fixture.cannery", "--set", kNccl, "--set",
                                   "train_spec.input.num_epochs=2", "--model-dir", "run"} +
                           steps(100'000, 10));
    tasks.startAll();
    QCOMPARE(tasks.endAll(), (QList<int>{0, 0}));
    const qint64 last = newestStep(project.path("run"));
    QVERIFY(last > 0);
    tasks.start(0);
    QVERIFY2(tasks.end(0) == 0, qPrintable(tasks.told(0)));
    QCOMPARE(newestStep(project.path("run")), last);
}

void TstDeviceClusters::shareOutTheGpusOfAHost()
{
    const ProjectFixture project;
    const ProgramResult result = project.run(
        {"launch", "fixture.cannery", "-n", "2", "--set", kNccl, "--model-dir", "two", "--json"});
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    QVERIFY(project.read("two/run.json").contains("\"device\": \"GPU:0 (Emulated device), "));
    const ProgramResult many = project.run(
        {"launch", "fixture.cannery", "-n", "4", "--set", kNccl, "--model-dir", "many"});
    QVERIFY2(many.err.contains("Task 4 of this host has no GPU of its own, as the host has 3"),
             qPrintable(many.err));
    const Machine one{{kGpus, "0"}};
    const ProgramResult without = project.run(
        {"launch", "fixture.cannery", "-n", "2", "--set", kNccl, "--model-dir", "none"});
    QVERIFY(without.exitCode != 0);
    QVERIFY2(without.err.contains("This machine has no GPU"), qPrintable(without.err));
}

void TstDeviceClusters::goOnInTheSameBitsAfterALoss_data()
{
    QTest::addColumn<QString>("task");
    QTest::newRow("chief") << "chief:0";
    QTest::newRow("worker") << "worker:0";
}

void TstDeviceClusters::goOnInTheSameBitsAfterALoss()
{
    QFETCH(QString, task);
    const ProjectFixture project;
    const QStringList words =
        QStringList{"launch", "fixture.cannery", "-n", "3", "--set", kNccl} + steps(400, 50);
    QCOMPARE(project.run(words + QStringList{"--model-dir", "whole"}).exitCode, 0);
    const auto launcher = project.start(words + QStringList{"--model-dir", "killed"});
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(project.path("killed")) >= 50, kPatience);
    const pid_t victim = launchedTask(launcher->processId(), task);
    QVERIFY(victim > 0);
    QCOMPARE(kill(victim, SIGKILL), 0);
    QVERIFY(launcher->waitForFinished(kPatience));
    const QByteArray told = launcher->readAllStandardError();
    QVERIFY2(launcher->exitCode() == 0, told);
    QVERIFY2(told.contains("killed by signal 9"), told);
    QVERIFY2(told.contains("ended with exit code 202; starting it again"), told);
    const QString bits = "/model.ckpt-400.data-00000-of-00001";
    QVERIFY(project.read("whole" + bits).size() > 100);
    QCOMPARE(project.read("killed" + bits), project.read("whole" + bits));
}

void TstDeviceClusters::endTogetherWhenTheChiefIsAskedTo()
{
    const ProjectFixture project;
    ClusterTasks tasks(project.path("."), 2, endlessTraining(200));
    tasks.startAll();
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(project.path("run")) >= 200, kPatience);
    tasks.signal(0, SIGTERM);
    QCOMPARE(tasks.endAll(), (QList<int>{128 + SIGTERM, 128 + SIGTERM}));
}

void TstDeviceClusters::saveWhatThereIsWhenAWorkerIsAskedToEnd()
{
    const ProjectFixture project;
    ClusterTasks tasks(project.path("."), 2, endlessTraining(100'000'000));
    tasks.startAll();
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(project.path("run")) == 0, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(project.read("run/train.log").contains("The training rows are"),
                             kPatience);
    QTest::qWait(300); // some steps
    tasks.signal(1, SIGTERM);
    QCOMPARE(tasks.endAll(), (QList<int>{202, 128 + SIGTERM}));
    QVERIFY(newestStep(project.path("run")) > 0);
}

/// As when Ctrl-C reaches one after the other: the chief may just wait for who is gone.
void TstDeviceClusters::endAsAskedWithoutAWorkerThatHasEnded()
{
    const ProjectFixture project;
    ClusterTasks tasks(project.path("."), 2, endlessTraining(100'000'000));
    tasks.startAll();
    QTRY_VERIFY_WITH_TIMEOUT(project.read("run/train.log").contains("The training rows are"),
                             kPatience);
    tasks.signal(1, SIGTERM);
    QCOMPARE(tasks.end(1), 128 + SIGTERM);
    tasks.signal(0, SIGTERM);
    QVERIFY2(tasks.end(0) == 128 + SIGTERM, qPrintable(tasks.told(0)));
    QVERIFY(newestStep(project.path("run")) > 0);
}

void TstDeviceClusters::endWithTheErrorOfWhoHasNoNccl()
{
    const ProjectFixture project;
    ClusterTasks tasks(project.path("."), 2,
                       {"train", "fixture.cannery", "--set", kNccl, "--model-dir", "run"});
    tasks.start(0);
    tasks.start(1, {}, {"CANNERY_EMULATED_NO_NCCL=1"});
    const QList<int> codes = tasks.endAll();
    QCOMPARE(codes, (QList<int>{1, 1}));
    QVERIFY2(tasks.told(1).contains("Several GPUs add up with NCCL, which cannot be loaded"),
             qPrintable(tasks.told(1)));
    QVERIFY2(tasks.told(0).contains("which cannot be loaded"), qPrintable(tasks.told(0)));
}

CANNERY_TEST(TstDeviceClusters)
#include "tst_device_clusters.moc"
