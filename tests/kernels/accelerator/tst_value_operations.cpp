// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/accelerator/device_case.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

/// Values that are moved, gathered and counted on a device.
class TstValueOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void fillsAndCopiesSlices();
    void addsToWhatIsThere();
    void gathersTheRowsOfTheStep();
    void gathersIdsOfRowsOfAnyLength();
    void gathersNoRows();
    void countsStepsAndBeginsAgain();
    void keepsTheLossOfEachStep();
    void keepsTheValuesOfEachStep();
    void meansAreOverColumns();
};

void TstValueOperations::fillsAndCopiesSlices()
{
    DeviceCase device;
    const Matrix src = Matrix(5, 3, 2).fillRandom(1);
    Matrix dst(5, 4, 3);
    const MatrixView onDevice = device.put(dst);
    RUN_ON(device, {FillValues{onDevice, 2.5F},
                    CopyValues{device.put(src), onDevice.columns(1, 3), false}});
    for (std::int64_t r = 0; r < 5; ++r) {
        dst.at(r, 0) = 2.5F;
        for (std::int64_t c = 0; c < 3; ++c) {
            dst.at(r, c + 1) = src.view().at(r)[c];
        }
    }
    QVERIFY(sameBits(device.take(onDevice), dst.values));
}

void TstValueOperations::addsToWhatIsThere()
{
    DeviceCase device;
    const Matrix src = Matrix(4, 3).fillRandom(1);
    const Matrix before = Matrix(4, 3).fillRandom(2);
    const MatrixView dst = device.put(before);
    RUN_ON(device, {CopyValues{device.put(src), dst, true}});
    const std::vector<float> sum = device.take(dst);
    for (std::size_t i = 0; i < sum.size(); ++i) {
        QCOMPARE(sum[i], before.values[i] + src.values[i]);
    }
}

void TstValueOperations::gathersTheRowsOfTheStep()
{
    DeviceCase device;
    const Matrix table = Matrix(6, 4, 1).fillRandom(1);
    // Two steps of three rows, in blocks with something before the rows.
    const std::vector<std::int64_t> blocks = {-9, 5, 0, 5, -9, 2, 1, 0};
    std::int64_t* const cursor = device.put(std::vector<std::int64_t>{0});
    const StepData index{reinterpret_cast<const std::byte*>(device.put(blocks)), 32, cursor, 8};
    const MatrixView dst = device.put(Matrix(3, 2));
    const std::vector<Operation> step = {AdvanceStep{cursor, 2},
                                         GatherRows{device.put(table), index, dst}};
    for (const std::vector<std::int64_t>& rows :
         {std::vector<std::int64_t>{2, 1, 0}, std::vector<std::int64_t>{5, 0, 5}}) {
        RUN_ON(device, step);
        const std::vector<float> found = device.take(dst);
        for (std::size_t r = 0; r < 3; ++r) {
            QCOMPARE(found[2 * r], table.view().at(rows[r])[0]);
            QCOMPARE(found[2 * r + 1], table.view().at(rows[r])[1]);
        }
    }
}

