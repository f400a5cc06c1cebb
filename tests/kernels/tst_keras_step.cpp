// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/factored_step.h"
#include "kernels/ops/optimizer_step.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <array>

using namespace cannery::kernels;
using namespace cannery::tests;

/// Steps of tf.keras.optimizers; their values are compared with Keras's in tests/golden
/// (OptimizerGoldens).
class TstKerasStep : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsDoNotDependOnThreads_data() { everyRowAgreesWithTheReference_data(); }
    void bitsDoNotDependOnThreads();
    void aGradientOfRowsIsOneWithZeros_data() { everyRowAgreesWithTheReference_data(); }
    void aGradientOfRowsIsOneWithZeros();
    void weightsDecayAlikeForAnyNumberOfThreads();
    void factoredStepsAgreeWithTheReference_data();
    void factoredStepsAgreeWithTheReference();
};

namespace {

struct KerasRule
{
    const char* name;
    OptimizerUpdate update;
    std::array<bool, 3> slots;
};

const std::vector<KerasRule>& kerasRules()
{
    static const std::vector<KerasRule> rules{
        {"momentum", KerasMomentumUpdate{{0.1F, 0.9F, false}}, {true}},
        {"nesterov", KerasMomentumUpdate{{0.1F, 0.8F, true}}, {true}},
        {"adagrad", KerasAdagradUpdate{0.1F, 1e-3F}, {true}},
        {"adadelta", KerasAdadeltaUpdate{0.5F, 0.9F, 0.1F, 1e-4F}, {true, true}},
        {"adamax", KerasAdamaxUpdate{0.2F, 0.1F, 0.99F, 1e-7F}, {true, true}},
        {"nadam", KerasNadamUpdate{0.1F, 0.1F, 0.01F, 1e-7F, 2.0F, 1.1F, 0.02F}, {true, true}},
        {"rmsprop", KerasRmsPropUpdate{0.1F, 0.9F, 0.1F, 0.0F, 1e-3F, false}, {true}},
        {"rmsprop momentum",
         KerasRmsPropUpdate{0.1F, 0.9F, 0.1F, 0.5F, 1e-3F, false},
         {true, true}},
        {"rmsprop centered",
         KerasRmsPropUpdate{0.1F, 0.9F, 0.1F, 0.0F, 1e-1F, true},
         {true, false, true}},
        {"rmsprop centered momentum",
         KerasRmsPropUpdate{0.1F, 0.9F, 0.1F, 0.5F, 1e-1F, true},
         {true, true, true}},
        {"ftrl", KerasFtrlUpdate{{0.1F, -0.5F, 0.01F, 0.02F, 0.05F, 0.1F}}, {true, true}},
        {"ftrl power", KerasFtrlUpdate{{0.1F, -0.4F, 0.01F, 0.02F, 0.0F, 0.0F}}, {true, true}},
        {"lion", LionUpdate{0.1F, 0.8F, 0.2F, 0.9F, 0.1F}, {true}},
    };
    return rules;
}

struct KerasState
{
    Matrix weights;
    std::array<std::vector<float>, 3> slots;

    KerasState(const KerasRule& rule, std::int64_t rows, std::int64_t cols)
        : weights(Matrix(rows, cols).fillRandom(3))
    {
        for (std::size_t slot = 0; slot < slots.size(); ++slot) {
            if (rule.slots[slot]) {
                slots[slot].assign(weights.values.size(), slot == 0 ? 0.1F : 0.0F);
            }
        }
    }
    OptimizerSlots views() { return {slots[0], slots[1], slots[2]}; }
    std::vector<float> all() const
    {
        std::vector<float> all = weights.values;
        for (const std::vector<float>& slot : slots) {
            all.insert(all.end(), slot.begin(), slot.end());
        }
        return all;
    }
};

SparseGradient everyThirdRow(std::int64_t rows, std::int64_t cols, std::uint64_t seed)
{
    const Matrix grad = Matrix(rows, cols).fillRandom(seed);
    SparseGradient sparse{cols, {}, {}};
    // Not in order, as rows are in that of a batch.
    for (std::int64_t r = rows - 1; r >= 0; r -= 3) {
        sparse.rows.push_back(static_cast<std::int32_t>(r));
        sparse.values.insert(sparse.values.end(), grad.view().at(r), grad.view().at(r) + cols);
    }
    return sparse;
}

std::vector<float> stepped(const OptimizerStepKernels& kernels, int threads, const KerasRule& rule,
                           std::int64_t rows, std::int64_t cols)
{
    ThreadPool pool(threads);
    KerasState state(rule, rows, cols);
    for (std::uint64_t step = 0; step < 4; ++step) {
        if (step % 2 == 0) {
            kernels.dense(pool, rule.update, state.weights.values, state.views(),
                          Matrix(rows, cols).fillRandom(20 + step).values);
        } else {
            kernels.sparse(pool, rule.update, state.weights.view(), state.views(),
                           everyThirdRow(rows, cols, 20 + step), nullptr);
        }
    }
    return state.all();
}

constexpr std::array<std::pair<std::int64_t, std::int64_t>, 4> kShapes{
    {{1, 1}, {7, 3}, {300, 19}, {40000, 1}}};

std::vector<float> factored(const FactoredStepKernels& kernels, int threads, std::int64_t matrices,
                            std::int64_t rows, std::int64_t cols, bool isFactored)
{
    ThreadPool pool(threads);
    Matrix weights = Matrix(matrices * rows, cols).fillRandom(4);
    std::vector<float> r(static_cast<std::size_t>(isFactored ? matrices * rows : 0), 0.0F);
    std::vector<float> c(static_cast<std::size_t>(isFactored ? matrices * cols : 0), 0.0F);
    std::vector<float> v(weights.values.size(), 0.0F);
    for (std::uint64_t step = 0; step < 3; ++step) {
        Matrix gradient = Matrix(matrices * rows, cols).fillRandom(30 + step);
        kernels.step(pool,
                     {.rate = 0.1F,
                      .share = static_cast<float>(step) * 0.4F,
                      .epsilon2 = 0.01F,
                      .clipThreshold = 0.5F},
                     {.matrices = matrices,
                      .rows = rows,
                      .cols = cols,
                      .weights = weights.values,
                      .ofRows = r,
                      .ofColumns = c,
                      .squares = v,
                      .gradient = gradient.values});
    }
    std::vector<float> all = weights.values;
    for (const std::vector<float>* slot : {&r, &c, &v}) {
        all.insert(all.end(), slot->begin(), slot->end());
    }
    return all;
}

} // namespace

