// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/events/event_reader.h"
#include "tests/end_to_end/device_machine.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/event_values.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace cannery;
using namespace cannery::tests;

namespace {

const QString kEvaluateOnCpu = "run_config.eval_distribute={ one_device {} }";
const QString kTensors = "/model.ckpt-60.data-00000-of-00001";

ProgramResult train(const ProjectFixture& project, const QString& strategy, const QString& folder,
                    const QStringList& more = {})
{
    return project.run(
        QStringList{"train", "fixture.cannery", "--set", strategy, "--model-dir", folder} + more);
}

QStringList steps(int last)
{
    return {"--set", QString("train_spec.max_steps=%1").arg(last)};
}

using Place = std::pair<std::string, std::int64_t>; ///< tag and step

/// All scalars of a training.
std::map<Place, float> scalars(const QString& folder)
{
    std::map<Place, float> found;
    forEachEventValue(folder.toStdString(),
                      [&](std::int64_t step, const storage::EventValue& value) {
                          if (const float* scalar = std::get_if<float>(&value.value)) {
                              found[{value.tag, step}] = *scalar;
                          }
                      });
    return found;
}

/// Without those that tell the time.
std::map<Place, float> timeless(std::map<Place, float> all)
{
    const std::set<std::string> timed{"global_step/sec", "cannery/rows_per_second",
                                      "cannery/input_wait", "cannery/device_busy",
                                      "cannery/memory_mb"};
    std::erase_if(all, [&](const auto& one) { return timed.contains(one.first.first); });
    return all;
}

/// Where two checkpoints differ by more than a share of a tensor's largest number; empty: nowhere.
QString difference(const QString& one, const QString& other)
{
    constexpr float kShare = 2e-3F;
    const auto left = storage::CheckpointReader::open(one.toStdString());
    const auto right = storage::CheckpointReader::open(other.toStdString());
    if (!left || !right) {
        return "a checkpoint cannot be read";
    }
    const auto floats = [](const storage::CheckpointReader& reader, const std::string& name) {
        const auto tensor = reader.read(name);
        std::vector<float> values(tensor ? tensor->bytes.size() / sizeof(float) : 0);
        if (tensor) {
            std::memcpy(values.data(), tensor->bytes.data(), values.size() * sizeof(float));
        }
        return values;
    };
    for (const storage::CheckpointEntry& entry : left->entries()) {
        if (entry.dtype != DType::Float32) {
            continue;
        }
        const std::vector<float> a = floats(*left, entry.name);
        const std::vector<float> b = floats(*right, entry.name);
        float largest = 0;
        for (const float value : a) {
            largest = std::max(largest, std::abs(value));
        }
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (i >= b.size() || !(std::abs(a[i] - b[i]) <= kShare * largest)) {
                return QString("%1[%2]").arg(QString::fromStdString(entry.name)).arg(i);
            }
        }
    }
    return {};
}

} // namespace

/// Whole trainings on an emulated GPU, which takes several steps at once.
class TstDeviceRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void recordsTheStepsThatACpuRecords();
    void goesOnInTheSameBits();
    void movesBetweenCpuAndGpu();
    void recurrentNetworksMoveBetweenCpuAndGpu();
    void kMeansMovesBetweenCpuAndGpu();
    void kMeansEndsByItselfOnAGpu();
    void trainsTheSameBitsWithoutItsTable();
    void evaluatesBesideTheTraining();
    void evaluatesARunWhereItWasTrained();
    void tellsWhichStepsWereLost();
    void convergesInEveryPrecision_data();
    void convergesInEveryPrecision();
};

void TstDeviceRuns::init()
{
    qputenv("CANNERY_CUDA_PLUGIN", CANNERY_EMULATED_PLUGIN);
}

