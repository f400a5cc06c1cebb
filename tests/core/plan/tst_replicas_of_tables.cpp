// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoded_dataset.h"
#include "core/plan/device/device_training.h"
#include "kernels/cuda/cuda_accelerator.h"
#include "tests/core/plan/device_group.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/recording_runtime/recorded_accelerator.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

/// Several GPUs that train rows of a table: each has it, or its batches go up.
class TstReplicasOfTables : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void giveTheSameBitsAsTheirBatches_data();
    void giveTheSameBitsAsTheirBatches();
    void waitForBatchesByTheAcceleratorOfCuda();
    void endWhileBatchesGoUp_data();
    void endWhileBatchesGoUp();
};

namespace {

constexpr std::int64_t kTableSteps = 10;
constexpr const char* kEveryStep =
    "rnn_classifier { sequence_feature_columns: ['path', 'word_table'] units: 5 cell_type: gru "
    "return_sequences: true optimizer { adagrad {} } }";
/// More than there are places for batches that go up.
constexpr std::int64_t kQueuedAtOnce = 5;
/// The allocation of a table on the first device, after that of the model's state.
constexpr std::int64_t kOfTable = 2;

features::EncodedDataset placedTable()
{
    features::EncodedDataset table(singleIdLayout(), {});
    CANNERY_CHECK(table.append(singleIdRows(200, 3)).has_value());
    return table;
}

/// Steps of that table.
Result<void> queueSteps(plan::Model& model, std::int64_t replicas)
{
    std::vector<std::vector<std::int64_t>> rows;
    for (std::int64_t replica = 0; replica < replicas; ++replica) {
        rows.push_back({5 + replica, 7, 1, 100 + 9 * replica, 30});
    }
    for (std::int64_t step = 0; step < kQueuedAtOnce; ++step) {
        CANNERY_TRY(model.device()->queue(rows, step));
    }
    return {};
}

} // namespace

void TstReplicasOfTables::giveTheSameBitsAsTheirBatches_data()
{
    QTest::addColumn<bool>("goesUp");
    QTest::addColumn<bool>("everyStep");
    QTest::newRow("on every device") << false << false;
    QTest::newRow("by batch") << true << false;
    QTest::newRow("steps, on every device") << false << true;
    QTest::newRow("steps, by batch") << true << true;
}

void TstReplicasOfTables::giveTheSameBitsAsTheirBatches()
{
    QFETCH(bool, goesUp);
    QFETCH(bool, everyStep);
    features::InputLayout layout = everyStep ? toyLayout() : singleIdLayout();
    layout.labelledSteps = everyStep ? layout.slotOf("path") : -1;
    features::EncodedDataset table(layout, {});
    VERIFY_OK(table.append(everyStep ? stepRows(200, 3) : singleIdRows(200, 3)));
    const std::string estimator = everyStep ? std::string(kEveryStep) : kDropout;
    const std::vector<std::vector<std::int64_t>> rows = {{5, 7, 1, 9, 30}, {8, 100, 6}};
    const auto run = [](std::int64_t count, std::int64_t queuedAtOnce, const auto& take) {
        std::vector<double> losses;
        for (std::int64_t step = 0; step < count; ++step) {
            take(step, (step + 1) % queuedAtOnce == 0, losses);
        }
        return losses;
    };
    std::vector<std::vector<std::byte>> states;
    std::vector<std::vector<double>> losses;
    for (const bool isQueued : {false, true}) {
        std::vector<std::unique_ptr<kernels::Accelerator>> devices;
        devices.push_back(std::make_unique<EmulatedDevice>(
            EmulatedOptions{.failAllocation = goesUp && isQueued ? kOfTable : 0}));
        devices.push_back(std::make_unique<EmulatedDevice>());
        const DeviceGroup group(std::move(devices));
        const auto model = toyModel(estimator, group.place(onCpu(kReplicas), kShardRows));
        VERIFY_OK(model);
        if (isQueued) {
            VERIFY_OK((*model)->device()->setTable(table, {}));
            QCOMPARE((*model)->device()->tableBytes() > 0, !goesUp);
        }
        Batches batches(rows.size());
        losses.push_back(
            run(kTableSteps, kQueuedAtOnce, [&](std::int64_t step, bool waits, auto& found) {
                if (isQueued) {
                    CANNERY_CHECK((*model)->device()->queue(rows, step).has_value());
                    if (waits || step + 1 == kTableSteps) {
                        const auto finished = (*model)->device()->finish();
                        found.insert(found.end(), finished->begin(), finished->end());
                    }
                    return;
                }
                for (std::size_t replica = 0; replica < rows.size(); ++replica) {
                    CANNERY_CHECK(table.gather(rows[replica], batches[replica]).has_value());
                }
                found.push_back(**(*model)->train(batches, step));
            }));
        states.push_back(allState(**model));
    }
    QCOMPARE(losses[1], losses[0]);
    QVERIFY(states[1] == states[0]);
}

