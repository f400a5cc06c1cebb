// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/attention.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstAttention : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void gradientsAreDerivatives_data();
    void gradientsAreDerivatives();
    void hiddenKeysDoNotCount();
    void withAllKeysHiddenTheyCountAlike();
    void sharesAreDroppedByRowHeadAndQuery();
    void bitsDoNotDependOnThreadsOrOtherRows();
};

namespace {

/// Inputs and gradients of one problem.
struct AttentionCase
{
    AttentionProblem problem;
    Matrix query;
    Matrix key;
    Matrix value;
    Matrix mask;
    Matrix dstGrad;
    std::vector<float> weights;
    float scale = 0.6F;
    float dropRate = 0.0F;
    bool isMasked = false;

    explicit AttentionCase(const AttentionProblem& of)
        : problem(of), query(of.rows, of.queries * of.heads * of.keyWidth),
          key(of.rows, of.keys * of.heads * of.keyWidth),
          value(of.rows, of.keys * of.heads * of.valueWidth), mask(of.rows, of.queries * of.keys),
          dstGrad(of.rows, of.queries * of.heads * of.valueWidth)
    {
        query.fillRandom(1);
        key.fillRandom(2);
        value.fillRandom(3);
        mask.fillRandom(4);
        dstGrad.fillRandom(5);
        for (std::size_t i = 0; i < mask.values.size(); ++i) {
            // Every query sees the first key: where all are hidden, scores are lost to rounding,
            // and differences with them.
            const bool isFirst = i % static_cast<std::size_t>(of.keys) == 0;
            mask.values[i] = isFirst || mask.values[i] >= -0.4F ? 1.0F : 0.0F;
        }
        for (std::int64_t d = 0; d < of.keyWidth; ++d) {
            weights.push_back(0.3F * static_cast<float>(d % 5) - 0.5F);
        }
    }

    AttentionInputs inputs() const
    {
        return {.query = query.view(),
                .key = key.view(),
                .value = value.view(),
                .mask = isMasked ? mask.view() : ConstMatrixView{},
                .scale = scale,
                .weights = weights,
                .dropRate = dropRate,
                .seed = 7,
                .layer = 3,
                .step = 11,
                .firstRow = 2};
    }
    Matrix output(const AttentionKernels& kernels, int threads = 2) const
    {
        ThreadPool pool(threads);
        Matrix dst(problem.rows, dstGrad.cols);
        kernels.forward(pool, problem, inputs(), dst.view());
        return dst;
    }
    /// Of query, key, value, weights and scale; the last two only of one head.
    std::vector<Matrix> gradients(const AttentionKernels& kernels, int threads = 2) const
    {
        ThreadPool pool(threads);
        const bool isSum = problem.rule == ScoreRule::Sum;
        std::vector<Matrix> grads{Matrix(query.rows, query.cols), Matrix(key.rows, key.cols),
                                  Matrix(value.rows, value.cols),
                                  Matrix(problem.rows, isSum ? problem.keyWidth : 0),
                                  Matrix(problem.rows, isSum                ? problem.keyWidth
                                                       : problem.heads == 1 ? 1
                                                                            : 0)};
        const auto wanted = [](Matrix& grad) {
            return grad.values.empty() ? MatrixView{} : grad.view();
        };
        kernels.backward(pool, problem, inputs(),
                         {.dstGrad = dstGrad.view(),
                          .query = grads[0].view(),
                          .key = grads[1].view(),
                          .value = grads[2].view(),
                          .weights = wanted(grads[3]),
                          .scale = wanted(grads[4])});
        return grads;
    }
    double loss() const
    {
        const Matrix dst = output(reference::kAttention);
        double sum = 0;
        for (std::size_t i = 0; i < dst.values.size(); ++i) {
            sum += double{dst.values[i]} * double{dstGrad.values[i]};
        }
        return sum;
    }
};

void addAttentionCases()
{
    QTest::addColumn<int>("heads");
    QTest::addColumn<bool>("isSum");
    QTest::addColumn<bool>("isCausal");
    QTest::addColumn<bool>("isMasked");
    QTest::addColumn<float>("dropRate");
    QTest::newRow("product") << 1 << false << false << false << 0.0F;
    QTest::newRow("heads") << 3 << false << false << false << 0.0F;
    QTest::newRow("causal heads") << 3 << false << true << false << 0.0F;
    QTest::newRow("masked heads with dropout") << 2 << false << false << true << 0.3F;
    QTest::newRow("all dropped") << 1 << false << false << false << 1.0F;
    QTest::newRow("sum") << 1 << true << false << false << 0.0F;
    QTest::newRow("causal, masked sum with dropout") << 1 << true << true << true << 0.2F;
}

AttentionCase attentionCaseOf(const AttentionProblem& shape)
{
    QFETCH(int, heads);
    QFETCH(bool, isSum);
    QFETCH(bool, isCausal);
    QFETCH(bool, isMasked);
    QFETCH(float, dropRate);
    AttentionProblem problem = shape;
    problem.heads = heads;
    problem.rule = isSum ? ScoreRule::Sum : ScoreRule::Product;
    problem.isCausal = isCausal;
    AttentionCase made(problem);
    made.isMasked = isMasked;
    made.dropRate = dropRate;
    return made;
}

} // namespace

void TstAttention::everyRowAgreesWithTheReference_data()
{
    addAttentionCases();
}

