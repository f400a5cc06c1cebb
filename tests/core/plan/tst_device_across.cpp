// SPDX-License-Identifier: Apache-2.0
#include "core/plan/memory_limit.h"
#include "tests/core/plan/device_group.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/recording_runtime/recorded_accelerator.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QScopeGuard>

#include <algorithm>
#include <cmath>

using namespace cannery;
using namespace cannery::tests;

/// What several GPUs learn whose batch normalization looks at the batches of all, against replicas
/// on the CPU.
class TstDeviceAcross : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void followReplicasOfTheCpu_data();
    void followReplicasOfTheCpu();
    void batchesNeedNotHaveTheSameSize_data();
    void batchesNeedNotHaveTheSameSize();
    void keepAFarMean();
    void giveOtherMomentsThanEachBatchAlone();
    void haveTheSameBitsOnEachGpu_data() { addReplicas(); }
    void haveTheSameBitsOnEachGpu();
    void giveTheSameBitsTwice_data() { addReplicas(); }
    void giveTheSameBitsTwice();
    void giveTheSameBitsByTheAcceleratorOfCuda();
    void oneGpuLooksAtItsBatch();
    void needTheMemoryOfTheHostOnce();

private:
    static void addReplicas();
};

namespace {

/// The loss is a sum over rows, so that each counts the same. One layer is wider than a block of
/// columns.
constexpr const char* kNormalized =
    "dnn_regressor { feature_columns: ['many_table', 'x'] hidden_units: [70, 5] activation_fn: "
    "tanh batch_norm: true loss_reduction: SUM optimizer { sgd { learning_rate: 0.001 } } }";
/// What is normalized is as large as the columns.
constexpr const char* kLinear =
    "dnn_regressor { feature_columns: ['x'] hidden_units: [3] activation_fn: linear batch_norm: "
    "true optimizer { sgd { learning_rate: 0.1 } } }";

plan::ModelOptions normalizedAcross(std::int64_t replicas)
{
    plan::ModelOptions options = onCpu(replicas);
    options.sharding.isAcross = true;
    return options;
}

std::string differenceAcross(const std::string& estimator, std::int64_t replicas,
                             std::int64_t fewer)
{
    return differenceAfter(estimator, normalizedAcross(replicas),
                           [&](std::int64_t step) { return batchesOf(step, replicas, fewer); });
}

void trainAcross(plan::Model& model, std::int64_t replicas)
{
    for (std::int64_t step = 0; step < kReplicaSteps; ++step) {
        QVERIFY(std::isfinite(lossOf(model, batchesOf(step, replicas), step)));
    }
}

std::vector<std::byte> trainedOn(const DeviceGroup& group)
{
    const auto model = toyModel(kWide, group.place(normalizedAcross(group.size()), kShardRows));
    CANNERY_CHECK(model.has_value());
    trainAcross(**model, group.size());
    return allState(**model);
}

const std::vector<EmulatedCall>& callsOf(const DeviceGroup& group, std::size_t device)
{
    return dynamic_cast<EmulatedDevice&>(group.device(device)).calls();
}

/// Of a device's model: it is allocated first.
const std::byte* memoryOf(const DeviceGroup& group, std::size_t device)
{
    return std::ranges::find(callsOf(group, device), EmulatedCall::Kind::Allocate,
                             &EmulatedCall::kind)
        ->device;
}

std::vector<std::byte> broughtFrom(const DeviceGroup& group, std::size_t device,
                                   std::int64_t offset, std::int64_t bytes)
{
    std::vector<std::byte> found(static_cast<std::size_t>(bytes));
    kernels::Accelerator& accelerator = group.device(device);
    accelerator.download(kernels::Queue::Compute, found.data(), memoryOf(group, device) + offset,
                         bytes);
    CANNERY_CHECK(accelerator.synchronize().has_value());
    return found;
}

} // namespace

void TstDeviceAcross::addReplicas()
{
    QTest::addColumn<int>("replicas");
    for (const int replicas : {2, 3, 4}) {
        QTest::addRow("%d", replicas) << replicas;
    }
}

void TstDeviceAcross::followReplicasOfTheCpu_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<int>("replicas");
    for (const int replicas : {2, 3, 4, 6}) {
        QTest::addRow("wide and deep, %d", replicas) << kWide << replicas;
        QTest::addRow("normalized, %d", replicas) << kNormalized << replicas;
    }
    QTest::newRow("clipped") << QString::fromStdString(toyEstimator("dnn_batch_norm")) << 3;
    QTest::newRow("without normalization") << kDropout << 3;
}

void TstDeviceAcross::followReplicasOfTheCpu()
{
    QFETCH(QString, estimator);
    QFETCH(int, replicas);
    QCOMPARE(QString::fromStdString(differenceAcross(estimator.toStdString(), replicas, 0)),
             QString());
}

void TstDeviceAcross::batchesNeedNotHaveTheSameSize_data()
{
    QTest::addColumn<int>("replicas");
    QTest::addColumn<int>("fewer");
    QTest::newRow("three sizes") << 3 << 7;
    QTest::newRow("a single row") << 2 << static_cast<int>(kShardRows) - 1;
    QTest::newRow("a single row of four") << 4 << (static_cast<int>(kShardRows) - 1) / 3;
}