/// Steps of a table that is on no device, queued at once.
void TstReplicasOfTables::waitForBatchesByTheAcceleratorOfCuda()
{
    const features::EncodedDataset table = placedTable();
    const auto stateOf = [&](const DeviceGroup& group) {
        const auto model =
            toyModel(tableNetwork("adam {}"), group.place(onCpu(group.size()), kShardRows));
        CANNERY_CHECK(model.has_value() && (*model)->device()->setTable(table, {}).has_value());
        CANNERY_CHECK(queueSteps(**model, kReplicas).has_value() &&
                      (*model)->device()->finish().has_value());
        return allState(**model);
    };
    const std::vector<std::byte> expected = stateOf(DeviceGroup(kReplicas));
    for (const RunOrder order : {RunOrder::FirstStream, RunOrder::LastStream}) {
        std::vector<RuntimeJournal> journals(kReplicas);
        {
            std::vector<std::unique_ptr<kernels::Accelerator>> devices;
            for (RuntimeJournal& journal : journals) {
                const RecordingOptions options{.order = order,
                                               .faultyCall = RuntimeCall::Allocate,
                                               .faultAt = devices.empty() ? kOfTable : 0,
                                               .faultOutcome = kernels::cuda::Outcome::OutOfMemory};
                devices.push_back(*recordedAccelerator(journal, options));
            }
            QVERIFY(stateOf(DeviceGroup(std::move(devices))) == expected);
        }
        for (const RuntimeJournal& journal : journals) {
            QCOMPARE(journal.mistakes, std::vector<std::string>());
            QCOMPARE(journal.leaks, 0);
            QCOMPARE(journal.count(RuntimeCall::SynchronizeEvent), kQueuedAtOnce - 3);
        }
    }
}

void TstReplicasOfTables::endWhileBatchesGoUp_data()
{
    QTest::addColumn<int>("lost");
    QTest::newRow("the first") << 0;
    QTest::newRow("another") << 2;
}

/// One is lost while the host waits for the copies of all.
void TstReplicasOfTables::endWhileBatchesGoUp()
{
    QFETCH(int, lost);
    const features::EncodedDataset table = placedTable();
    std::vector<std::unique_ptr<kernels::Accelerator>> devices;
    for (int index = 0; index < 3; ++index) {
        devices.push_back(std::make_unique<EmulatedDevice>(
            EmulatedOptions{.failAllocation = index == 0 ? kOfTable : 0,
                            .loseAtLaunch = index == lost ? 3 : 0},
            index));
    }
    const DeviceGroup group(std::move(devices));
    const auto model = toyModel(kDropout, group.place(onCpu(3), kShardRows));
    VERIFY_OK(model);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    QCOMPARE((*model)->device()->tableBytes(), 0);
    const auto failed = queueSteps(**model, 3);
    VERIFY_ERROR(failed, "gpu.lost");
    QCOMPARE(failed.error().arguments.front(), std::to_string(lost));
}

CANNERY_TEST(TstReplicasOfTables)
#include "tst_replicas_of_tables.moc"
