// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/recurrent_cell.h"
#include "tests/kernels/accelerator/device_case.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace cannery::kernels;
using namespace cannery::tests;

/// Sequences by time, and recurrent cells, on a device.
class TstRecurrentOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void placesTheStepsOfAllRows();
    void placesTheStepsOfTheRowsOfAStep();
    void gathersStepsAndZeros();
    void gathersOneIdForEachStep_data();
    void gathersOneIdForEachStep();
    void countsIds_data() { gathersOneIdForEachStep_data(); }
    void countsIds();
    void repeatsARowAtItsSteps();
    void sumsTheStepsOfARow();
    void cellsAgreeWithTheReference_data();
    void cellsAgreeWithTheReference();
    void maskedRowsKeepTheirState_data() { cellsAgreeWithTheReference_data(); }
    void maskedRowsKeepTheirState();
    void rowsThatAreNotInUseHaveNoGradient();
};

namespace {

constexpr std::int64_t kMostSteps = 4;
/// Rows of 2, 0, 3 and 1 steps.
const std::vector<std::int64_t> kStepOffsets = {0, 2, 2, 5, 6};
const std::vector<std::int64_t> kStepCounts = {2, 0, 3, 1};
constexpr std::int64_t kStepRows = 4;
const std::vector<std::int64_t> kStepPlaces = {0,  -1, 2,  5,  // first steps
                                               1,  -1, 3,  -1, // second ones
                                               -1, -1, 4,  -1, //
                                               -1, -1, -1, -1};
constexpr std::int64_t kAllSteps = kStepRows * kMostSteps;

DeviceSteps putSteps(DeviceCase& device)
{
    return {.lengths = device.put(kStepCounts), .rows = kStepRows, .most = kMostSteps};
}

/// All matrices of a step of a cell and of its gradient.
struct Cell
{
    Cell(RecurrentCell ofCell, std::int64_t rows, std::int64_t units)
        : cell(ofCell), gates(rows, gateCount(cell) * units, 3), recurrent(rows, 3 * units, 1),
          previousOutput(rows, units, 2), previousState(rows, units, 5), output(rows, units, 4),
          state(rows, units, 6), outputGrad(rows, units, 7), stateGrad(rows, units, 8)
    {
        std::uint64_t seed = 0;
        for (Matrix* matrix :
             {&gates, &recurrent, &previousOutput, &previousState, &outputGrad, &stateGrad}) {
            matrix->fillRandom(++seed);
        }
    }
    RecurrentStep step()
    {
        return {gates.view(),         recurrent.view(), previousOutput.view(),
                previousState.view(), output.view(),    state.view()};
    }
    void forward(ThreadPool& pool) { reference::kRecurrent.forward(pool, {.cell = cell}, step()); }
    void backward(ThreadPool& pool)
    {
        reference::kRecurrent.backward(pool, {.cell = cell}, step(),
                                       {outputGrad.view(), stateGrad.view()});
    }

    RecurrentCell cell;
    Matrix gates;
    Matrix recurrent;
    Matrix previousOutput;
    Matrix previousState;
    Matrix output;
    Matrix state;
    Matrix outputGrad;
    Matrix stateGrad;
};

struct PlacedCell
{
    PlacedCell(DeviceCase& device, const Cell& from)
        : step{device.put(from.gates),          device.put(from.recurrent),
               device.put(from.previousOutput), device.put(from.previousState),
               device.put(from.output),         device.put(from.state)},
          grad{device.put(from.outputGrad), device.put(from.stateGrad)}
    {}

    RecurrentStep step;
    RecurrentGradient grad;
};

RecurrentCell cellOf(int cell)
{
    return static_cast<RecurrentCell>(cell);
}

} // namespace

void TstRecurrentOperations::placesTheStepsOfAllRows()
{
    DeviceCase device;
    auto* const places = device.room<std::int64_t>(kAllSteps);
    auto* const lengths = device.room<std::int64_t>(kStepRows);
    RUN_ON(device, {PlaceSteps{.rowOffsets = device.put(kStepOffsets),
                               .tableRows = kStepRows,
                               .rows = kStepRows,
                               .most = kMostSteps,
                               .places = places,
                               .lengths = lengths}});
    QVERIFY(device.take(places, kAllSteps) == kStepPlaces);
    QVERIFY(device.take(lengths, kStepRows) == kStepCounts);
}

