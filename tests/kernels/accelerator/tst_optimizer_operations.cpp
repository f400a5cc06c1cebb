// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/optimizer_step.h"
#include "kernels/ops/vector_ops.h"
#include "tests/kernels/accelerator/device_sparse.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

/// Steps of optimizers on a device against the reference kernels.
class TstOptimizerOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void stepsAgreeWithTheReference_data();
    void stepsAgreeWithTheReference();
    void aSparseStepOfNoRowsStillMovesThoseThatItMoves_data() { stepsAgreeWithTheReference_data(); }
    void aSparseStepOfNoRowsStillMovesThoseThatItMoves();
    void aGradientThatIsNotFiniteSpoilsItsWeightOnly();
    void averagesAgreeWithTheReference();
    void clipsByValue();
    void sumsOfSquaresAreOfAllGradients();
    void scalesByTheGlobalNorm();

private:
    ThreadPool m_pool;
};

namespace {

AdamUpdate adamOf(bool amsgrad)
{
    AdamUpdate adam{.learningRate = 0.01F, .amsgrad = amsgrad};
    adam.setIterations(3);
    return adam;
}

NadamUpdate nadamOf()
{
    NadamUpdate nadam;
    nadam.setIterations(3, 0.7F);
    return nadam;
}

AdamaxUpdate adamaxOf()
{
    AdamaxUpdate adamax;
    adamax.setIterations(3);
    return adamax;
}

struct NamedRule
{
    const char* title;
    OptimizerUpdate update;
    std::vector<bool> slots; ///< whether it has the first, second, third
};

const std::vector<NamedRule>& rulesOnDevices()
{
    static const std::vector<NamedRule> list = {
        {"sgd", SgdUpdate{}, {false, false, false}},
        {"momentum", SgdUpdate{0.01F, 0.9F, false}, {true, false, false}},
        {"nesterov", SgdUpdate{0.01F, 0.9F, true}, {true, false, false}},
        {"adagrad", AdagradUpdate{}, {true, false, false}},
        {"adadelta", AdadeltaUpdate{}, {true, true, false}},
        {"adam", adamOf(false), {true, true, false}},
        {"amsgrad", adamOf(true), {true, true, true}},
        {"adamw", AdamWUpdate{adamOf(false), 0.3F}, {true, true, false}},
        {"adamax", adamaxOf(), {true, true, false}},
        {"nadam", nadamOf(), {true, true, false}},
        {"rmsprop", RmsPropUpdate{}, {true, false, false}},
        {"centered rmsprop", RmsPropUpdate{0.001F, 0.9F, 0.0F, 1e-7F, true}, {true, false, true}},
        {"centered rmsprop with momentum",
         RmsPropUpdate{0.001F, 0.9F, 0.5F, 1e-7F, true},
         {true, true, true}},
        {"ftrl", FtrlUpdate{0.1F, -0.5F, 0.2F, 0.1F, 0.05F, 0.3F}, {true, true, false}},
        {"ftrl of another power", FtrlUpdate{0.1F, -0.3F}, {true, true, false}},
        {"proximal", ProximalGradientDescentUpdate{0.1F, 0.5F, 0.3F}, {false, false, false}},
        {"proximal adagrad", ProximalAdagradUpdate{0.1F, 0.5F, 0.3F}, {true, false, false}},
    };
    return list;
}

/// A variable with positive slots, where it has any.
struct SlottedWeights
{
    SlottedWeights(std::int64_t rows, std::int64_t cols, const NamedRule& rule)
        : weights(Matrix(rows, cols).fillRandom(1)), slots(3)
    {
        for (std::size_t slot = 0; slot < 3; ++slot) {
            slots[slot].assign(rule.slots[slot] ? weights.values.size() : 0, 0.3F);
        }
    }
    OptimizerSlots view() { return {slots[0], slots[1], slots[2]}; }

    Matrix weights;
    std::vector<std::vector<float>> slots;
};

/// The same on a device.
struct PlacedWeights
{
    PlacedWeights(DeviceCase& device, const SlottedWeights& from)
        : weights(device.put(from.weights)), slots(3)
    {
        for (std::size_t i = 0; i < 3; ++i) {
            slots[i] = from.slots[i].empty() ? nullptr : device.put(from.slots[i]);
        }
    }