/// A row counts the same, whichever GPU has it.
void TstDeviceAcross::batchesNeedNotHaveTheSameSize()
{
    QFETCH(int, replicas);
    QFETCH(int, fewer);
    for (const char* const estimator : {kWide, kNormalized}) {
        QCOMPARE(QString::fromStdString(differenceAcross(estimator, replicas, fewer)), QString());
    }
}

/// Of numbers around 10,000, whose squares would use up a float's digits.
void TstDeviceAcross::keepAFarMean()
{
    const auto batchesAt = [](std::int64_t step) {
        Batches batches = batchesOf(step, 4);
        for (features::EncodedRows& batch : batches) {
            for (float& value : batch.dense.front().values) {
                value += 10'000;
            }
        }
        return batches;
    };
    const DeviceGroup group(4);
    const auto cpu = toyModel(kLinear, normalizedAcross(4));
    const auto gpus = toyModel(kLinear, group.place(normalizedAcross(4), kShardRows));
    VERIFY_OK(cpu);
    VERIFY_OK(gpus);
    lossOf(**cpu, batchesAt(0), 0);
    lossOf(**gpus, batchesAt(0), 0);
    const std::string name = "dnn/hiddenlayer_0/batchnorm_0/moving_";
    for (const char* const moment : {"mean", "variance"}) {
        const std::span<float> expected = stateOf(**cpu, name + moment);
        const std::span<float> found = stateOf(**gpus, name + moment);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QVERIFY(std::abs(found[i] - expected[i]) < 1e-6F * std::abs(expected[i]));
        }
    }
}

void TstDeviceAcross::giveOtherMomentsThanEachBatchAlone()
{
    const DeviceGroup group(kReplicas);
    const auto together = toyModel(kWide, group.place(normalizedAcross(kReplicas), kShardRows));
    VERIFY_OK(together);
    trainAcross(**together, kReplicas);
    const auto alone = toyModel(kWide, group.place(onCpu(kReplicas), kShardRows));
    VERIFY_OK(alone);
    trainAcross(**alone, kReplicas);
    QVERIFY(!stateDifference(**together, **alone).empty());
}

/// What the host fetches of the first one, the others have in the same places.
void TstDeviceAcross::haveTheSameBitsOnEachGpu()
{
    QFETCH(int, replicas);
    const DeviceGroup group(replicas);
    const auto model = toyModel(kWide, group.place(normalizedAcross(replicas), kShardRows));
    VERIFY_OK(model);
    trainAcross(**model, replicas);
    const std::size_t before = callsOf(group, 0).size();
    std::size_t stateBytes = 0;
    for (const NamedFloats& tensor : floatState(**model)) {
        stateBytes += tensor.values.size() * sizeof(float);
    }
    const std::vector<EmulatedCall> calls = callsOf(group, 0);
    std::size_t compared = 0;
    for (const EmulatedCall& call : std::span(calls).subspan(before)) {
        if (call.kind == EmulatedCall::Kind::Download) {
            const std::int64_t offset = call.device - memoryOf(group, 0);
            const std::vector<std::byte> expected = broughtFrom(group, 0, offset, call.bytes);
            compared += expected.size();
            for (std::size_t device = 1; device < static_cast<std::size_t>(replicas); ++device) {
                QVERIFY(broughtFrom(group, device, offset, call.bytes) == expected);
            }
        }
    }
    QVERIFY(compared >= stateBytes);
}

void TstDeviceAcross::giveTheSameBitsTwice()
{
    QFETCH(int, replicas);
    const std::vector<std::byte> first = trainedOn(DeviceGroup(replicas));
    QVERIFY(trainedOn(DeviceGroup(replicas)) == first);
}

void TstDeviceAcross::giveTheSameBitsByTheAcceleratorOfCuda()
{
    const std::vector<std::byte> expected = trainedOn(DeviceGroup(3));
    for (const RunOrder order : {RunOrder::FirstStream, RunOrder::LastStream}) {
        std::vector<RuntimeJournal> journals(3);
        std::vector<std::unique_ptr<kernels::Accelerator>> devices;
        for (RuntimeJournal& journal : journals) {
            const RecordingOptions options{.order = order};
            devices.push_back(*recordedAccelerator(journal, options));
        }
        QVERIFY(trainedOn(DeviceGroup(std::move(devices))) == expected);
        for (const RuntimeJournal& journal : journals) {
            QCOMPARE(journal.mistakes, std::vector<std::string>());
        }
    }
}

void TstDeviceAcross::oneGpuLooksAtItsBatch()
{
    const DeviceGroup group(1);
    const std::vector<std::byte> expected = trainedOn(group);
    const auto model = toyModel(kWide, group.place(onCpu(1), kShardRows));
    VERIFY_OK(model);
    trainAcross(**model, 1);
    QVERIFY(allState(**model) == expected);
}

/// Shards side by side on the CPU have buffers of their own.
void TstDeviceAcross::needTheMemoryOfTheHostOnce()
{
    qputenv(plan::kMemoryVariable, "600000");
    const auto restore = qScopeGuard([] { qunsetenv(plan::kMemoryVariable); });
    const std::string text =
        "dnn_classifier { feature_columns: ['x'] hidden_units: [100, 100] batch_norm: true "
        "optimizer { sgd { learning_rate: 0.1 } } }";
    const DeviceGroup group(8);
    VERIFY_ERROR(toyModel(text, normalizedAcross(8)), "plan.too_large");
    VERIFY_OK(toyModel(text, group.place(normalizedAcross(8), kShardRows)));
}

CANNERY_TEST(TstDeviceAcross)
#include "tst_device_across.moc"
