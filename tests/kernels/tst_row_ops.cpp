// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/dropout.h"
#include "kernels/ops/softmax.h"
#include "kernels/ops/vector_ops.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstRowOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void biasGradAgreesWithTheReference();
    void softmaxAgreesWithTheReference();
    void softmaxGradientAgreesWithTheReference();
    void softmaxOfNonFiniteValues();
    void dropoutAgreesWithTheReference();
    void dropoutIsAFunctionOfStepRowAndUnit();
    void dropoutKeepsItsShareAndItsMean();
    void vectorOpsAgreeWithTheReference();
    void sumsHaveTheSameBitsForAnyThreads();
    void copyPacksColumns();
    void clipsAsTensorFlowDoes();
};

namespace {

const std::vector<std::pair<std::int64_t, std::int64_t>> kShapes = {
    {0, 4}, {4, 0}, {1, 1}, {3, 17}, {32, 100}, {700, 130}, {5000, 9}};

} // namespace

void TstRowOps::biasGradAgreesWithTheReference()
{
    for (const int threads : {1, 2, 7}) {
        ThreadPool pool(threads);
        for (const auto& [rows, cols] : kShapes) {
            Matrix grad = Matrix(rows, cols, 2).fillRandom(1);
            if (rows > 100) {
                grad.at(50, 1) = std::numeric_limits<float>::infinity();
            }
            std::vector<float> expected(static_cast<std::size_t>(cols));
            reference::kBiasGrad.run(pool, grad.view(), expected);
            for (const auto& row : biasGradImplementations()) {
                std::vector<float> actual(expected.size(), 7.0F);
                row.kernels->run(pool, grad.view(), actual);
                VERIFY_CLOSE(actual, expected, 1e-5, 1e-5);
            }
        }
    }
}

void TstRowOps::softmaxAgreesWithTheReference()
{
    for (const int threads : {1, 2, 7}) {
        ThreadPool pool(threads);
        for (const auto& [rows, cols] : kShapes) {
            Matrix src = Matrix(rows, cols, 2).fillRandom(1);
            for (float& x : src.values) {
                x *= 20;
            }
            Matrix expected(rows, cols, 1);
            reference::kSoftmax.run(pool, src.view(), expected.view());
            for (const auto& row : softmaxImplementations()) {
                Matrix actual(rows, cols, 1);
                row.kernels->run(pool, src.view(), actual.view());
                VERIFY_CLOSE(actual.values, expected.values, 3e-6, 1e-37);
            }
        }
    }
}

void TstRowOps::softmaxGradientAgreesWithTheReference()
{
    for (const int threads : {1, 2, 7}) {
        ThreadPool pool(threads);
        for (const auto& [rows, cols] : kShapes) {
            Matrix dst = Matrix(rows, cols, 2).fillRandom(1);
            reference::kSoftmax.run(pool, dst.view(), dst.view());
            const Matrix dstGrad = Matrix(rows, cols, 3).fillRandom(2);
            Matrix expected(rows, cols, 1);
            reference::kSoftmax.gradient(pool, dst.view(), dstGrad.view(), expected.view());
            for (const auto& row : softmaxImplementations()) {
                Matrix actual(rows, cols, 1);
                row.kernels->gradient(pool, dst.view(), dstGrad.view(), actual.view());
                VERIFY_CLOSE(actual.values, expected.values, 3e-6, 1e-6);
            }
        }
    }
}

void TstRowOps::softmaxOfNonFiniteValues()
{
    ThreadPool pool(1);
    const float infinity = std::numeric_limits<float>::infinity();
    for (const auto& row : softmaxImplementations()) {
        Matrix src(3, 2);
        src.values = {-infinity, 0, infinity, 0, std::numeric_limits<float>::quiet_NaN(), 0};
        row.kernels->run(pool, src.view(), src.view());
        QCOMPARE(src.at(0, 0), 0.0F);
        QCOMPARE(src.at(0, 1), 1.0F);
        QVERIFY(std::isnan(src.at(1, 0)) && std::isnan(src.at(2, 0)) && std::isnan(src.at(2, 1)));
    }
}

void TstRowOps::dropoutAgreesWithTheReference()
{
    const DropoutMask mask{.rate = 0.3F, .seed = 77, .layer = 2, .step = 1ULL << 40, .firstRow = 5};
    for (const int threads : {1, 2, 7}) {
        ThreadPool pool(threads);
        for (const auto& [rows, cols] : kShapes) {
            const Matrix src = Matrix(rows, cols, 2).fillRandom(1);
            Matrix expected(rows, cols, 1);
            reference::kDropout.run(pool, mask, src.view(), expected.view());
            for (const auto& row : dropoutImplementations()) {
                Matrix actual(rows, cols, 1);
                row.kernels->run(pool, mask, src.view(), actual.view());
                QVERIFY(sameBits(actual.values, expected.values));
            }
        }
    }
}