    MatrixView weights;
    std::vector<float*> slots;
};

void verifySame(DeviceCase& device, const PlacedWeights& placed, const SlottedWeights& wanted)
{
    VERIFY_CLOSE(device.take(placed.weights), wanted.weights.values, 1e-5, 1e-6);
    for (std::size_t i = 0; i < 3; ++i) {
        if (placed.slots[i] != nullptr) {
            VERIFY_CLOSE(
                device.take(placed.slots[i], static_cast<std::int64_t>(wanted.slots[i].size())),
                wanted.slots[i], 1e-5, 1e-6);
        }
    }
}

StepData stepOf(DeviceCase& device, const OptimizerUpdate& update)
{
    return std::visit([&](const auto& rule) { return device.step(rule); }, update);
}

/// Rows 0, 3, 6 … of a matrix.
SparseGradient someRowsOf(const Matrix& grad)
{
    SparseGradient sparse{grad.cols, {}, {}};
    for (std::int64_t r = 0; r < grad.rows; r += 3) {
        const auto row = grad.view().row(r);
        sparse.rows.push_back(static_cast<std::int32_t>(r));
        sparse.values.insert(sparse.values.end(), row.begin(), row.end());
    }
    return sparse;
}

} // namespace

void TstOptimizerOperations::stepsAgreeWithTheReference_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < rulesOnDevices().size(); ++i) {
        QTest::addRow("%s", rulesOnDevices()[i].title) << static_cast<int>(i);
    }
}

void TstOptimizerOperations::stepsAgreeWithTheReference()
{
    QFETCH(int, index);
    const NamedRule& rule = rulesOnDevices()[static_cast<std::size_t>(index)];
    for (const auto& [rows, cols] : {std::pair{0, 3}, {1, 1}, {7, 5}, {400, 3}}) {
        SlottedWeights wanted(rows, cols, rule);
        const Matrix first = Matrix(rows, cols).fillRandom(2);
        const SparseGradient second = someRowsOf(Matrix(rows, cols).fillRandom(3));
        DeviceCase device;
        const PlacedWeights placed(device, wanted);
        const StepData update = stepOf(device, rule.update);
        RUN_ON(device, {DenseUpdate{rule.update.index(), update, placed.weights, placed.slots[0],
                                    placed.slots[1], placed.slots[2], device.put(first)},
                        SparseUpdate{rule.update.index(), update, placed.weights, placed.slots[0],
                                     placed.slots[1], placed.slots[2], put(device, second, rows)}});
        reference::kOptimizerStep.dense(m_pool, rule.update, wanted.weights.values, wanted.view(),
                                        first.values);
        reference::kOptimizerStep.sparse(m_pool, rule.update, wanted.weights.view(), wanted.view(),
                                         second, nullptr);
        verifySame(device, placed, wanted);
    }
}

void TstOptimizerOperations::aSparseStepOfNoRowsStillMovesThoseThatItMoves()
{
    QFETCH(int, index);
    const NamedRule& rule = rulesOnDevices()[static_cast<std::size_t>(index)];
    SlottedWeights wanted(4, 2, rule);
    const SlottedWeights before = wanted;
    DeviceCase device;
    const PlacedWeights placed(device, wanted);
    RUN_ON(device, {SparseUpdate{rule.update.index(), stepOf(device, rule.update), placed.weights,
                                 placed.slots[0], placed.slots[1], placed.slots[2],
                                 put(device, SparseGradient{2, {}, {}}, 4)}});
    reference::kOptimizerStep.sparse(m_pool, rule.update, wanted.weights.view(), wanted.view(),
                                     SparseGradient{2, {}, {}}, nullptr);
    verifySame(device, placed, wanted);
    const bool moved =
        wanted.weights.values != before.weights.values || wanted.slots != before.slots;
    QCOMPARE(moved, movesEveryRow(rule.update));
}

void TstOptimizerOperations::aGradientThatIsNotFiniteSpoilsItsWeightOnly()
{
    Matrix grad = Matrix(1, 3).fillRandom(1);
    grad.values[1] = std::numeric_limits<float>::quiet_NaN();
    DeviceCase device;
    const MatrixView weights = device.put(Matrix(1, 3));
    float* const slots = device.room<float>(6);
    RUN_ON(device, {DenseUpdate{3, device.step(adamOf(false)), weights, slots, slots + 3, nullptr,
                                device.put(grad)}});
    const std::vector<float> found = device.take(weights);
    QVERIFY(std::isfinite(found[0]) && std::isnan(found[1]) && std::isfinite(found[2]));
}

