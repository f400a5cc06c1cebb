// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/device_machine.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

#include <cmath>

using namespace cannery::tests;

namespace {

const QString kOnGpus = "strategy={ mirrored { devices: [\"GPU:0\", \"GPU:1\"] } }";
const QString kOnFaster = "strategy={ one_device { device: \"auto\" } }";

ProgramResult train(const ProjectFixture& project, const QString& strategy,
                    const QStringList& more = {})
{
    return project.run(QStringList{"train", "fixture.cannery", "--set", strategy} + more);
}

QJsonObject shown(const ProjectFixture& project)
{
    return json(project.run({"runs", "show", "run-001", "--json"}));
}

} // namespace

/// Programs on a machine whose GPU is emulated.
class TstDevices : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void exportedProgramsTrainOnTheSameDevice();
    void doctorListsTheGpus();
    void withoutNcclGpusDoNotTrainTogether();
    void doctorSaysWhyThereIsNoGpu();
    void doctorSaysWhyAGpuCannotBeUsed();
    void theGpuTrainsWhatTheCpuTrains_data();
    void theGpuTrainsWhatTheCpuTrains();
    void runsAndCheckpointsSayWhatTrained();
    void theFasterDeviceIsFoundByTrying();
    void whereThereIsNoGpuTheCpuTrains();
    void aMissingGpuIsRefused();
    void aRunOfSeveralGpusIsResumed_data();
    void aRunOfSeveralGpusIsResumed();
    void aRunGoesOnWithoutItsGpu();
    void aLostGpuEndsWithItsOwnExitCode();
    void aTrainingWithRestartsSurvivesTheLossOfItsGpu();
    void tooLittleMemoryProposesABatch();
};

void TstDevices::init()
{
    qputenv("CANNERY_CUDA_PLUGIN", CANNERY_EMULATED_PLUGIN);
}

void TstDevices::exportedProgramsTrainOnTheSameDevice()
{
    const ProjectFixture project;
    const auto programFor = [&](const QByteArray& strategy) {
        QByteArray text = project.read("fixture.cannery");
        project.write("gpu.cannery", text + "\nstrategy { " + strategy + " }\n");
        return project.run({"export", "gpu.cannery", "--as", "program"});
    };
    const QString rounding = "tf.config.experimental.enable_tensor_float_32_execution(%1)";
    const ProgramResult second = programFor("one_device { device: \"GPU:1\" }");
    QVERIFY2(second.out.contains("train_distribute=tf.distribute.OneDeviceStrategy('/gpu:1')"),
             qPrintable(second.out + second.err));
    QVERIFY(second.out.contains(rounding.arg("False")));
    const ProgramResult rounded =
        programFor("one_device { device: \"auto\" } precision: tensor_float_32");
    QVERIFY2(rounded.out.contains(rounding.arg("True")), qPrintable(rounded.out + rounded.err));
    QVERIFY(!rounded.out.contains("train_distribute"));
    QVERIFY(!programFor("one_device {}").out.contains("tensor_float_32"));
    const ProgramResult refused =
        programFor("one_device { device: \"GPU:0\" } precision: mixed_bfloat16");
    QCOMPARE(refused.exitCode, 1);
    QVERIFY2(refused.err.contains("strategy.precision"), qPrintable(refused.err));
}

