// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/broadcast.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <limits>

using namespace cannery::kernels;
using namespace cannery::tests;

class TstBroadcast : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void neighboursThatAreReadAlikeAreOneAxis();
    void valuesByHand();
    void theFirstOfEqualOnesTakesTheGradient();
    void nanIsTheLargestAndTheSmallest();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsDoNotDependOnThreads();
};

namespace {

using Sizes = std::vector<std::int64_t>;

Sizes axesOf(const Broadcast& broadcast)
{
    Sizes result;
    for (const Broadcast::Axis& axis : broadcast.axes) {
        result.push_back(axis.size);
        result.push_back(axis.step);
    }
    return result;
}

constexpr std::array kOps{BroadcastOp::Copy,     BroadcastOp::Add,    BroadcastOp::Subtract,
                          BroadcastOp::Multiply, BroadcastOp::Divide, BroadcastOp::Maximum,
                          BroadcastOp::Minimum};

} // namespace

void TstBroadcast::neighboursThatAreReadAlikeAreOneAxis()
{
    QCOMPARE(axesOf(broadcastOver(Sizes{4, 3, 2}, Sizes{4, 3, 2})), (Sizes{24, 1}));
    QCOMPARE(axesOf(broadcastOver(Sizes{2}, Sizes{4, 3, 2})), (Sizes{12, 0, 2, 1}));
    QCOMPARE(axesOf(broadcastOver(Sizes{4, 1, 1}, Sizes{4, 3, 2})), (Sizes{4, 1, 6, 0}));
    QCOMPARE(axesOf(broadcastOver(Sizes{4, 1, 2}, Sizes{4, 3, 2})), (Sizes{4, 2, 3, 0, 2, 1}));
    QCOMPARE(axesOf(broadcastOver(Sizes{}, Sizes{4, 3})), (Sizes{12, 0}));
    QCOMPARE(axesOf(broadcastOver(Sizes{1, 1}, Sizes{1, 1})), (Sizes{1, 1}));
    QVERIFY(broadcastOver(Sizes{3}, Sizes{4, 3}).repeats());
    QVERIFY(!broadcastOver(Sizes{3}, Sizes{1, 3}).repeats());
}

void TstBroadcast::valuesByHand()
{
    ThreadPool pool(1);
    const Broadcast rows = broadcastOver(Sizes{2, 1}, Sizes{2, 3});
    const std::vector<float> src{10, 20};
    for (const auto& row : broadcastImplementations()) {
        std::vector<float> dst{1, 2, 3, 4, 5, 6};
        const MatrixView view = matrixView(std::span(dst), 1, 6);
        row.kernels->apply(pool, rows, BroadcastOp::Add, matrixView(std::span(src), 1, 2), view);
        QCOMPARE(dst, (std::vector<float>{11, 12, 13, 24, 25, 26}));
        std::vector<float> sums(2);
        row.kernels->sum(pool, rows, view, matrixView(std::span(sums), 1, 2));
        QCOMPARE(sums, (std::vector<float>{36, 75}));
        // One row of the operand for all rows.
        const float three = 3;
        row.kernels->apply(pool, broadcastOver(Sizes{}, Sizes{3}), BroadcastOp::Subtract,
                           {&three, 2, 1, 0}, matrixView(std::span(dst), 2, 3));
        QCOMPARE(dst, (std::vector<float>{8, 9, 10, 21, 22, 23}));
    }
}

void TstBroadcast::theFirstOfEqualOnesTakesTheGradient()
{
    ThreadPool pool(1);
    const Broadcast same = broadcastOver(Sizes{3}, Sizes{3});
    const Broadcast scalar = broadcastOver(Sizes{1}, Sizes{3});
    const std::vector<float> chosen{5, 7, 5};
    const std::vector<float> first{5};
    const std::vector<float> second{5, 7, 4};
    for (const auto& row : broadcastImplementations()) {
        std::vector<float> left{1, 2, 3};
        std::vector<float> taken(3, 9.0F);
        const MatrixView rest = matrixView(std::span(left), 1, 3);
        const MatrixView to = matrixView(std::span(taken), 1, 3);
        const ConstMatrixView best = matrixView(std::span(chosen), 1, 3);
        row.kernels->take(pool, scalar, matrixView(std::span(first), 1, 1), best, rest, to);
        QCOMPARE(taken, (std::vector<float>{1, 0, 3}));
        row.kernels->take(pool, same, matrixView(std::span(second), 1, 3), best, rest, to);
        QCOMPARE(taken, (std::vector<float>{0, 2, 0}));
        QCOMPARE(left, (std::vector<float>{0, 0, 0}));
    }
}