void TstRowOps::dropoutIsAFunctionOfStepRowAndUnit()
{
    ThreadPool pool(1);
    const Matrix src = Matrix(40, 50).fillRandom(1);
    const auto dropped = [&](const DropoutMask& mask) {
        Matrix dst(40, 50);
        dropoutKernels({}).run(pool, mask, src.view(), dst.view());
        return dst;
    };
    const DropoutMask mask{.seed = 1, .step = 9};
    const Matrix whole = dropped(mask);
    Matrix shard(10, 50);
    dropoutKernels({}).run(pool, {.seed = 1, .step = 9, .firstRow = 30}, src.view().slice(30, 10),
                           shard.view());
    QVERIFY(sameBits(shard.values, whole.view().slice(30, 10).flat()));
    for (const DropoutMask& other :
         {DropoutMask{.seed = 2, .step = 9}, DropoutMask{.seed = 1, .step = 10},
          DropoutMask{.seed = 1, .layer = 1, .step = 9}}) {
        QVERIFY(!sameBits(dropped(other).values, whole.values));
    }
}

void TstRowOps::dropoutKeepsItsShareAndItsMean()
{
    ThreadPool pool(1);
    Matrix ones(500, 100);
    std::fill(ones.values.begin(), ones.values.end(), 1.0F);
    dropoutKernels({}).run(pool, {.rate = 0.2F, .seed = 3}, ones.view(), ones.view());
    double sum = 0;
    int zeros = 0;
    for (const float x : ones.values) {
        QVERIFY(x == 0.0F || x == 1.0F / (1.0F - 0.2F));
        sum += x;
        zeros += x == 0.0F ? 1 : 0;
    }
    QVERIFY(std::abs(zeros / 50000.0 - 0.2) < 0.006);
    QVERIFY(std::abs(sum / 50000.0 - 1.0) < 0.01);
}

void TstRowOps::vectorOpsAgreeWithTheReference()
{
    ThreadPool pool(2);
    for (const std::int64_t size : {0, 1, 5, 1000, 70001}) {
        Matrix a = Matrix(1, size).fillRandom(1);
        const Matrix b = Matrix(1, size).fillRandom(2);
        if (size > 100) {
            a.values[3] = std::numeric_limits<float>::quiet_NaN();
            a.values[4] = -std::numeric_limits<float>::infinity();
            a.values[5] = 0.0F;
        }
        const auto all = [&](const VectorKernels& kernels) {
            std::vector<float> results(a.values);
            kernels.clipByValue(pool, results, -0.5F, 0.25F);
            kernels.scale(pool, results, 3.0F);
            kernels.axpy(pool, -0.5F, b.values, results);
            Matrix sum = b;
            kernels.add(pool, a.view(), sum.view());
            results.insert(results.end(), sum.values.begin(), sum.values.end());
            Matrix product = b;
            kernels.multiply(pool, a.view(), product.view());
            results.insert(results.end(), product.values.begin(), product.values.end());
            std::vector<float> filled(static_cast<std::size_t>(size));
            kernels.fill(pool, filled, 2.5F);
            results.insert(results.end(), filled.begin(), filled.end());
            results.push_back(static_cast<float>(kernels.sum(pool, b.values)));
            results.push_back(static_cast<float>(kernels.sumOfSquares(pool, b.values)));
            results.push_back(static_cast<float>(kernels.weightedSum(pool, a.values, b.values)));
            results.push_back(kernels.zeroFraction(pool, a.view()));
            return results;
        };
        const std::vector<float> expected = all(reference::kVector);
        for (const auto& row : vectorImplementations()) {
            VERIFY_CLOSE(all(*row.kernels), expected, 1e-6, 1e-6);
        }
    }
}

void TstRowOps::sumsHaveTheSameBitsForAnyThreads()
{
    ThreadPool alone(1);
    const Matrix values = Matrix(1, 5'000'000).fillRandom(1);
    const double expected = cpu::kVector.sumOfSquares(alone, values.values);
    for (const int threads : {2, 7}) {
        ThreadPool pool(threads);
        QVERIFY(cpu::kVector.sumOfSquares(pool, values.values) == expected);
    }
}

void TstRowOps::copyPacksColumns()
{
    ThreadPool pool(1);
    const Matrix left = Matrix(3, 2).fillRandom(1);
    const Matrix right = Matrix(3, 1).fillRandom(2);
    for (const auto& row : vectorImplementations()) {
        Matrix packed(3, 3);
        row.kernels->copy(pool, left.view(), packed.view().columns(0, 2));
        row.kernels->copy(pool, right.view(), packed.view().columns(2, 1));
        Matrix unpacked(3, 2);
        row.kernels->copy(pool, packed.view().columns(0, 2), unpacked.view());
        QVERIFY(sameBits(unpacked.values, left.values));
        QCOMPARE(packed.at(2, 2), right.values[2]);
    }
}

void TstRowOps::clipsAsTensorFlowDoes()
{
    ThreadPool pool(1);
    std::vector<float> grad = {3.0F, 4.0F};
    clipByNorm(pool, grad, vectorKernels().sumOfSquares(pool, grad), 10.0F);
    VERIFY_CLOSE(grad, std::vector<float>({3.0F, 4.0F}));
    clipByNorm(pool, grad, vectorKernels().sumOfSquares(pool, grad), 1.0F);
    VERIFY_CLOSE(grad, std::vector<float>({0.6F, 0.8F}));
    QCOMPARE(globalNormScale(25.0, 10.0F), 1.0F);
    QCOMPARE(globalNormScale(25.0, 1.0F), 0.2F);
    QCOMPARE(globalNormScale(0.0, 1.0F), 1.0F);
    QVERIFY(std::isnan(globalNormScale(std::numeric_limits<double>::infinity(), 1.0F)));
}

CANNERY_TEST(TstRowOps)
#include "tst_row_ops.moc"
