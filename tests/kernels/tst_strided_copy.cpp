// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/strided_copy.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstStridedCopy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void transposesByHand();
    void theWayBackIsTheInverse();
    void leavesTheRestAlone();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsDoNotDependOnThreads();

private:
    static StridedCopyProblem transposed(const std::vector<std::int64_t>& shape,
                                         const std::vector<std::size_t>& order);
};

StridedCopyProblem TstStridedCopy::transposed(const std::vector<std::int64_t>& shape,
                                              const std::vector<std::size_t>& order)
{
    StridedCopyProblem problem{.rank = shape.size()};
    std::int64_t dstStep = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        std::int64_t srcStep = 1;
        for (std::size_t inner = order[i] + 1; inner < shape.size(); ++inner) {
            srcStep *= shape[inner];
        }
        problem.axes[i] = {.size = shape[order[i]], .srcStep = srcStep, .dstStep = dstStep};
        dstStep *= shape[order[i]];
    }
    return problem;
}

void TstStridedCopy::transposesByHand()
{
    ThreadPool pool(1);
    const std::vector<float> src{1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6}; // two rows of [2, 3]
    const StridedCopyProblem problem = transposed({2, 3}, {1, 0});
    for (const auto& row : stridedCopyImplementations()) {
        Matrix dst(2, 6);
        row.kernels->run(problem, pool, matrixView(std::span(src), 2, 6), dst.view());
        QCOMPARE(dst.values, (std::vector<float>{1, 4, 2, 5, 3, 6, -1, -4, -2, -5, -3, -6}));
    }
}

void TstStridedCopy::theWayBackIsTheInverse()
{
    ThreadPool pool(2);
    const StridedCopyProblem problem = transposed({3, 4, 5}, {2, 0, 1});
    const Matrix src = Matrix(7, 60, 2).fillRandom(1);
    for (const auto& row : stridedCopyImplementations()) {
        Matrix there(7, 60);
        Matrix back(7, 60, 2);
        row.kernels->run(problem, pool, src.view(), there.view());
        row.kernels->run(problem.reversed(), pool, there.view(), back.view());
        QVERIFY(there.values != src.values);
        QVERIFY(sameBits(back.values, src.values));
    }
}

void TstStridedCopy::leavesTheRestAlone()
{
    ThreadPool pool(1);
    const std::vector<float> src{1, 2, 3, 4};
    // [2, 2] into the middle of [3, 4].
    StridedCopyProblem problem{.rank = 2, .dstFirst = 5};
    problem.axes[0] = {.size = 2, .srcStep = 2, .dstStep = 4};
    problem.axes[1] = {.size = 2, .srcStep = 1, .dstStep = 1};
    for (const auto& row : stridedCopyImplementations()) {
        std::vector<float> dst(12, 7.0F);
        row.kernels->run(problem, pool, matrixView(std::span(src), 1, 4),
                         matrixView(std::span(dst), 1, 12));
        QCOMPARE(dst, (std::vector<float>{7, 7, 7, 7, 7, 1, 2, 7, 7, 3, 4, 7}));
    }
}

void TstStridedCopy::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<QList<int>>("shape");
    QTest::addColumn<QList<int>>("order");
    QTest::addColumn<int>("rows");
    QTest::newRow("no rows") << QList<int>{2, 3} << QList<int>{1, 0} << 0;
    QTest::newRow("one dimension") << QList<int>{5} << QList<int>{0} << 3;
    QTest::newRow("nothing") << QList<int>{2, 0, 3} << QList<int>{2, 0, 1} << 3;
    QTest::newRow("a number") << QList<int>{} << QList<int>{} << 4;
    QTest::newRow("channels stay") << QList<int>{3, 5, 17} << QList<int>{1, 0, 2} << 3;
    QTest::newRow("four dimensions") << QList<int>{2, 3, 4, 5} << QList<int>{3, 1, 0, 2} << 2;
    QTest::newRow("large") << QList<int>{64, 96} << QList<int>{1, 0} << 9;
}

void TstStridedCopy::everyRowAgreesWithTheReference()
{
    QFETCH(QList<int>, shape);
    QFETCH(QList<int>, order);
    QFETCH(int, rows);
    ThreadPool pool(2);
    const StridedCopyProblem problem =
        transposed({shape.begin(), shape.end()}, {order.begin(), order.end()});
    const Matrix src = Matrix(rows, problem.count(), 3).fillRandom(1);
    Matrix expected(rows, problem.count(), 1);
    reference::kStridedCopy.run(problem, pool, src.view(), expected.view());
    for (const auto& row : stridedCopyImplementations()) {
        Matrix dst(rows, problem.count(), 1);
        row.kernels->run(problem, pool, src.view(), dst.view());
        QVERIFY(sameBits(dst.values, expected.values));
    }
}

void TstStridedCopy::bitsDoNotDependOnThreads()
{
    const StridedCopyProblem problem = transposed({40, 50}, {1, 0});
    const Matrix src = Matrix(60, 2000).fillRandom(1);
    std::vector<float> alone;
    for (const int threads : {1, 2, 5, 16}) {
        ThreadPool pool(threads);
        Matrix dst(60, 2000);
        stridedCopyKernels(problem).run(problem, pool, src.view(), dst.view());
        if (threads == 1) {
            alone = dst.values;
        }
        QCOMPARE(dst.values, alone);
    }
}

CANNERY_TEST(TstStridedCopy)
#include "tst_strided_copy.moc"
