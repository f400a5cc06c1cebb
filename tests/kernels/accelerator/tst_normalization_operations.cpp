// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/batch_norm.h"
#include "tests/kernels/accelerator/device_case.h"
#include "tests/support/test_main.h"

#include <bit>

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
    void partsMergeToTheWhole();
    void partsAreMergedAsATree_data();
    void partsAreMergedAsATree();
    void aFarMeanLosesNoDigits();
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

/// What members do that have a part of the rows each, one after the other; `ends`: where one part
/// ends and the next one begins, with both ends of the rows.
struct PlacedParts
{
    PlacedParts(DeviceCase& device, const PlacedNormalized& from,
                const std::vector<std::int64_t>& ends)
        : all(from), count(static_cast<std::int64_t>(ends.size()) - 1),
          moments(device.room<double>(count * partialMomentsSize(cols()))),
          gradients(device.room<double>(count * 2 * cols())), rows(device.room<double>(1)),
          own(device.room<float>(2 * cols()))
    {
        for (std::int64_t part = 0; part < count; ++part) {
            const auto index = static_cast<std::size_t>(part);
            add(part, ends[index], ends[index + 1] - ends[index]);
        }
    }

    std::vector<Operation> operations() const
    {
        std::vector<Operation> merged = ofMoments;
        merged.push_back(MergeMoments{moments, count, cols(), all.mean, all.variance, rows});
        merged.insert(merged.end(), ofParameters.begin(), ofParameters.end());
        merged.push_back(MergeBatchNormGradients{all.parameters, gradients, count, cols(),
                                                 all.gammaGrad, all.betaGrad});
        merged.insert(merged.end(), ofSrc.begin(), ofSrc.end());
        return merged;
    }
    std::int64_t cols() const { return all.src.cols; }

    const PlacedNormalized& all;
    std::int64_t count;
    double* moments;
    double* gradients;
    double* rows;
    float* own;
    std::vector<Operation> ofMoments;
    std::vector<Operation> ofParameters;
    std::vector<Operation> ofSrc;

private:
    void add(std::int64_t part, std::int64_t first, std::int64_t rowCount)
    {
        const MatrixView src = all.src.slice(first, rowCount);
        const MatrixView dstGrad = all.dstGrad.slice(first, rowCount);
        ofMoments.push_back(
            BatchMoments{src, all.mean, all.variance, moments + part * partialMomentsSize(cols())});
        ofParameters.push_back(BatchNormalize{all.parameters, src, all.dst.slice(first, rowCount)});
        ofParameters.push_back(BatchNormParameterGradients{
            all.parameters, src, dstGrad, own, own + cols(), gradients + part * 2 * cols()});
        ofSrc.push_back(BatchNormSrcGradient{all.parameters, src, dstGrad, all.gammaGrad,
                                             all.betaGrad, all.srcGrad.slice(first, rowCount),
                                             rows});
    }
};

/// The moments of all parts, as the tree of plan::leftPart().
std::vector<double> mergedTree(std::span<const std::vector<double>> parts)
{
    std::vector<double> left = parts.front();
    if (parts.size() == 1) {
        return left;
    }
    const std::size_t half = std::bit_floor(parts.size() - 1);
    left = mergedTree(parts.first(half));
    mergeMoments(left, mergedTree(parts.subspan(half)));
    return left;
}

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

/// Of any sizes, even of no rows.
void TstNormalizationOperations::partsMergeToTheWhole()
{
    ThreadPool pool;
    constexpr std::int64_t kRows = 2100;
    for (const std::int64_t cols : {1, 17}) {
        Normalized wanted(kRows, cols);
        DeviceCase device;
        const PlacedNormalized placed(device, wanted);
        const PlacedParts parts(device, placed, {0, 0, 1, 1, 900, 1300, kRows});
        RUN_ON(device, parts.operations());
        const BatchNormKernels& reference = reference::kBatchNorm;
        reference.moments(pool, wanted.src.view(), wanted.mean, wanted.variance);
        reference.normalize(pool, wanted.parameters(), wanted.src.view(), wanted.dst.view());
        const BatchNormGradient gradient{wanted.parameters(), wanted.src.view(),
                                         wanted.dstGrad.view(), kRows};
        reference.parameterGradients(pool, gradient, wanted.gammaGrad, wanted.betaGrad);
        reference.srcGradient(pool, gradient, wanted.gammaGrad, wanted.betaGrad,
                              wanted.srcGrad.view());
        QCOMPARE(device.take(parts.rows, 1), std::vector<double>{kRows});
        VERIFY_CLOSE(device.take(placed.mean, cols), wanted.mean, 1e-6, 1e-7);
        VERIFY_CLOSE(device.take(placed.variance, cols), wanted.variance, 1e-6, 1e-7);
        VERIFY_CLOSE(device.take(placed.dst), wanted.dst.values);
        VERIFY_CLOSE(device.take(placed.gammaGrad, cols), wanted.gammaGrad);
        VERIFY_CLOSE(device.take(placed.betaGrad, cols), wanted.betaGrad);
        VERIFY_CLOSE(device.take(placed.srcGrad), wanted.srcGrad.values, 1e-5, 1e-6);
    }
}

void TstNormalizationOperations::partsAreMergedAsATree_data()
{
    QTest::addColumn<int>("parts");
    for (const int parts : {1, 2, 3, 4, 5, 7, 8}) {
        QTest::addRow("%d", parts) << parts;
    }
}

/// To the bit, or members that have other parts would differ from replicas on the CPU.
void TstNormalizationOperations::partsAreMergedAsATree()
{
    QFETCH(int, parts);
    std::vector<std::vector<double>> all;
    std::vector<double> flat;
    for (int part = 0; part < parts; ++part) {
        all.push_back({1.0 + part * part, 1.0 / (3 + part), 0.1 * part + 1});
        flat.insert(flat.end(), all.back().begin(), all.back().end());
    }
    DeviceCase device;
    float* const moments = device.room<float>(2);
    double* const rows = device.room<double>(1);
    RUN_ON(device, {MergeMoments{device.put(flat), parts, 1, moments, moments + 1, rows}});
    const std::vector<double> expected = mergedTree(all);
    std::vector<float> found(2);
    momentsOf(expected, std::span(found).first(1), std::span(found).last(1));
    QCOMPARE(device.take(moments, 2), found);
    QCOMPARE(device.take(rows, 1), std::vector<double>{expected.front()});
}

/// Whose square has all the digits of a double.
void TstNormalizationOperations::aFarMeanLosesNoDigits()
{
    DeviceCase device;
    float* const moments = device.room<float>(2);
    // 1e8, 1e8 + 2 and 1e8 + 4
    const std::vector<double> parts{2, 1e8 + 1, 2, 1, 1e8 + 4, 0};
    RUN_ON(device,
           {MergeMoments{device.put(parts), 2, 1, moments, moments + 1, device.room<double>(1)}});
    QCOMPARE(device.take(moments, 2), (std::vector<float>{1e8F, 8.0F / 3}));
}

CANNERY_TEST(TstNormalizationOperations)
#include "tst_normalization_operations.moc"
