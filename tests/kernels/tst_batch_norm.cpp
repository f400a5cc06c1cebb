// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/batch_norm.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <functional>

using namespace cannery::kernels;
using namespace cannery::tests;

class TstBatchNorm : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void gradientsAreFiniteDifferences();
    void bitsDoNotDependOnThreads();
    void movingMomentsFollowTheBatch();
    void nonFiniteValuesStayInTheirColumn();
    void partsMergeToTheWhole();
    void bitsOfPartsDoNotDependOnThreads();
    void aFarMeanLosesNoDigits();
};

namespace {

/// Everything that a training step computes from one batch.
struct Pass
{
    Pass(const BatchNormKernels& kernels, ThreadPool& pool, const Matrix& src,
         const Matrix& dstGrad)
        : mean(static_cast<std::size_t>(src.cols)), variance(mean), gammaGrad(mean), betaGrad(mean),
          gamma(mean.size(), 1.5F), beta(mean.size(), -0.25F), dst(src.rows, src.cols, 2),
          srcGrad(src.rows, src.cols, 2)
    {
        kernels.moments(pool, src.view(), mean, variance);
        const BatchNormParameters parameters{gamma, beta, mean, variance};
        kernels.normalize(pool, parameters, src.view(), dst.view());
        const BatchNormGradient gradient{parameters, src.view(), dstGrad.view(), src.rows};
        kernels.parameterGradients(pool, gradient, gammaGrad, betaGrad);
        kernels.srcGradient(pool, gradient, gammaGrad, betaGrad, srcGrad.view());
    }

    std::vector<float> mean;
    std::vector<float> variance;
    std::vector<float> gammaGrad;
    std::vector<float> betaGrad;
    std::vector<float> gamma;
    std::vector<float> beta;
    Matrix dst;
    Matrix srcGrad;
};

/// The same of rows [first, first + count), as far as shards tell each other.
struct Part
{
    Part(const BatchNormKernels& kernels, ThreadPool& pool, const Pass& whole, const Matrix& src,
         const Matrix& dstGrad, std::int64_t first, std::int64_t count)
        : moments(static_cast<std::size_t>(partialMomentsSize(src.cols)),
                  static_cast<double>(count)),
          products(static_cast<std::size_t>(src.cols)), sums(products)
    {
        const auto cols = static_cast<std::size_t>(src.cols);
        const ConstMatrixView rows = src.view().slice(first, count);
        kernels.partialMoments(pool, rows, std::span(moments).subspan(1, cols),
                               std::span(moments).subspan(1 + cols));
        kernels.partialGradients(pool,
                                 {{whole.gamma, whole.beta, whole.mean, whole.variance},
                                  rows,
                                  dstGrad.view().slice(first, count),
                                  src.rows},
                                 products, sums);
    }

    void add(const Part& right)
    {
        mergeMoments(moments, right.moments);
        std::ranges::transform(products, right.products, products.begin(), std::plus<>());
        std::ranges::transform(sums, right.sums, sums.begin(), std::plus<>());
    }

    std::vector<double> moments;
    std::vector<double> products;
    std::vector<double> sums;
};

} // namespace

void TstBatchNorm::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("cols");
    for (const auto& [rows, cols] :
         {std::pair{1, 1}, {2, 3}, {32, 100}, {33, 65}, {700, 130}, {5, 0}}) {
        QTest::addRow("%d x %d", rows, cols) << rows << cols;
    }
}

void TstBatchNorm::everyRowAgreesWithTheReference()
{
    QFETCH(int, rows);
    QFETCH(int, cols);
    ThreadPool pool(2);
    const Matrix src = Matrix(rows, cols, 1).fillRandom(1);
    const Matrix dstGrad = Matrix(rows, cols, 3).fillRandom(2);
    const Pass expected(reference::kBatchNorm, pool, src, dstGrad);
    for (const auto& row : batchNormImplementations()) {
        const Pass actual(*row.kernels, pool, src, dstGrad);
        VERIFY_CLOSE(actual.mean, expected.mean);
        VERIFY_CLOSE(actual.variance, expected.variance);
        VERIFY_CLOSE(actual.dst.values, expected.dst.values, 1e-5, 1e-5);
        VERIFY_CLOSE(actual.gammaGrad, expected.gammaGrad, 1e-5, 1e-5);
        VERIFY_CLOSE(actual.betaGrad, expected.betaGrad, 1e-5, 1e-5);
        VERIFY_CLOSE(actual.srcGrad.values, expected.srcGrad.values, 1e-4, 1e-5);
    }
}

void TstBatchNorm::gradientsAreFiniteDifferences()
{
    ThreadPool pool(1);
    const Matrix src = Matrix(6, 3).fillRandom(1);
    const Matrix dstGrad = Matrix(6, 3).fillRandom(2);
    const Pass pass(cpu::kBatchNorm, pool, src, dstGrad);
    // The objective is the sum of dst * dstGrad.
    const auto objective = [&](const Matrix& at) {
        const Pass moved(reference::kBatchNorm, pool, at, dstGrad);
        double sum = 0;
        for (std::int64_t r = 0; r < 6; ++r) {
            for (std::int64_t c = 0; c < 3; ++c) {
                sum += double(moved.dst.view().at(r)[c]) * dstGrad.view().at(r)[c];
            }
        }
        return sum;
    };
    for (std::int64_t i = 0; i < 18; ++i) {
        Matrix up = src;
        Matrix down = src;
        up.values[i] += 1e-2F;
        down.values[i] -= 1e-2F;
        const double slope = (objective(up) - objective(down)) / 2e-2;
        QVERIFY(close(pass.srcGrad.view().at(i / 3)[i % 3], static_cast<float>(slope), 2e-2, 2e-3));
    }
}