void TstRecurrentOperations::placesTheStepsOfTheRowsOfAStep()
{
    DeviceCase device;
    const std::vector<std::int64_t> rows = {2, 1, 2};
    std::int64_t* const cursor = device.put(std::vector<std::int64_t>{0});
    const StepData index{reinterpret_cast<const std::byte*>(device.put(rows)), 24, cursor, 0};
    auto* const places = device.room<std::int64_t>(9);
    auto* const lengths = device.room<std::int64_t>(3);
    RUN_ON(device, {PlaceSteps{.rowOffsets = device.put(kStepOffsets),
                               .tableRows = kStepRows,
                               .index = index,
                               .rows = 3,
                               .most = 3,
                               .places = places,
                               .lengths = lengths}});
    const std::vector<std::int64_t> expected = {2, -1, 2, 3, -1, 3, 4, -1, 4};
    QVERIFY(device.take(places, 9) == expected);
    QVERIFY((device.take(lengths, 3) == std::vector<std::int64_t>{3, 0, 3}));
}

void TstRecurrentOperations::gathersStepsAndZeros()
{
    DeviceCase device;
    const Matrix table = Matrix(6, 3, 2).fillRandom(1);
    Matrix expected(kAllSteps, 3, 1);
    for (std::int64_t step = 0; step < kAllSteps; ++step) {
        const std::int64_t place = kStepPlaces[static_cast<std::size_t>(step)];
        for (std::int64_t c = 0; c < 3; ++c) {
            expected.at(step, c) = place < 0 ? 0.0F : table.view().at(place)[c];
        }
    }
    const MatrixView dst = device.put(Matrix(kAllSteps, 3, 1));
    RUN_ON(device, {GatherSteps{device.put(table), device.put(kStepPlaces), dst}});
    QVERIFY(sameBits(device.take(dst), expected.values));
}

void TstRecurrentOperations::gathersOneIdForEachStep_data()
{
    QTest::addColumn<bool>("weighted");
    QTest::newRow("plain") << false;
    QTest::newRow("weighted") << true;
}

void TstRecurrentOperations::gathersOneIdForEachStep()
{
    QFETCH(bool, weighted);
    DeviceCase device;
    const std::vector<std::int32_t> ids = {10, 11, -1, 13, 14, 15};
    const std::vector<float> weights = {0.5F, 1.5F, 2.5F, 3.5F, 4.5F, 5.5F};
    auto* const offsets = device.room<std::int64_t>(kAllSteps + 1);
    auto* const found = device.room<std::int32_t>(kAllSteps);
    auto* const foundWeights = weighted ? device.room<float>(kAllSteps) : nullptr;
    RUN_ON(device, {GatherStepIds{.table = {.rowOffsets = device.put(kStepOffsets),
                                            .ids = device.put(ids),
                                            .weights = weighted ? device.put(weights) : nullptr,
                                            .rows = kStepRows,
                                            .capacity = 6},
                                  .places = device.put(kStepPlaces),
                                  .rows = kAllSteps,
                                  .rowOffsets = offsets,
                                  .ids = found,
                                  .weights = foundWeights}});
    const auto foundOffsets = device.take(offsets, kAllSteps + 1);
    const auto foundIds = device.take(found, kAllSteps);
    const auto all = weighted ? device.take(foundWeights, kAllSteps) : std::vector<float>();
    for (std::size_t step = 0; step < kStepPlaces.size(); ++step) {
        const std::int64_t place = kStepPlaces[step];
        QCOMPARE(foundOffsets[step], static_cast<std::int64_t>(step));
        QCOMPARE(foundIds[step], place < 0 ? -1 : ids[static_cast<std::size_t>(place)]);
        if (weighted) {
            QCOMPARE(all[step], place < 0 ? 0.0F : weights[static_cast<std::size_t>(place)]);
        }
    }
    QCOMPARE(foundOffsets.back(), kAllSteps);
}