void TstBroadcast::nanIsTheLargestAndTheSmallest()
{
    ThreadPool pool(1);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Broadcast same = broadcastOver(Sizes{3}, Sizes{3});
    const std::vector<float> src{1, nan, nan};
    for (const auto& row : broadcastImplementations()) {
        for (const BroadcastOp op : {BroadcastOp::Maximum, BroadcastOp::Minimum}) {
            std::vector<float> dst{nan, 1, nan};
            row.kernels->apply(pool, same, op, matrixView(std::span(src), 1, 3),
                               matrixView(std::span(dst), 1, 3));
            QVERIFY(std::ranges::all_of(dst, [](float x) { return std::isnan(x); }));
        }
    }
}

void TstBroadcast::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<Sizes>("operand");
    QTest::addColumn<Sizes>("row");
    QTest::newRow("alike") << Sizes{5, 7} << Sizes{5, 7};
    QTest::newRow("channels") << Sizes{1, 1, 33} << Sizes{6, 5, 33};
    QTest::newRow("pixels") << Sizes{6, 5, 1} << Sizes{6, 5, 33};
    QTest::newRow("in between") << Sizes{3, 1, 4} << Sizes{3, 9, 4};
    QTest::newRow("around") << Sizes{1, 9, 1} << Sizes{3, 9, 4};
    QTest::newRow("fewer dimensions") << Sizes{9, 1} << Sizes{3, 9, 4};
    QTest::newRow("a number") << Sizes{} << Sizes{40};
}

void TstBroadcast::everyRowAgreesWithTheReference()
{
    QFETCH(Sizes, operand);
    QFETCH(Sizes, row);
    ThreadPool pool(2);
    const Broadcast broadcast = broadcastOver(operand, row);
    constexpr std::int64_t kRows = 37;
    const Matrix src = Matrix(kRows, broadcast.operandWidth, 3).fillRandom(1);
    const auto all = [&](const BroadcastKernels& kernels) {
        std::vector<float> results;
        const auto keep = [&](const Matrix& matrix) {
            results.insert(results.end(), matrix.values.begin(), matrix.values.end());
        };
        for (const BroadcastOp op : kOps) {
            Matrix dst = Matrix(kRows, broadcast.width, 2).fillRandom(2);
            kernels.apply(pool, broadcast, op, src.view(), dst.view());
            keep(dst);
            Matrix left = Matrix(kRows, broadcast.width, 1).fillRandom(3);
            Matrix taken(kRows, broadcast.width, 4);
            kernels.take(pool, broadcast, src.view(), dst.view(), left.view(), taken.view());
            keep(left);
            keep(taken);
        }
        Matrix sums(kRows, broadcast.operandWidth, 1);
        kernels.sum(pool, broadcast, Matrix(kRows, broadcast.width, 2).fillRandom(4).view(),
                    sums.view());
        keep(sums);
        return results;
    };
    const std::vector<float> expected = all(reference::kBroadcast);
    for (const auto& implementation : broadcastImplementations()) {
        VERIFY_CLOSE(all(*implementation.kernels), expected, 1e-6, 1e-6);
    }
}

void TstBroadcast::bitsDoNotDependOnThreads()
{
    const Broadcast broadcast = broadcastOver(Sizes{1, 70}, Sizes{64, 70});
    const Matrix src = Matrix(40, broadcast.width).fillRandom(1);
    std::vector<float> alone;
    for (const int threads : {1, 2, 5, 16}) {
        ThreadPool pool(threads);
        Matrix dst(40, broadcast.operandWidth);
        broadcastKernels().sum(pool, broadcast, src.view(), dst.view());
        if (threads == 1) {
            alone = dst.values;
        }
        QVERIFY(sameBits(dst.values, alone));
    }
}

CANNERY_TEST(TstBroadcast)
#include "tst_broadcast.moc"