void TstValueOperations::gathersIdsOfRowsOfAnyLength()
{
    // Row r has r % 4 ids: 100 r, 100 r + 1, …
    std::vector<std::int64_t> offsets = {0};
    std::vector<std::int32_t> ids;
    std::vector<float> weights;
    for (std::int32_t r = 0; r < 50; ++r) {
        for (std::int32_t i = 0; i < r % 4; ++i) {
            ids.push_back(100 * r + i);
            weights.push_back(static_cast<float>(r) / 8.0F);
        }
        offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    for (const std::size_t rows : {1U, 3U, 5000U}) {
        std::vector<std::int64_t> order(rows);
        std::vector<std::int64_t> wantedOffsets = {0};
        std::vector<std::int32_t> wantedIds;
        std::vector<float> wantedWeights;
        for (std::size_t r = 0; r < rows; ++r) {
            order[r] = static_cast<std::int64_t>((7 * r + 3) % 50);
            for (std::int32_t i = 0; i < order[r] % 4; ++i) {
                wantedIds.push_back(100 * static_cast<std::int32_t>(order[r]) + i);
                wantedWeights.push_back(static_cast<float>(order[r]) / 8.0F);
            }
            wantedOffsets.push_back(static_cast<std::int64_t>(wantedIds.size()));
        }
        DeviceCase device;
        const auto capacity = static_cast<std::int64_t>(3 * rows);
        const auto count = static_cast<std::int64_t>(rows);
        const GatherIds gather{.table = {device.put(offsets), device.put(ids), device.put(weights),
                                         50, static_cast<std::int64_t>(ids.size())},
                               .index = {reinterpret_cast<const std::byte*>(device.put(order)),
                                         8 * count, device.room<std::int64_t>(1), 0},
                               .rows = count,
                               .rowOffsets = device.room<std::int64_t>(count + 1),
                               .ids = device.room<std::int32_t>(capacity),
                               .weights = device.room<float>(capacity),
                               .capacity = capacity};
        RUN_ON(device, {gather});
        QCOMPARE(device.take(gather.rowOffsets, count + 1), wantedOffsets);
        QCOMPARE(device.take(gather.ids, wantedOffsets.back()), wantedIds);
        QCOMPARE(device.take(gather.weights, wantedOffsets.back()), wantedWeights);
    }
}

void TstValueOperations::gathersNoRows()
{
    DeviceCase device;
    std::int64_t* const offsets = device.put(std::vector<std::int64_t>{7});
    const GatherIds gather{.table = {device.put(std::vector<std::int64_t>{0, 1}),
                                     device.put(std::vector<std::int32_t>{4}), nullptr, 1, 1},
                           .index = device.step(std::int64_t{0}),
                           .rows = 0,
                           .rowOffsets = offsets,
                           .ids = device.room<std::int32_t>(3),
                           .weights = nullptr,
                           .capacity = 3};
    RUN_ON(device, {gather});
    QCOMPARE(device.take(offsets, 1), std::vector<std::int64_t>{0});
}

void TstValueOperations::countsStepsAndBeginsAgain()
{
    DeviceCase device;
    std::int64_t* const cursor = device.put(std::vector<std::int64_t>{0});
    std::vector<std::int64_t> found;
    for (int i = 0; i < 4; ++i) {
        RUN_ON(device, {AdvanceStep{cursor, 3}});
        found.push_back(device.take(cursor, 1)[0]);
    }
    QCOMPARE(found, (std::vector<std::int64_t>{1, 2, 0, 1}));
}

void TstValueOperations::keepsTheLossOfEachStep()
{
    DeviceCase device;
    std::int64_t* const cursor = device.put(std::vector<std::int64_t>{1});
    double* const losses = device.room<double>(3);
    const StepData step{.cursor = cursor};
    RUN_ON(device,
           {KeepLoss{device.put(std::vector<double>{0.1}), step, losses}, AdvanceStep{cursor, 3},
            KeepLoss{device.put(std::vector<double>{0.7}), step, losses}});
    QCOMPARE(device.take(losses, 3), (std::vector<double>{0, 0.1, 0.7}));
}

void TstValueOperations::keepsTheValuesOfEachStep()
{
    DeviceCase device;
    std::int64_t* const cursor = device.put(std::vector<std::int64_t>{0});
    float* const kept = device.room<float>(12);
    const StepData step{.cursor = cursor};
    const MatrixView src = device.put(Matrix(3, 2, 1).fillRandom(5));
    RUN_ON(device,
           {KeepValues{src, step, kept}, AdvanceStep{cursor, 2},
            FillValues{.dst = {src.at(0), 1, 2, 2}, .value = 7.0F}, KeepValues{src, step, kept}});
    const std::vector<float> values = device.take(src);
    std::vector<float> rows;
    for (std::size_t r = 0; r < 3; ++r) {
        rows.insert(rows.end(), {values[3 * r], values[3 * r + 1]});
    }
    const std::vector<float> found = device.take(kept, 12);
    QCOMPARE(std::vector<float>(found.begin() + 6, found.end()), rows);
    QCOMPARE(rows[0], 7.0F);
    QVERIFY(found[0] != 7.0F);
    QCOMPARE(std::vector<float>(found.begin() + 2, found.begin() + 6),
             std::vector<float>(rows.begin() + 2, rows.end()));
}

void TstValueOperations::meansAreOverColumns()
{
    DeviceCase device;
    const MatrixView src = device.put(Matrix(3, 4, 2).fillRandom(5));
    const MatrixView dst = device.put(Matrix(3, 1));
    RUN_ON(device, {MeanOfColumns{src, dst}});
    const std::vector<float> values = device.take(src);
    const std::vector<float> means = device.take(dst);
    for (std::size_t r = 0; r < 3; ++r) {
        const float* row = values.data() + 6 * r;
        QVERIFY(close(means[r], (row[0] + row[1] + row[2] + row[3]) / 4, 1e-6, 1e-7));
    }
}

CANNERY_TEST(TstValueOperations)
#include "tst_value_operations.moc"
