// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/batch_norm.h"
#include "tests/kernels/accelerator/device_case.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

/// Batch normalization on a device against the reference kernels.
class TstNormalizationOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void agreesWithTheReference();
    void momentsOfDistantValuesAreExact();
    void normalizesInPlace();
    void gradientsAreFiniteDifferences();
};

namespace {

/// Parameters of a layer, and the values that a batch has.
struct Normalized
{
    Normalized(std::int64_t rows, std::int64_t cols)
        : src(Matrix(rows, cols, 2).fillRandom(1)), dstGrad(Matrix(rows, cols, 1).fillRandom(2)),
          gamma(Matrix(1, cols).fillRandom(3).values), beta(Matrix(1, cols).fillRandom(4).values),
          mean(gamma.size()), variance(gamma.size()), gammaGrad(gamma.size()),
          betaGrad(gamma.size()), dst(rows, cols, 3), srcGrad(rows, cols, 1)
    {}

    BatchNormParameters parameters() const { return {gamma, beta, mean, variance, 0.001F}; }

    Matrix src;
    Matrix dstGrad;
    std::vector<float> gamma;
    std::vector<float> beta;
    std::vector<float> mean;
    std::vector<float> variance;
    std::vector<float> gammaGrad;
    std::vector<float> betaGrad;
    Matrix dst;
    Matrix srcGrad;
};

/// The same on a device, and all its operations.
struct PlacedNormalized
{
    PlacedNormalized(DeviceCase& device, const Normalized& from)
        : src(device.put(from.src)), dstGrad(device.put(from.dstGrad)), mean(device.put(from.mean)),
          variance(device.put(from.variance)), gammaGrad(device.put(from.gammaGrad)),
          betaGrad(device.put(from.betaGrad)), dst(device.put(from.dst)),
          srcGrad(device.put(from.srcGrad)), parameters{device.put(from.gamma),
                                                        device.put(from.beta), mean, variance,
                                                        0.001F}
    {}

    std::vector<Operation> operations() const
    {
        return {BatchMoments{src, mean, variance}, BatchNormalize{parameters, src, dst},
                BatchNormParameterGradients{parameters, src, dstGrad, gammaGrad, betaGrad},
                BatchNormSrcGradient{parameters, src, dstGrad, gammaGrad, betaGrad, srcGrad}};
    }

    MatrixView src;
    MatrixView dstGrad;
    float* mean;
    float* variance;
    float* gammaGrad;
    float* betaGrad;
    MatrixView dst;
    MatrixView srcGrad;
    DeviceBatchNorm parameters;
};

} // namespace

void TstNormalizationOperations::agreesWithTheReference()
{
    ThreadPool pool;
    for (const auto& [rows, cols] :
         {std::pair{1, 1}, {2, 3}, {7, 5}, {33, 8}, {300, 17}, {2100, 2}}) {
        Normalized wanted(rows, cols);
        DeviceCase device;
        const PlacedNormalized placed(device, wanted);
        RUN_ON(device, placed.operations());
        const BatchNormKernels& reference = reference::kBatchNorm;
        reference.moments(pool, wanted.src.view(), wanted.mean, wanted.variance);
        reference.normalize(pool, wanted.parameters(), wanted.src.view(), wanted.dst.view());
        const BatchNormGradient gradient{wanted.parameters(), wanted.src.view(),
                                         wanted.dstGrad.view(), rows};
        reference.parameterGradients(pool, gradient, wanted.gammaGrad, wanted.betaGrad);
        reference.srcGradient(pool, gradient, wanted.gammaGrad, wanted.betaGrad,
                              wanted.srcGrad.view());
        VERIFY_CLOSE(device.take(placed.mean, cols), wanted.mean);
        VERIFY_CLOSE(device.take(placed.variance, cols), wanted.variance);
        VERIFY_CLOSE(device.take(placed.dst), wanted.dst.values);
        VERIFY_CLOSE(device.take(placed.gammaGrad, cols), wanted.gammaGrad);
        VERIFY_CLOSE(device.take(placed.betaGrad, cols), wanted.betaGrad);
        VERIFY_CLOSE(device.take(placed.srcGrad), wanted.srcGrad.values, 1e-5, 1e-5);
    }
}

void TstNormalizationOperations::momentsOfDistantValuesAreExact()
{
    Matrix src(1000, 1);
    for (std::size_t r = 0; r < 1000; ++r) {
        src.values[r] = 10000.0F + (r % 2 == 0 ? 0.125F : -0.125F);
    }
    DeviceCase device;
    float* const moments = device.room<float>(2);
    RUN_ON(device, {BatchMoments{device.put(src), moments, moments + 1}});
    QCOMPARE(device.take(moments, 2), (std::vector<float>{10000.0F, 0.015625F}));
}

void TstNormalizationOperations::normalizesInPlace()
{
    Normalized values(5, 3);
    values.variance = {1.0F, 2.0F, 3.0F};
    DeviceCase device;
    const PlacedNormalized placed(device, values);
    RUN_ON(device, {BatchNormalize{placed.parameters, placed.src, placed.dst},
                    BatchNormalize{placed.parameters, placed.src, placed.src}});
    const std::vector<float> apart = device.take(placed.dst);
    const std::vector<float> inPlace = device.take(placed.src);
    for (std::size_t r = 0; r < 5; ++r) {
        for (std::size_t c = 0; c < 3; ++c) {
            QCOMPARE(inPlace[5 * r + c], apart[6 * r + c]);
        }
    }
}

void TstNormalizationOperations::gradientsAreFiniteDifferences()
{
    const Normalized values(6, 2);
    const auto loss = [&](const Normalized& at) {
        DeviceCase device;
        const PlacedNormalized placed(device, at);
        device.run(placed.operations());
        const std::vector<float> found = device.take(placed.dst);
        double sum = 0;
        for (std::int64_t r = 0; r < 6; ++r) {
            for (std::int64_t c = 0; c < 2; ++c) {
                sum += static_cast<double>(found[static_cast<std::size_t>(5 * r + c)]) *
                       at.dstGrad.view().at(r)[c];
            }
        }
        return sum;
    };
    DeviceCase device;
    const PlacedNormalized placed(device, values);
    RUN_ON(device, placed.operations());
    const std::vector<float> srcGrad = device.take(placed.srcGrad);
    constexpr float kStep = 1e-2F;
    for (std::int64_t r = 0; r < 6; ++r) {
        for (std::int64_t c = 0; c < 2; ++c) {
            Normalized up = values;
            Normalized down = values;
            up.src.at(r, c) += kStep;
            down.src.at(r, c) -= kStep;
            const double slope = (loss(up) - loss(down)) / (2 * kStep);
            QVERIFY2(std::abs(srcGrad[static_cast<std::size_t>(3 * r + c)] - slope) < 2e-3,
                     QByteArray::number(slope).constData());
        }
    }
}

CANNERY_TEST(TstNormalizationOperations)
#include "tst_normalization_operations.moc"