void TstRecurrentOperations::countsIds()
{
    QFETCH(bool, weighted);
    DeviceCase device;
    const std::vector<std::int64_t> offsets = {0, 3, 3, 5};
    const std::vector<std::int32_t> ids = {1, 0, 1, -1, 7};
    const std::vector<float> weights = {0.5F, 1.5F, 2.5F, 3.5F, 4.5F};
    const MatrixView dst = device.put(Matrix(3, 2).fillRandom(1));
    RUN_ON(device, {CountIds{{.rowOffsets = device.put(offsets),
                              .ids = device.put(ids),
                              .weights = weighted ? device.put(weights) : nullptr,
                              .rows = 3,
                              .capacity = 5},
                             dst}});
    Matrix expected(3, 2);
    expected.at(0, 0) = weighted ? 1.5F : 1.0F;
    expected.at(0, 1) = weighted ? 3.0F : 2.0F;
    QVERIFY(sameBits(device.take(dst), expected.values));
}

void TstRecurrentOperations::repeatsARowAtItsSteps()
{
    DeviceCase device;
    const Matrix src = Matrix(kStepRows, 3, 1).fillRandom(1);
    Matrix expected(kAllSteps, 3, 2);
    for (std::int64_t step = 0; step < kAllSteps; ++step) {
        const bool isThere = kStepPlaces[static_cast<std::size_t>(step)] >= 0;
        for (std::int64_t c = 0; c < 3; ++c) {
            expected.at(step, c) = isThere ? src.view().at(step % kStepRows)[c] : 0.0F;
        }
    }
    const MatrixView dst = device.put(Matrix(kAllSteps, 3, 2));
    RUN_ON(device, {RepeatSteps{putSteps(device), device.put(src), dst}});
    QVERIFY(sameBits(device.take(dst), expected.values));
}

void TstRecurrentOperations::sumsTheStepsOfARow()
{
    DeviceCase device;
    const Matrix src = Matrix(kAllSteps, 3, 1).fillRandom(1);
    Matrix expected(kStepRows, 3);
    for (std::int64_t step = 0; step < kAllSteps; ++step) {
        for (std::int64_t c = 0; kStepPlaces[static_cast<std::size_t>(step)] >= 0 && c < 3; ++c) {
            expected.at(step % kStepRows, c) += src.view().at(step)[c];
        }
    }
    const MatrixView dst = device.put(Matrix(kStepRows, 3));
    RUN_ON(device, {SumSteps{putSteps(device), device.put(src), dst}});
    QVERIFY(sameBits(device.take(dst), expected.values));
}

void TstRecurrentOperations::cellsAgreeWithTheReference_data()
{
    QTest::addColumn<int>("cell");
    QTest::newRow("simple") << static_cast<int>(RecurrentCell::Simple);
    QTest::newRow("lstm") << static_cast<int>(RecurrentCell::Lstm);
    QTest::newRow("gru") << static_cast<int>(RecurrentCell::Gru);
}

void TstRecurrentOperations::cellsAgreeWithTheReference()
{
    QFETCH(int, cell);
    ThreadPool pool;
    for (const auto& [rows, units] : {std::pair{1, 1}, {3, 17}, {60, 33}}) {
        Cell wanted(cellOf(cell), rows, units);
        DeviceCase device;
        const DeviceSteps steps{
            device.put(std::vector<std::int64_t>(static_cast<std::size_t>(rows), 3)), rows, 3};
        const PlacedCell placed(device, wanted);
        Matrix added = Matrix(rows, units, 1).fillRandom(9);
        RUN_ON(device, {RecurrentForward{wanted.cell, steps, 2, placed.step}});
        wanted.forward(pool);
        VERIFY_CLOSE(device.take(placed.step.gates), wanted.gates.values);
        VERIFY_CLOSE(device.take(placed.step.output), wanted.output.values);
        VERIFY_CLOSE(device.take(placed.step.state), wanted.state.values);
        RUN_ON(device, {RecurrentBackward{wanted.cell, steps, 2, placed.step, placed.grad,
                                          device.put(added)}});
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t c = 0; c < units; ++c) {
                wanted.outputGrad.at(r, c) += added.at(r, c);
            }
        }
        wanted.backward(pool);
        VERIFY_CLOSE(device.take(placed.step.gates), wanted.gates.values);
        VERIFY_CLOSE(device.take(placed.step.recurrent), wanted.recurrent.values);
        VERIFY_CLOSE(device.take(placed.grad.state), wanted.stateGrad.values);
        Matrix carried = wanted.outputGrad;
        for (std::int64_t r = 0; r < rows && wanted.cell != RecurrentCell::Gru; ++r) {
            std::fill_n(carried.view().at(r), units, 0.0F);
        }
        VERIFY_CLOSE(device.take(placed.grad.output), carried.values);
    }
}