void TstAttention::everyRowAgreesWithTheReference()
{
    const std::vector<AttentionProblem> shapes = {
        {.rows = 0, .queries = 2, .keys = 2, .keyWidth = 2, .valueWidth = 2},
        {.rows = 2, .queries = 1, .keys = 1, .keyWidth = 1, .valueWidth = 1},
        {.rows = 3, .queries = 4, .keys = 5, .keyWidth = 3, .valueWidth = 2},
        {.rows = 2, .queries = 17, .keys = 33, .keyWidth = 20, .valueWidth = 13},
    };
    for (const AttentionProblem& shape : shapes) {
        const AttentionCase made = attentionCaseOf(shape);
        const Matrix expected = made.output(reference::kAttention);
        const std::vector<Matrix> expectedGrads = made.gradients(reference::kAttention);
        for (const auto& row : attentionImplementations()) {
            VERIFY_CLOSE(made.output(*row.kernels).values, expected.values, 3e-6, 2e-6);
            const std::vector<Matrix> grads = made.gradients(*row.kernels);
            for (std::size_t i = 0; i < grads.size(); ++i) {
                VERIFY_CLOSE(grads[i].values, expectedGrads[i].values, 1e-5, 5e-6);
            }
        }
    }
}

void TstAttention::gradientsAreDerivatives_data()
{
    addAttentionCases();
}

void TstAttention::gradientsAreDerivatives()
{
    AttentionCase made =
        attentionCaseOf({.rows = 2, .queries = 3, .keys = 4, .keyWidth = 3, .valueWidth = 2});
    const std::vector<Matrix> grads = made.gradients(reference::kAttention);
    const auto slopeOf = [&](float& number) {
        const float before = number;
        const float h = 1.0F / 256;
        number = before + h;
        const double above = made.loss();
        number = before - h;
        const double below = made.loss();
        number = before;
        return (above - below) / (2 * double{h});
    };
    for (const auto& [matrix, grad] :
         {std::pair{&made.query, &grads[0]}, {&made.key, &grads[1]}, {&made.value, &grads[2]}}) {
        for (std::size_t i = 0; i < matrix->values.size(); ++i) {
            QVERIFY(std::abs(slopeOf(matrix->values[i]) - double{grad->values[i]}) < 2e-4);
        }
    }
    for (std::int64_t d = 0; d < grads[3].cols; ++d) {
        const double sum = double{grads[3].view().at(0)[d]} + double{grads[3].view().at(1)[d]};
        QVERIFY(std::abs(slopeOf(made.weights[static_cast<std::size_t>(d)]) - sum) < 2e-4);
    }
    if (grads[4].cols > 0) {
        double sum = 0;
        for (const float term : grads[4].values) {
            sum += double{term};
        }
        QVERIFY(std::abs(slopeOf(made.scale) - sum) < 5e-4);
    }
}

void TstAttention::hiddenKeysDoNotCount()
{
    AttentionCase made(
        {.rows = 1, .queries = 2, .keys = 3, .keyWidth = 2, .valueWidth = 1, .isCausal = true});
    // The first query sees the first key alone.
    QCOMPARE(made.output(cpu::kAttention).at(0, 0), made.value.at(0, 0));
    made.problem.isCausal = false;
    made.isMasked = true;
    made.mask = Matrix(1, 3); // for every query
    made.mask.values = {0, 1, 0};
    QCOMPARE(made.output(cpu::kAttention).at(0, 0), made.value.at(0, 1));
    QCOMPARE(made.output(cpu::kAttention).at(0, 1), made.value.at(0, 1));
}

void TstAttention::withAllKeysHiddenTheyCountAlike()
{
    AttentionCase made({.rows = 1, .queries = 1, .keys = 4, .keyWidth = 2, .valueWidth = 1});
    made.isMasked = true;
    made.mask = Matrix(1, 4);
    made.value.values = {1, 2, 3, 10};
    QCOMPARE(made.output(cpu::kAttention).at(0, 0), 4.0F);
}

void TstAttention::sharesAreDroppedByRowHeadAndQuery()
{
    AttentionCase made(
        {.rows = 6, .heads = 2, .queries = 3, .keys = 8, .keyWidth = 2, .valueWidth = 2});
    std::ranges::fill(made.value.values, 1.0F);
    made.dropRate = 0.5F;
    const Matrix dropped = made.output(cpu::kAttention);
    // Each query of each head keeps other keys.
    std::vector<float> sums;
    for (std::size_t i = 0; i < dropped.values.size(); i += 2) {
        sums.push_back(dropped.values[i]);
    }
    std::ranges::sort(sums);
    QVERIFY(std::adjacent_find(sums.begin(), sums.end()) == sums.end());
}

void TstAttention::bitsDoNotDependOnThreadsOrOtherRows()
{
    const AttentionCase made(
        {.rows = 20, .heads = 3, .queries = 9, .keys = 11, .keyWidth = 8, .valueWidth = 5});
    const Matrix one = made.output(cpu::kAttention, 1);
    QVERIFY(sameBits(made.output(cpu::kAttention, 7).values, one.values));
    const std::vector<Matrix> ofOne = made.gradients(cpu::kAttention, 1);
    const std::vector<Matrix> ofSeven = made.gradients(cpu::kAttention, 7);
    for (std::size_t i = 0; i < ofOne.size(); ++i) {
        QVERIFY(sameBits(ofSeven[i].values, ofOne[i].values));
    }
    AttentionInputs last = made.inputs();
    last.query = last.query.slice(19, 1);
    last.key = last.key.slice(19, 1);
    last.value = last.value.slice(19, 1);
    ThreadPool pool(1);
    Matrix alone(1, one.cols);
    cpu::kAttention.forward(pool, made.problem, last, alone.view());
    QVERIFY(sameBits(alone.values, one.view().slice(19, 1).flat()));
}

CANNERY_TEST(TstAttention)
#include "tst_attention.moc"