void TstKerasStep::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < kerasRules().size(); ++i) {
        QTest::newRow(kerasRules()[i].name) << static_cast<int>(i);
    }
}

void TstKerasStep::everyRowAgreesWithTheReference()
{
    QFETCH(int, index);
    const KerasRule& rule = kerasRules()[static_cast<std::size_t>(index)];
    for (const auto& [rows, cols] : kShapes) {
        const std::vector<float> expected = stepped(reference::kOptimizerStep, 1, rule, rows, cols);
        for (const OptimizerStepImplementation& row : optimizerStepImplementations()) {
            VERIFY_CLOSE(stepped(*row.kernels, 2, rule, rows, cols), expected, 1e-4, 1e-5);
        }
    }
}

void TstKerasStep::bitsDoNotDependOnThreads()
{
    QFETCH(int, index);
    const KerasRule& rule = kerasRules()[static_cast<std::size_t>(index)];
    for (const auto& [rows, cols] : kShapes) {
        const std::vector<float> one = stepped(cpu::kOptimizerStep, 1, rule, rows, cols);
        for (const int threads : {2, 3, 7}) {
            QVERIFY(sameBits(stepped(cpu::kOptimizerStep, threads, rule, rows, cols), one));
        }
    }
}

void TstKerasStep::aGradientOfRowsIsOneWithZeros()
{
    QFETCH(int, index);
    const KerasRule& rule = kerasRules()[static_cast<std::size_t>(index)];
    ThreadPool pool(3);
    for (const auto& [rows, cols] : kShapes) {
        KerasState sparse(rule, rows, cols);
        KerasState dense(rule, rows, cols);
        const SparseGradient gradient = everyThirdRow(rows, cols, 9);
        Matrix filled(rows, cols);
        scatterAdd(pool, gradient, filled.view());
        cpu::kOptimizerStep.sparse(pool, rule.update, sparse.weights.view(), sparse.views(),
                                   gradient, nullptr);
        cpu::kOptimizerStep.dense(pool, rule.update, dense.weights.values, dense.views(),
                                  filled.values);
        VERIFY_CLOSE(sparse.all(), dense.all(), 1e-6, 1e-7);
    }
}

void TstKerasStep::weightsDecayAlikeForAnyNumberOfThreads()
{
    const auto decayed = [](const OptimizerStepKernels& kernels, int threads) {
        ThreadPool pool(threads);
        Matrix weights = Matrix(50000, 1).fillRandom(5);
        kernels.decay(pool, weights.values, 0.1F, 0.01F);
        return weights.values;
    };
    const std::vector<float> expected = decayed(reference::kOptimizerStep, 1);
    VERIFY_CLOSE(decayed(cpu::kOptimizerStep, 1), expected, 1e-6, 1e-9);
    QVERIFY(sameBits(decayed(cpu::kOptimizerStep, 3), decayed(cpu::kOptimizerStep, 1)));
}

void TstKerasStep::factoredStepsAgreeWithTheReference_data()
{
    QTest::addColumn<qint64>("matrices");
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("cols");
    QTest::addColumn<bool>("isFactored");
    QTest::newRow("a vector") << qint64{1} << qint64{1} << qint64{37} << false;
    QTest::newRow("a number") << qint64{1} << qint64{1} << qint64{1} << false;
    QTest::newRow("a long vector") << qint64{1} << qint64{1} << qint64{60001} << false;
    QTest::newRow("a matrix") << qint64{1} << qint64{13} << qint64{70} << true;
    QTest::newRow("a large matrix") << qint64{1} << qint64{301} << qint64{211} << true;
    QTest::newRow("filters") << qint64{9} << qint64{5} << qint64{7} << true;
    QTest::newRow("nothing") << qint64{0} << qint64{3} << qint64{2} << true;
}

void TstKerasStep::factoredStepsAgreeWithTheReference()
{
    QFETCH(qint64, matrices);
    QFETCH(qint64, rows);
    QFETCH(qint64, cols);
    QFETCH(bool, isFactored);
    const std::vector<float> expected =
        factored(reference::kFactoredStep, 1, matrices, rows, cols, isFactored);
    for (const FactoredStepImplementation& row : factoredStepImplementations()) {
        VERIFY_CLOSE(factored(*row.kernels, 2, matrices, rows, cols, isFactored), expected, 1e-5,
                     1e-6);
    }
    QVERIFY(sameBits(factored(cpu::kFactoredStep, 3, matrices, rows, cols, isFactored),
                     factored(cpu::kFactoredStep, 1, matrices, rows, cols, isFactored)));
}

CANNERY_TEST(TstKerasStep)
#include "tst_keras_step.moc"