void TstOptimizerOperations::averagesAgreeWithTheReference()
{
    const Matrix weights = Matrix(3, 7).fillRandom(1);
    Matrix averages = Matrix(3, 7).fillRandom(2);
    Matrix moving = averages;
    DeviceCase device;
    float* const placedAverages = device.put(averages.values);
    float* const placedMoving = device.put(moving.values);
    const MatrixView placed = device.put(weights);
    RUN_ON(device, {AverageWeights{placed, placedAverages, 0.01F},
                    UpdateMoving{placedMoving, placed.data, 21, 0.99F}});
    reference::kOptimizerStep.average(m_pool, weights.values, averages.values, 0.01F);
    VERIFY_CLOSE(device.take(placedAverages, 21), averages.values);
    for (std::size_t i = 0; i < moving.values.size(); ++i) {
        moving.values[i] -= (moving.values[i] - weights.values[i]) * (1.0F - 0.99F);
    }
    VERIFY_CLOSE(device.take(placedMoving, 21), moving.values);
}

void TstOptimizerOperations::clipsByValue()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    Matrix dense(2, 3, 1);
    dense.values = {0.1F, -2.0F, nan, 9.0F, infinity, -infinity, 0.5F, 9.0F};
    SparseGradient sparse = gradientOf({1, 2}, 2, -4.0F);
    DeviceCase device;
    const MatrixView placed = device.put(dense);
    const DeviceSparse placedSparse = put(device, sparse, 5);
    RUN_ON(device, {ClipByValue{{placed, {}}, 0.5F}, ClipByValue{{{}, placedSparse}, 3.0F}});
    dense.values = {0.1F, -0.5F, nan, 9.0F, 0.5F, -0.5F, 0.5F, 9.0F};
    VERIFY_CLOSE(device.take(placed), dense.values);
    // What is beyond the rows is left alone.
    QCOMPARE(device.take(placedSparse.values, 5),
             (std::vector<float>{-3.0F, -3.0F, -2.0F, -3.0F, 1e9F}));
}

void TstOptimizerOperations::sumsOfSquaresAreOfAllGradients()
{
    for (const std::int64_t rows : {0, 5, 2000, 60'000}) {
        const Matrix dense = Matrix(rows, 70, 1).fillRandom(1);
        const SparseGradient sparse = gradientOf({1, 2}, 2, -4.0F);
        DeviceCase device;
        double* const sum = device.put(std::vector<double>{5.0});
        RUN_ON(device, {SumOfSquares{{device.put(dense), {}}, sum, false},
                        SumOfSquares{{{}, put(device, sparse, 5)}, sum, true}});
        long double wanted = reference::kVector.sumOfSquares(m_pool, sparse.values);
        for (std::int64_t r = 0; r < rows; ++r) {
            for (const float value : dense.view().row(r)) {
                wanted += static_cast<double>(value) * value;
            }
        }
        QVERIFY(std::abs(device.take(sum, 1)[0] - wanted) <= 1e-13L * wanted);
    }
}

void TstOptimizerOperations::scalesByTheGlobalNorm()
{
    for (const double squares : {25.0, 0.0, 0.01, std::numeric_limits<double>::infinity()}) {
        Matrix dense = Matrix(3, 2, 1).fillRandom(1);
        SparseGradient sparse = gradientOf({1, 2}, 2, -4.0F);
        DeviceCase device;
        double* const sum = device.put(std::vector<double>{squares});
        const MatrixView placed = device.put(dense);
        const DeviceSparse placedSparse = put(device, sparse, 5);
        RUN_ON(device,
               {ScaleByNorm{{placed, {}}, sum, 0.5F}, ScaleByNorm{{{}, placedSparse}, sum, 0.5F}});
        const float factor = globalNormScale(squares, 0.5F);
        for (std::int64_t r = 0; r < 3; ++r) {
            for (std::int64_t c = 0; c < 2; ++c) {
                dense.at(r, c) *= factor;
            }
        }
        for (float& value : sparse.values) {
            value *= factor;
        }
        VERIFY_CLOSE(device.take(placed), dense.values);
        VERIFY_CLOSE(device.take(placedSparse.values, 4), sparse.values);
    }
}

CANNERY_TEST(TstOptimizerOperations)
#include "tst_optimizer_operations.moc"