void TstDeviceRuns::recordsTheStepsThatACpuRecords()
{
    const ProjectFixture project;
    const QStringList large{"--set", "train_spec.input.batch_size=128"}; // few steps are judged
    QCOMPARE(train(project, kOnCpu, "cpu", large).exitCode, 0);
    const ProgramResult gpu = train(project, kOnGpu, "gpu", large);
    QVERIFY2(gpu.exitCode == 0, qPrintable(gpu.err));
    const auto expected = timeless(scalars(project.path("cpu")));
    const auto found = timeless(scalars(project.path("gpu")));
    QVERIFY(expected.contains({"loss", 51}));
    QVERIFY(expected.contains({"cannery/gradient_norm", 51}));
    QVERIFY(expected.contains({"cannery/train/accuracy", 51}));
    for (const auto& [place, value] : expected) {
        const auto same = found.find(place);
        QVERIFY2(same != found.end(), place.first.c_str());
        QVERIFY2(std::abs(same->second - value) <= 1e-3F * std::max(1.0F, std::abs(value)),
                 place.first.c_str());
    }
    QCOMPARE(found.size(), expected.size());
    const auto files = [&](const QString& folder) {
        return QDir(project.path(folder)).entryList({"model.ckpt-*.index"}, QDir::Files);
    };
    QCOMPARE(files("gpu"), files("cpu"));
}

void TstDeviceRuns::goesOnInTheSameBits()
{
    const ProjectFixture project;
    QCOMPARE(train(project, kOnGpu, "whole").exitCode, 0);
    QCOMPARE(train(project, kOnGpu, "parts", steps(27)).exitCode, 0);
    const ProgramResult resumed = train(project, kOnGpu, "parts", steps(60));
    QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.err));
    QVERIFY(project.exists("parts/model.ckpt-27.index"));
    QCOMPARE(project.read("parts" + kTensors), project.read("whole" + kTensors));
}

void TstDeviceRuns::movesBetweenCpuAndGpu()
{
    const ProjectFixture project;
    QCOMPARE(train(project, kOnCpu, "whole").exitCode, 0);
    int last = 0;
    for (const char* strategy : {kOnCpu, kOnGpu, kOnCpu}) {
        last += 20;
        const ProgramResult part = train(project, strategy, "parts", steps(last));
        QVERIFY2(part.exitCode == 0, qPrintable(part.err));
    }
    QCOMPARE(difference(project.path("whole/model.ckpt-60"), project.path("parts/model.ckpt-60")),
             QString());
    QVERIFY(project.read("parts" + kTensors) != project.read("whole" + kTensors));
}

void TstDeviceRuns::recurrentNetworksMoveBetweenCpuAndGpu()
{
    const ProjectFixture project;
    copyExample("visits", project.path("example"));
    const auto trainVisits = [&](const char* strategy, const QString& folder, int last) {
        return project.run(QStringList{"train", "example/visits.cannery", "--set", strategy,
                                       "--model-dir", folder} +
                           steps(last));
    };
    QCOMPARE(trainVisits(kOnCpu, "whole", 60).exitCode, 0);
    int last = 0;
    for (const char* strategy : {kOnCpu, kOnGpu, kOnCpu}) {
        last += 20;
        const ProgramResult part = trainVisits(strategy, "parts", last);
        QVERIFY2(part.exitCode == 0, qPrintable(part.err));
    }
    QCOMPARE(difference(project.path("whole/model.ckpt-60"), project.path("parts/model.ckpt-60")),
             QString());
    QVERIFY(project.read("parts" + kTensors) != project.read("whole" + kTensors));
}