void TstDevices::doctorListsTheGpus()
{
    const Machine machine{{kGpus, "2"}, {kMemory, "2000000000"}};
    const ProjectFixture project;
    const QJsonObject found = json(project.run({"doctor", "--json"}));
    QVERIFY(found["no_gpu"].isNull());
    const QJsonArray gpus = found["gpus"].toArray();
    QCOMPARE(gpus.size(), 2);
    const QJsonObject second = gpus[1].toObject();
    QCOMPARE(second["device"].toString(), QString("GPU:1"));
    QCOMPARE(second["name"].toString(), QString("Emulated device"));
    QCOMPARE(second["memory_bytes"].toInteger(), 2'000'000'000);
    QVERIFY(second["problem"].isNull());
    QVERIFY(!second["kernels"].toArray().isEmpty());
    const QString text = project.run({"doctor"}).out;
    QVERIFY2(text.contains("GPU:1      Emulated device, 2.0 GB, 2.0 GB free, driver 1.0"),
             qPrintable(text));
    QVERIFY2(text.contains("Kernels used on GPU:0:\n"), qPrintable(text));
    QVERIFY(found.contains("no_group") && found["no_group"].isNull());
    QVERIFY2(!text.contains("\ngpus "), qPrintable(text));
}

void TstDevices::withoutNcclGpusDoNotTrainTogether()
{
    const Machine machine{{kGpus, "2"}, {"CANNERY_EMULATED_NO_NCCL", "1"}};
    const ProjectFixture project;
    const QString problem = "Several GPUs add up with NCCL, which cannot be loaded";
    const QJsonObject found = json(project.run({"doctor", "--json"}));
    QVERIFY(found["no_group"].toString().startsWith(problem));
    const QString text = project.run({"doctor"}).out;
    QVERIFY2(text.contains("gpus       " + problem), qPrintable(text));
    const ProgramResult refused = train(project, kOnGpus, QStringList{"--json"});
    QCOMPARE(refused.exitCode, 1);
    QCOMPARE(json(refused)["error"].toObject()["id"].toString(), QString("gpu.no_nccl"));
    QCOMPARE(train(project, kOnGpu).exitCode, 0);
}

void TstDevices::doctorSaysWhyThereIsNoGpu()
{
    const ProjectFixture project;
    {
        const Machine old{{"CANNERY_EMULATED_OLD_DRIVER", "1"}};
        const QJsonObject found = json(project.run({"doctor", "--json"}));
        QVERIFY(found["gpus"].toArray().isEmpty());
        QVERIFY2(found["no_gpu"].toString().contains("driver is too old"),
                 qPrintable(found["no_gpu"].toString()));
    }
    qputenv("CANNERY_CUDA_PLUGIN", "/nowhere/libcannery_cuda.so");
    const ProgramResult text = project.run({"doctor"});
    QCOMPARE(text.exitCode, 0);
    QVERIFY2(text.out.contains("gpu        The part of Cannery for GPUs is not installed"),
             qPrintable(text.out));
}

void TstDevices::doctorSaysWhyAGpuCannotBeUsed()
{
    const Machine busy{{"CANNERY_EMULATED_BUSY", "1"}};
    const ProjectFixture project;
    const QJsonObject found = json(project.run({"doctor", "--json"}));
    const QString problem = found["gpus"].toArray()[0].toObject()["problem"].toString();
    QVERIFY2(problem.startsWith("GPU:0 (Emulated device) is in use"), qPrintable(problem));
    QVERIFY(project.run({"doctor"}).out.contains("; cannot be used: GPU:0 (Emulated device) is"));
}

void TstDevices::theGpuTrainsWhatTheCpuTrains_data()
{
    QTest::addColumn<QString>("onCpu");
    QTest::addColumn<QString>("onGpu");
    QTest::newRow("one") << kOnCpu << kOnGpu;
    QTest::newRow("replicas") << "strategy={ mirrored { devices: [\"CPU:0\", \"CPU:1\"] } }"
                              << kOnGpus;
}

void TstDevices::theGpuTrainsWhatTheCpuTrains()
{
    QFETCH(QString, onCpu);
    QFETCH(QString, onGpu);
    const Machine machine{{kGpus, "2"}};
    const ProjectFixture project;
    const QString noDropout = "estimator.dnn_classifier.dropout=0";
    const QStringList asJson{"--set", noDropout, "--json", "--model-dir"};
    const ProgramResult cpu = train(project, onCpu, asJson + QStringList("cpu"));
    const ProgramResult gpu = train(project, onGpu, asJson + QStringList("gpu"));
    QVERIFY2(gpu.exitCode == 0, qPrintable(gpu.err));
    const QJsonObject expected = json(cpu)["metrics"].toObject();
    const QJsonObject found = json(gpu)["metrics"].toObject();
    QVERIFY(expected.contains("average_loss"));
    QCOMPARE(found.keys(), expected.keys());
    for (const QString& metric : expected.keys()) {
        QVERIFY2(std::abs(expected[metric].toDouble() - found[metric].toDouble()) < 1e-4,
                 qPrintable(metric + " " + QString::number(found[metric].toDouble())));
    }
}

void TstDevices::runsAndCheckpointsSayWhatTrained()
{
    const ProjectFixture project;
    const ProgramResult trained = train(project, kOnGpu);
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    QCOMPARE(shown(project)["device"].toString(), QString(kGpu) + ", float32");
    const QString text = project.run({"runs", "show", "run-001"}).out;
    QVERIFY2(text.contains("device      " + QString(kGpu) + ", float32"), qPrintable(text));
    const QByteArray sidecar = project.read("runs/run-001/model.ckpt-60.cannery");
    QVERIFY2(sidecar.contains(" on Emulated device\n"), sidecar.constData());
}

void TstDevices::theFasterDeviceIsFoundByTrying()
{
    const ProjectFixture project;
    const ProgramResult trained = train(project, kOnFaster);
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const QString device = shown(project)["device"].toString();
    QVERIFY2(device.contains(" steps/s, ") && device.contains(kGpu), qPrintable(device));
    const QByteArray log = project.read("runs/run-001/train.log");
    QVERIFY2(log.contains("tried for a moment."), log.constData());
    // The input and the state are those of a training that tries nothing.
    const QString same = device.startsWith("CPU") ? kOnCpu : kOnGpu;
    QCOMPARE(train(project, same, {"--model-dir", "same"}).exitCode, 0);
    const QString tensors = "model.ckpt-60.data-00000-of-00001";
    QCOMPARE(project.read("runs/run-001/" + tensors), project.read("same/" + tensors));
}

void TstDevices::whereThereIsNoGpuTheCpuTrains()
{
    const Machine none{{kGpus, "0"}};
    const ProjectFixture project;
    const ProgramResult trained = train(project, kOnFaster);
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    QCOMPARE(shown(project)["device"].toString(), QString("CPU"));
    const QByteArray log = project.read("runs/run-001/train.log");
    QVERIFY2(log.contains("The CPU trains: This machine has no GPU"), log.constData());
}

void TstDevices::aMissingGpuIsRefused()
{
    const ProjectFixture project;
    const ProgramResult refused = train(project, "strategy={ one_device { device: \"GPU:3\" } }");
    QCOMPARE(refused.exitCode, 1);
    QVERIFY2(refused.err.contains("There is no GPU:3: this machine has one GPU"),
             qPrintable(refused.err));
    QVERIFY(!project.exists("runs"));
    const ProgramResult ofTwo = train(project, kOnGpus);
    QCOMPARE(ofTwo.exitCode, 1);
    QVERIFY2(ofTwo.err.contains("There is no GPU:1: this machine has one GPU"),
             qPrintable(ofTwo.err));
}

void TstDevices::aRunOfSeveralGpusIsResumed_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("as it is") << QStringList();
    QTest::newRow("normalized over all batches")
        << QStringList{"--set", "estimator.dnn_classifier.batch_norm=true", "--set",
                       "strategy.batch_norm_scope=global"};
}

