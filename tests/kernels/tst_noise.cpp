// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/normal_numbers.h"
#include "kernels/ops/noise.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstNoise : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference();
    void isAFunctionOfSeedLayerStepRowAndUnit();
    void normalNumbersHaveTheirMoments();
    void alphaDropoutKeepsMeanAndVariance();
    void gradientsAreDerivatives();
};

namespace {

constexpr std::int64_t kNoiseRows = 400;
constexpr std::int64_t kNoiseCols = 500;

struct NoiseMoments
{
    double mean = 0;
    double variance = 0;
    double fourth = 0; ///< the mean of the fourth power of deviations
};

NoiseMoments noiseMoments(std::span<const float> values)
{
    NoiseMoments moments;
    const auto count = static_cast<double>(values.size());
    for (const float value : values) {
        moments.mean += double{value} / count;
    }
    for (const float value : values) {
        const double deviation = double{value} - moments.mean;
        moments.variance += deviation * deviation / count;
        moments.fourth += deviation * deviation * deviation * deviation / count;
    }
    return moments;
}

Matrix noisy(const Noise& noise, const Matrix& src)
{
    ThreadPool pool(2);
    Matrix dst(src.rows, src.cols);
    noiseKernels({}).run(pool, noise, src.view(), dst.view());
    return dst;
}

} // namespace

void TstNoise::everyRowAgreesWithTheReference()
{
    for (const NoiseRule rule : {NoiseRule::Add, NoiseRule::Multiply, NoiseRule::AlphaDropout}) {
        const Noise noise{.rule = rule,
                          .amount = 0.3F,
                          .seed = 77,
                          .layer = 2,
                          .step = 1ULL << 40,
                          .firstRow = 5};
        for (const int threads : {1, 2, 7}) {
            ThreadPool pool(threads);
            for (const auto& [rows, cols] : {std::pair{0, 5}, {1, 1}, {3, 17}, {300, 129}}) {
                const Matrix src = Matrix(rows, cols, 2).fillRandom(1);
                Matrix expected(rows, cols, 1);
                Matrix expectedGrad(rows, cols, 1);
                reference::kNoise.run(pool, noise, src.view(), expected.view());
                reference::kNoise.gradient(pool, noise, src.view(), expectedGrad.view());
                for (const auto& row : noiseImplementations()) {
                    Matrix actual(rows, cols, 1);
                    Matrix actualGrad(rows, cols, 1);
                    row.kernels->run(pool, noise, src.view(), actual.view());
                    row.kernels->gradient(pool, noise, src.view(), actualGrad.view());
                    VERIFY_CLOSE(actual.values, expected.values, 2e-6, 1e-6);
                    VERIFY_CLOSE(actualGrad.values, expectedGrad.values, 2e-6, 1e-6);
                }
            }
        }
    }
}

void TstNoise::isAFunctionOfSeedLayerStepRowAndUnit()
{
    ThreadPool pool(1);
    const Matrix src = Matrix(40, 50).fillRandom(1);
    const Noise noise{.amount = 1.0F, .seed = 1, .step = 9};
    const Matrix whole = noisy(noise, src);
    Noise later = noise;
    later.firstRow = 30;
    Matrix shard(10, 50);
    noiseKernels({}).run(pool, later, src.view().slice(30, 10), shard.view());
    QVERIFY(sameBits(shard.values, whole.view().slice(30, 10).flat()));
    for (const Noise& other :
         {Noise{.amount = 1.0F, .seed = 2, .step = 9}, Noise{.amount = 1.0F, .seed = 1, .step = 10},
          Noise{.amount = 1.0F, .seed = 1, .layer = 1, .step = 9}}) {
        QVERIFY(!sameBits(noisy(other, src).values, whole.values));
    }
}

void TstNoise::normalNumbersHaveTheirMoments()
{
    // Of 200,000 numbers; bounds are four standard errors, of a fixed seed.
    const Matrix zeros(kNoiseRows, kNoiseCols);
    const NoiseMoments added = noiseMoments(noisy({.amount = 1.0F, .seed = 3}, zeros).values);
    QVERIFY2(std::abs(added.mean) < 0.009, qPrintable(QString::number(added.mean)));
    QVERIFY2(std::abs(added.variance - 1) < 0.013, qPrintable(QString::number(added.variance)));
    QVERIFY2(std::abs(added.fourth - 3) < 0.09, qPrintable(QString::number(added.fourth)));
    Matrix ones(kNoiseRows, kNoiseCols);
    std::ranges::fill(ones.values, 1.0F);
    const NoiseMoments scaled =
        noiseMoments(noisy({.rule = NoiseRule::Multiply, .amount = 0.5F, .seed = 3}, ones).values);
    QVERIFY(std::abs(scaled.mean - 1) < 0.0045);
    QVERIFY(std::abs(scaled.variance - 0.25) < 0.0033);
    // The smallest and the largest radius.
    QCOMPARE(normalPair<float>(0xFFFFFFFFU, 0).first, 0.0F);
    QVERIFY(std::abs(normalPair<float>(0, 0).first - 5.7681F) < 1e-4F);
}

void TstNoise::alphaDropoutKeepsMeanAndVariance()
{
    const Matrix normal = noisy({.amount = 1.0F, .seed = 3}, Matrix(kNoiseRows, kNoiseCols));
    for (const float rate : {0.05F, 0.3F, 0.6F}) {
        const Matrix dropped =
            noisy({.rule = NoiseRule::AlphaDropout, .amount = rate, .seed = 5}, normal);
        const NoiseMoments moments = noiseMoments(dropped.values);
        QVERIFY2(std::abs(moments.mean) < 0.02, qPrintable(QString::number(moments.mean)));
        QVERIFY2(std::abs(moments.variance - 1) < 0.02,
                 qPrintable(QString::number(moments.variance)));
        const AlphaDropoutScale scale = alphaDropoutScale(double{rate});
        const auto limit = static_cast<float>(scale.factor * alphaDropoutLimit() + scale.offset);
        const auto count = std::ranges::count(dropped.values, limit);
        QVERIFY(std::abs(static_cast<double>(count) / (kNoiseRows * kNoiseCols) - double{rate}) <
                0.005);
    }
}

void TstNoise::gradientsAreDerivatives()
{
    ThreadPool pool(1);
    const Matrix src = Matrix(5, 40).fillRandom(1);
    Matrix moved = src;
    for (float& value : moved.values) {
        value += 0.5F;
    }
    Matrix ones(5, 40);
    std::ranges::fill(ones.values, 1.0F);
    for (const NoiseRule rule : {NoiseRule::Add, NoiseRule::Multiply, NoiseRule::AlphaDropout}) {
        const Noise noise{.rule = rule, .amount = 0.4F, .seed = 8};
        Matrix slopes(5, 40);
        noiseKernels({}).gradient(pool, noise, ones.view(), slopes.view());
        const Matrix before = noisy(noise, src);
        const Matrix after = noisy(noise, moved);
        for (std::size_t i = 0; i < slopes.values.size(); ++i) {
            QVERIFY(
                close((after.values[i] - before.values[i]) / 0.5F, slopes.values[i], 1e-5, 2e-6));
        }
    }
}

CANNERY_TEST(TstNoise)
#include "tst_noise.moc"