void TstDeviceRuns::kMeansMovesBetweenCpuAndGpu()
{
    const ProjectFixture project;
    copyExample("penguin_groups", project.path("example"));
    const auto trainGroups = [&](const char* strategy, const QString& folder, int last) {
        return project.run(QStringList{"train", "example/penguin_groups.cannery", "--set", strategy,
                                       "--model-dir", folder} +
                           steps(last));
    };
    QCOMPARE(trainGroups(kOnCpu, "whole", 60).exitCode, 0);
    int last = 0;
    for (const char* strategy : {kOnGpu, kOnCpu, kOnGpu}) {
        last += 20;
        const ProgramResult part = trainGroups(strategy, "parts", last);
        QVERIFY2(part.exitCode == 0, qPrintable(part.err));
    }
    QCOMPARE(difference(project.path("whole/model.ckpt-60"), project.path("parts/model.ckpt-60")),
             QString());
    const QByteArray log = project.read("parts/train.log");
    QVERIFY(log.contains("The training rows are in the GPU's memory: "));
    QVERIFY(log.contains("Evaluations run on the GPU"));
    const auto score = [&](const QString& folder) {
        return scalars(project.path(folder + "/eval")).at({"score", 60});
    };
    QVERIFY(std::abs(score("parts") - score("whole")) <= 1e-3F * score("whole"));
}

void TstDeviceRuns::kMeansEndsByItselfOnAGpu()
{
    const ProjectFixture project;
    copyExample("penguin_groups", project.path("example"));
    const auto lastStep = [&](const char* strategy) {
        const ProgramResult trained =
            project.run({"train", "example/penguin_groups.cannery", "--set", strategy, "--json",
                         "--set", "estimator.kmeans.use_mini_batch=false", "--set",
                         "estimator.kmeans.relative_tolerance=0.01", "--set",
                         "train_spec.input={ batch_size: 258 shuffle: false }"});
        return json(trained)["global_step"].toInt();
    };
    const int expected = lastStep(kOnCpu);
    QVERIFY2(expected > 2 && expected < 200, qPrintable(QString::number(expected)));
    QCOMPARE(lastStep(kOnGpu), expected);
}

void TstDeviceRuns::trainsTheSameBitsWithoutItsTable()
{
    const ProjectFixture project;
    QCOMPARE(train(project, kOnGpu, "with").exitCode, 0);
    QVERIFY(project.read("with/train.log").contains("The training rows are in the GPU's memory: "));
    const Machine full{{kFailAllocation, "2"}};
    QCOMPARE(train(project, kOnGpu, "without").exitCode, 0);
    QVERIFY(project.read("without/train.log")
                .contains("The training rows do not fit into the GPU's memory: "));
    QCOMPARE(project.read("without" + kTensors), project.read("with" + kTensors));
}

void TstDeviceRuns::evaluatesBesideTheTraining()
{
    const ProjectFixture project;
    QCOMPARE(train(project, kOnGpu, "gpu").exitCode, 0);
    QCOMPARE(train(project, kOnGpu, "cpu", QStringList{"--set", kEvaluateOnCpu}).exitCode, 0);
    QCOMPARE(project.read("gpu" + kTensors), project.read("cpu" + kTensors));
    QVERIFY(project.read("gpu/train.log").contains("Evaluations run on the GPU, which has their"));
    QVERIFY(!project.read("cpu/train.log").contains("Evaluations run on the GPU"));
    const auto expected = timeless(scalars(project.path("cpu/eval")));
    const auto found = timeless(scalars(project.path("gpu/eval")));
    QVERIFY(expected.contains({"average_loss", 60}));
    QCOMPARE(found.size(), expected.size());
    for (const auto& [place, value] : expected) {
        const auto same = found.find(place);
        QVERIFY2(same != found.end() && std::abs(same->second - value) <= 1e-5F,
                 place.first.c_str());
    }
}

