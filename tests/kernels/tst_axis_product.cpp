// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/axis_product.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstAxisProduct : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void valuesByHand();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsDoNotDependOnThreads();
};

namespace {

std::vector<float> productsOf(const AxisProductKernels& kernels, const AxisProductProblem& problem,
                              ThreadPool& pool, std::int64_t rows)
{
    const std::int64_t width = problem.left.vectors() * problem.right.vectors();
    const Matrix left = Matrix(rows, problem.left.width(), 3).fillRandom(1);
    const Matrix right = Matrix(rows, problem.right.width(), 1).fillRandom(2);
    const Matrix dstGrad = Matrix(rows, width, 2).fillRandom(3);
    Matrix dst(rows, width, 1);
    Matrix leftGrad(rows, problem.left.width(), 2);
    Matrix rightGrad(rows, problem.right.width(), 2);
    kernels.product(pool, problem, left.view(), right.view(), dst.view());
    kernels.leftGradient(pool, problem, right.view(), dstGrad.view(), leftGrad.view());
    kernels.rightGradient(pool, problem, left.view(), dstGrad.view(), rightGrad.view());
    std::vector<float> results = dst.values;
    results.insert(results.end(), leftGrad.values.begin(), leftGrad.values.end());
    results.insert(results.end(), rightGrad.values.begin(), rightGrad.values.end());
    return results;
}

} // namespace

void TstAxisProduct::valuesByHand()
{
    ThreadPool pool(1);
    // [2, 3] and [3, 1] along the 3, as matrices multiply.
    const AxisProductProblem problem{.left = {.outer = 2, .depth = 3}, .right = {.depth = 3}};
    const std::vector<float> left{1, 2, 3, 4, 5, 6};
    const std::vector<float> right{1, 0, -1};
    const std::vector<float> grad{1, 10};
    for (const auto& row : axisProductImplementations()) {
        Matrix dst(1, 2);
        row.kernels->product(pool, problem, matrixView(std::span(left), 1, 6),
                             matrixView(std::span(right), 1, 3), dst.view());
        QCOMPARE(dst.values, (std::vector<float>{-2, -2}));
        Matrix leftGrad(1, 6);
        row.kernels->leftGradient(pool, problem, matrixView(std::span(right), 1, 3),
                                  matrixView(std::span(grad), 1, 2), leftGrad.view());
        QCOMPARE(leftGrad.values, (std::vector<float>{1, 0, -1, 10, 0, -10}));
        Matrix rightGrad(1, 3);
        row.kernels->rightGradient(pool, problem, matrixView(std::span(left), 1, 6),
                                   matrixView(std::span(grad), 1, 2), rightGrad.view());
        QCOMPARE(rightGrad.values, (std::vector<float>{41, 52, 63}));
    }
}

void TstAxisProduct::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<std::vector<std::int64_t>>("left");
    QTest::addColumn<std::vector<std::int64_t>>("right");
    using Sizes = std::vector<std::int64_t>;
    QTest::newRow("vectors") << Sizes{1, 130, 1} << Sizes{1, 130, 1};
    QTest::newRow("rows by rows") << Sizes{7, 70, 1} << Sizes{5, 70, 1};
    QTest::newRow("rows by columns") << Sizes{7, 9, 1} << Sizes{1, 9, 80};
    QTest::newRow("columns by rows") << Sizes{1, 9, 80} << Sizes{7, 9, 1};
    QTest::newRow("in between") << Sizes{3, 5, 4} << Sizes{2, 5, 3};
}

void TstAxisProduct::everyRowAgreesWithTheReference()
{
    QFETCH(std::vector<std::int64_t>, left);
    QFETCH(std::vector<std::int64_t>, right);
    ThreadPool pool(2);
    const AxisProductProblem problem{
        .left = {.outer = left[0], .depth = left[1], .inner = left[2]},
        .right = {.outer = right[0], .depth = right[1], .inner = right[2]}};
    for (const std::int64_t rows : {0, 1, 60}) {
        const std::vector<float> expected =
            productsOf(reference::kAxisProduct, problem, pool, rows);
        for (const auto& row : axisProductImplementations()) {
            VERIFY_CLOSE(productsOf(*row.kernels, problem, pool, rows), expected, 1e-6, 1e-6);
        }
    }
}

void TstAxisProduct::bitsDoNotDependOnThreads()
{
    const AxisProductProblem problem{.left = {.outer = 8, .depth = 30},
                                     .right = {.depth = 30, .inner = 20}};
    std::vector<float> alone;
    for (const int threads : {1, 2, 5, 16}) {
        ThreadPool pool(threads);
        const std::vector<float> results =
            productsOf(axisProductKernels(problem), problem, pool, 200);
        if (threads == 1) {
            alone = results;
        }
        QVERIFY(sameBits(results, alone));
    }
}

CANNERY_TEST(TstAxisProduct)
#include "tst_axis_product.moc"