void TstBatchNorm::bitsDoNotDependOnThreads()
{
    const Matrix src = Matrix(900, 200).fillRandom(1);
    const Matrix dstGrad = Matrix(900, 200).fillRandom(2);
    ThreadPool alone(1);
    const Pass expected(cpu::kBatchNorm, alone, src, dstGrad);
    for (const int threads : {2, 7}) {
        ThreadPool pool(threads);
        const Pass actual(cpu::kBatchNorm, pool, src, dstGrad);
        QVERIFY(sameBits(actual.mean, expected.mean));
        QVERIFY(sameBits(actual.variance, expected.variance));
        QVERIFY(sameBits(actual.dst.values, expected.dst.values));
        QVERIFY(sameBits(actual.gammaGrad, expected.gammaGrad));
        QVERIFY(sameBits(actual.betaGrad, expected.betaGrad));
        QVERIFY(sameBits(actual.srcGrad.values, expected.srcGrad.values));
    }
}

void TstBatchNorm::movingMomentsFollowTheBatch()
{
    std::vector<float> moving = {0.0F, 1.0F};
    updateMovingMoments(moving, std::vector<float>{2.0F, 1.0F}, 0.999F);
    VERIFY_CLOSE(moving, std::vector<float>({0.002F, 1.0F}), 1e-4, 0);
}

void TstBatchNorm::nonFiniteValuesStayInTheirColumn()
{
    ThreadPool pool(1);
    Matrix src = Matrix(8, 4).fillRandom(1);
    src.at(2, 1) = std::numeric_limits<float>::quiet_NaN();
    src.at(3, 2) = std::numeric_limits<float>::infinity();
    const Matrix dstGrad = Matrix(8, 4).fillRandom(2);
    Pass expected(reference::kBatchNorm, pool, src, dstGrad);
    Pass actual(cpu::kBatchNorm, pool, src, dstGrad);
    VERIFY_CLOSE(actual.dst.values, expected.dst.values, 1e-5, 1e-5);
    VERIFY_CLOSE(actual.srcGrad.values, expected.srcGrad.values, 1e-4, 1e-5);
    QVERIFY(std::isfinite(actual.dst.at(2, 0)) && std::isnan(actual.dst.at(0, 1)));
}

/// Of any sizes, even of no rows.
void TstBatchNorm::partsMergeToTheWhole()
{
    ThreadPool pool(2);
    const Matrix src = Matrix(500, 130, 1).fillRandom(1);
    const Matrix dstGrad = Matrix(500, 130, 3).fillRandom(2);
    for (const auto& row : batchNormImplementations()) {
        const Pass whole(*row.kernels, pool, src, dstGrad);
        Part merged(*row.kernels, pool, whole, src, dstGrad, 0, 0);
        for (const auto& [first, count] : {std::pair{0, 1}, {1, 299}, {300, 0}, {300, 200}}) {
            merged.add(Part(*row.kernels, pool, whole, src, dstGrad, first, count));
        }
        QCOMPARE(merged.moments[0], 500.0);
        Pass found = whole;
        momentsOf(merged.moments, found.mean, found.variance);
        gradientsOf({whole.gamma, whole.beta, whole.mean, whole.variance}, merged.products,
                    merged.sums, found.gammaGrad, found.betaGrad);
        VERIFY_CLOSE(found.mean, whole.mean, 1e-7, 1e-7);
        VERIFY_CLOSE(found.variance, whole.variance, 1e-7, 1e-7);
        VERIFY_CLOSE(found.gammaGrad, whole.gammaGrad, 1e-6, 1e-6);
        VERIFY_CLOSE(found.betaGrad, whole.betaGrad, 1e-6, 1e-6);
    }
}

void TstBatchNorm::bitsOfPartsDoNotDependOnThreads()
{
    const Matrix src = Matrix(900, 200).fillRandom(1);
    const Matrix dstGrad = Matrix(900, 200).fillRandom(2);
    ThreadPool alone(1);
    const Pass whole(cpu::kBatchNorm, alone, src, dstGrad);
    const Part expected(cpu::kBatchNorm, alone, whole, src, dstGrad, 0, 900);
    ThreadPool pool(7);
    const Part actual(cpu::kBatchNorm, pool, whole, src, dstGrad, 0, 900);
    QVERIFY(actual.moments == expected.moments);
    QVERIFY(actual.products == expected.products);
    QVERIFY(actual.sums == expected.sums);
}

/// Whose square has all the digits of a double.
void TstBatchNorm::aFarMeanLosesNoDigits()
{
    std::vector<double> left{2, 1e8 + 1, 2}; // 1e8 and 1e8 + 2
    mergeMoments(left, std::vector<double>{1, 1e8 + 4, 0});
    QCOMPARE(left, (std::vector<double>{3, 1e8 + 2, 8}));
}

CANNERY_TEST(TstBatchNorm)
#include "tst_batch_norm.moc"