void TstDevices::aRunOfSeveralGpusIsResumed()
{
    QFETCH(QStringList, options);
    const Machine machine{{kGpus, "2"}};
    const ProjectFixture project;
    const QStringList longer{"--set", "train_spec.max_steps=80", "--model-dir", "whole"};
    QCOMPARE(train(project, kOnGpus, options + longer).exitCode, 0);
    const ProgramResult trained = train(project, kOnGpus, options);
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    QCOMPARE(shown(project)["device"].toString(),
             QString("GPU:0, GPU:1 (Emulated device), float32"));
    const ProgramResult resumed = project.run({"resume", "run-001", "--max-steps", "80"});
    QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.err));
    const QString tensors = "model.ckpt-80.data-00000-of-00001";
    QCOMPARE(project.read("runs/run-001/" + tensors), project.read("whole/" + tensors));
}

void TstDevices::aRunGoesOnWithoutItsGpu()
{
    const ProjectFixture project;
    const QString anyGpu = "strategy={ mirrored {} }";
    QCOMPARE(train(project, anyGpu).exitCode, 0);
    QCOMPARE(shown(project)["device"].toString(), QString(kGpu) + ", float32");
    const Machine none{{kGpus, "0"}};
    const ProgramResult resumed = project.run({"resume", "run-001", "--max-steps", "80"});
    QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.err));
    QCOMPARE(shown(project)["device"].toString(), QString("CPU"));
    const QByteArray log = project.read("runs/run-001/train.log");
    QVERIFY2(log.contains("This run was trained on " + QByteArray(kGpu)), log.constData());
    QVERIFY2(log.contains(" on Emulated device; this is cannery "), log.constData());
}

void TstDevices::aLostGpuEndsWithItsOwnExitCode()
{
    const Machine failing{{kLoseAt, "45"}};
    const ProjectFixture project;
    const ProgramResult lost = train(project, kOnGpu);
    QCOMPARE(lost.exitCode, 202);
    QVERIFY2(lost.err.contains("is lost"), qPrintable(lost.err));
    QCOMPARE(shown(project)["state"].toString(), QString("Failed"));
    QVERIFY(project.exists("runs/run-001/model.ckpt-20.index"));
}

void TstDevices::aTrainingWithRestartsSurvivesTheLossOfItsGpu()
{
    const Machine failing{{kLoseAt, "45"}};
    const ProjectFixture project;
    const ProgramResult trained = train(project, kOnGpu, {"--restarts", "2"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    QVERIFY2(trained.err.contains("The loss of its GPU ended the engine"), qPrintable(trained.err));
    QCOMPARE(shown(project)["global_step"].toInt(), 60);
}

void TstDevices::tooLittleMemoryProposesABatch()
{
    const Machine small{{kMemory, "12000000"}};
    const ProjectFixture project;
    const QStringList large{"--set", "train_spec.input.batch_size=65536", "--json"};
    const ProgramResult refused = train(project, kOnGpu, large);
    QCOMPARE(refused.exitCode, 3);
    const QJsonObject error = json(refused)["error"].toObject();
    QCOMPARE(error["id"].toString(), QString("gpu.smaller_batch"));
    const QString batch = error["arguments"].toArray()[1].toString();
    QVERIFY2(batch.toInt() > 0 && batch.toInt() < 65536, qPrintable(batch));
    QVERIFY(error["sentence"].toString().contains("train_spec.input.batch_size: " + batch));
    const ProgramResult trained =
        train(project, kOnGpu, {"--set", "train_spec.input.batch_size=" + batch});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
}

CANNERY_TEST(TstDevices)
#include "tst_devices.moc"