/// Rows of 2, 0, 3 and 1 steps, at the second one.
void TstRecurrentOperations::maskedRowsKeepTheirState()
{
    QFETCH(int, cell);
    constexpr std::int64_t kUnits = 3;
    const Cell before(cellOf(cell), kStepRows, kUnits);
    DeviceCase device;
    const PlacedCell placed(device, before);
    const DeviceSteps steps = putSteps(device);
    RUN_ON(device, {RecurrentForward{before.cell, steps, 1, placed.step}});
    const std::vector<float> output = device.take(placed.step.output);
    const std::vector<float> state = device.take(placed.step.state);
    RUN_ON(device, {RecurrentBackward{before.cell, steps, 1, placed.step, placed.grad,
                                      device.put(Matrix(kStepRows, kUnits).fillRandom(9))}});
    const std::vector<float> gates = device.take(placed.step.gates);
    const std::vector<float> recurrent = device.take(placed.step.recurrent);
    const std::vector<float> outputGrad = device.take(placed.grad.output);
    const std::vector<float> stateGrad = device.take(placed.grad.state);
    const auto rowOf = [](const Matrix& like, const std::vector<float>& values, std::int64_t row) {
        return std::span(values).subspan(static_cast<std::size_t>(row * like.stride),
                                         static_cast<std::size_t>(like.cols));
    };
    const auto isZero = [](std::span<const float> row) {
        return std::ranges::all_of(row, [](float value) { return value == 0.0F; });
    };
    for (std::int64_t row = 0; row < kStepRows; ++row) {
        const bool isMasked = kStepCounts[static_cast<std::size_t>(row)] <= 1;
        const auto kept = [&](const Matrix& from, const Matrix& like,
                              const std::vector<float>& values) {
            return sameBits(rowOf(from, from.values, row), rowOf(like, values, row));
        };
        QCOMPARE(kept(before.previousOutput, before.output, output), isMasked);
        QCOMPARE(isZero(rowOf(before.gates, gates, row)), isMasked);
        QCOMPARE(kept(before.outputGrad, before.outputGrad, outputGrad), isMasked);
        if (before.cell == RecurrentCell::Lstm) {
            QCOMPARE(kept(before.previousState, before.state, state), isMasked);
            QCOMPARE(kept(before.stateGrad, before.stateGrad, stateGrad), isMasked);
        }
        if (before.cell == RecurrentCell::Gru) {
            QCOMPARE(isZero(rowOf(before.recurrent, recurrent, row)), isMasked);
        }
    }
}

/// A row of the batch without an id makes row 0 of a table part of its gradient, but not one that
/// is no row of the batch.
void TstRecurrentOperations::rowsThatAreNotInUseHaveNoGradient()
{
    DeviceCase device;
    const std::vector<std::int64_t> offsets = {0, 1, 2, 3};
    const std::vector<std::int32_t> ids = {4, 2, -1};
    for (const std::int64_t inUse : {2, 3}) {
        const DeviceIds placed{.rowOffsets = device.put(offsets),
                               .ids = device.put(ids),
                               .rows = 3,
                               .capacity = 3,
                               .rowsInUse = device.step(inUse)};
        const DeviceSparse gradient{.rows = device.room<std::int32_t>(4),
                                    .values = device.room<float>(8),
                                    .count = device.room<std::int64_t>(1),
                                    .capacity = 4,
                                    .cols = 2,
                                    .tableRows = 5};
        RUN_ON(device, {LookupGradient{.ids = placed,
                                       .table = device.put(Matrix(5, 2).fillRandom(1)),
                                       .dstGrad = device.put(Matrix(3, 2).fillRandom(2)),
                                       .withRowZero = true,
                                       .gradient = gradient,
                                       .scratch = device.room<std::byte>(lookupScratchBytes(3))}});
        const std::int64_t count = device.take(gradient.count, 1).front();
        const std::vector<std::int32_t> rows = device.take(gradient.rows, count);
        QVERIFY((rows == (inUse == 2 ? std::vector<std::int32_t>{2, 4}
                                     : std::vector<std::int32_t>{0, 2, 4})));
    }
}

CANNERY_TEST(TstRecurrentOperations)
#include "tst_recurrent_operations.moc"