void TstDeviceRuns::evaluatesARunWhereItWasTrained()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--set", kOnGpu}).exitCode, 0);
    const QStringList evaluate{"evaluate", "run-001", "--json"};
    const ProgramResult onGpu = project.run(evaluate);
    QVERIFY2(onGpu.exitCode == 0, qPrintable(onGpu.err));
    QVERIFY2(onGpu.err.contains("Evaluations run on the GPU"), qPrintable(onGpu.err));
    const Machine none{{kGpus, "0"}};
    const ProgramResult onCpu = project.run(evaluate);
    QVERIFY2(onCpu.exitCode == 0, qPrintable(onCpu.err));
    QVERIFY2(onCpu.err.contains("The CPU evaluates: This machine has no GPU"),
             qPrintable(onCpu.err));
    const QJsonObject found = json(onGpu)["metrics"].toObject();
    const QJsonObject expected = json(onCpu)["metrics"].toObject();
    QVERIFY(expected.contains("average_loss"));
    QCOMPARE(found.keys(), expected.keys());
    for (const QString& name : expected.keys()) {
        QVERIFY2(std::abs(found[name].toDouble() - expected[name].toDouble()) <= 1e-5,
                 qPrintable(name));
    }
}

void TstDeviceRuns::tellsWhichStepsWereLost()
{
    const Machine failing{{kLoseAt, "45"}};
    const ProjectFixture project;
    const ProgramResult lost = project.run({"train", "fixture.cannery", "--set", kOnGpu, "--set",
                                            "run_config.insights=false", "--set", kEvaluateOnCpu});
    QCOMPARE(lost.exitCode, 202);
    const QRegularExpression pattern("\\[training steps (\\d+) to (\\d+)\\]");
    const QRegularExpressionMatch found = pattern.match(lost.err);
    QVERIFY2(found.hasMatch(), qPrintable(lost.err));
    const int first = found.captured(1).toInt();
    QVERIFY(first < 45 && found.captured(2).toInt() >= 45);
    const QJsonObject run = json(project.run({"runs", "show", "run-001", "--json"}));
    QCOMPARE(run["global_step"].toInt(), first - 1);
    QVERIFY(project.exists("runs/run-001/model.ckpt-40.index"));
    const ProgramResult resumed = project.run({"resume", "run-001"}); // launches count anew
    QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.err));
}

void TstDeviceRuns::convergesInEveryPrecision_data()
{
    QTest::addColumn<QString>("precision");
    QTest::addColumn<double>("tolerance");
    QTest::newRow("TF32") << "tensor_float_32" << 2e-3;
    QTest::newRow("bf16") << "mixed_bfloat16" << 2e-2;
}

void TstDeviceRuns::convergesInEveryPrecision()
{
    QFETCH(QString, precision);
    QFETCH(double, tolerance);
    const ProjectFixture project;
    const QStringList asJson{"--json"};
    const QString rounding = "strategy={ one_device { device: \"GPU:0\" } precision: %1 }";
    const ProgramResult exact = train(project, kOnGpu, "exact", asJson);
    const ProgramResult rounded =
        project.run({"train", "fixture.cannery", "--set", rounding.arg(precision), "--json",
                     "--set", "eval_spec.exporter=[{ final_exporter { name: \"last\" } }]"});
    QVERIFY2(rounded.exitCode == 0, qPrintable(rounded.err));
    const auto loss = [](const ProgramResult& result) {
        return json(result)["metrics"].toObject()["average_loss"].toDouble(std::nan(""));
    };
    const double away = std::abs(loss(rounded) - loss(exact));
    QVERIFY2(away > 0 && away < tolerance, qPrintable(QString::number(away)));
    const QJsonObject run = json(project.run({"runs", "show", "run-001", "--json"}));
    QCOMPARE(run["device"].toString(), QString(kGpu) + ", " + precision);
    const QString folder = "runs/run-001/export/last";
    const QStringList exports =
        QDir(project.path(folder)).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QCOMPARE(exports.size(), 1);
    const QByteArray notes =
        project.read(folder + "/" + exports.front() + "/assets.extra/cannery/experiment.cannery");
    QVERIFY2(notes.contains("# Trained with strategy.precision: " + precision.toUtf8()),
             notes.constData());
}

CANNERY_TEST(TstDeviceRuns)
#include "tst_device_runs.moc"
