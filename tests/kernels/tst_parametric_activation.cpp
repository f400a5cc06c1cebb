// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/parametric_activation.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstParametricActivation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference();
    void slopesAreDerivatives();
    void anInfiniteNumberBelowIsCutOffWithoutASlope();
    void slopesAtTheCornersAreKeras();
    void slopeGradientsHaveTheSameBitsForAnyNumberOfThreads();
};

namespace {

/// Values from -8 to 8, the corners of the functions, and what is not finite.
Matrix cornerValues(std::int64_t rows, std::int64_t cols)
{
    Matrix values = Matrix(rows, cols, 3).fillRandom(1);
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> corners = {
        0.0F, -0.0F, 1.5F, 6.0F, 4.0F, -90.0F, infinity, std::numeric_limits<float>::quiet_NaN()};
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < cols; ++c) {
            const auto i = static_cast<std::size_t>(r * cols + c);
            values.at(r, c) =
                i < corners.size() && rows * cols > 8 ? corners[i] : 8 * values.at(r, c);
        }
    }
    return values;
}

const std::vector<Rectifier> kRectifiers = {
    {},
    {.slope = 0.3F, .slopeAtThreshold = 0.3F},
    {.cap = 6.0F, .slopeAtCap = 0.0F},
    {.slope = 0.2F, .threshold = 1.5F, .cap = 4.0F},
};

struct ParametricOutputs
{
    std::vector<Matrix> values;
};

/// Of every function and its gradient.
ParametricOutputs parametricOutputs(const ParametricActivationKernels& kernels, ThreadPool& pool,
                                    const Matrix& src, const Matrix& dstGrad)
{
    ParametricOutputs outputs;
    const auto fresh = [&]() -> MatrixView {
        return outputs.values.emplace_back(src.rows, src.cols, 3).view();
    };
    for (const Rectifier& unit : kRectifiers) {
        kernels.rectify(pool, unit, src.view(), fresh());
        kernels.rectifyGradient(pool, unit, src.view(), dstGrad.view(), fresh());
    }
    kernels.exponentialUnit(pool, 0.7F, src.view(), fresh());
    kernels.exponentialUnitGradient(pool, 0.7F, src.view(), dstGrad.view(), fresh());
    const std::vector<float> slopes = {0.25F, -0.5F};
    std::vector<std::int32_t> indices;
    for (std::int64_t c = 0; c < src.cols; ++c) {
        indices.push_back(static_cast<std::int32_t>(c % 3 == 0));
    }
    const LearnedSlopes learned{.slopes = slopes, .indices = indices};
    kernels.learned(pool, learned, src.view(), fresh());
    kernels.learnedGradient(pool, learned, src.view(), dstGrad.view(), fresh());
    std::vector<double> columns(static_cast<std::size_t>(src.cols));
    kernels.slopeGradient(pool, src.view(), dstGrad.view(), columns);
    Matrix& sums = outputs.values.emplace_back(1, src.cols);
    std::ranges::transform(columns, sums.values.begin(),
                           [](double sum) { return static_cast<float>(sum); });
    return outputs;
}

} // namespace

void TstParametricActivation::everyRowAgreesWithTheReference()
{
    for (const int threads : {1, 2, 7}) {
        ThreadPool pool(threads);
        for (const auto& [rows, cols] : {std::pair{0, 5}, {1, 1}, {3, 17}, {300, 129}}) {
            const Matrix src = cornerValues(rows, cols);
            const Matrix dstGrad = Matrix(rows, cols, 3).fillRandom(6);
            const ParametricOutputs expected =
                parametricOutputs(reference::kParametricActivation, pool, src, dstGrad);
            for (const auto& row : parametricActivationImplementations()) {
                const ParametricOutputs actual =
                    parametricOutputs(*row.kernels, pool, src, dstGrad);
                for (std::size_t i = 0; i < expected.values.size(); ++i) {
                    VERIFY_CLOSE(actual.values[i].values, expected.values[i].values, 2e-6, 1e-7);
                }
            }
        }
    }
}

void TstParametricActivation::slopesAreDerivatives()
{
    const double h = 1e-5;
    for (double x = -7.97; x < 8; x += 0.13) {
        for (const Rectifier& unit : kRectifiers) {
            const double difference =
                (RectifierFormula::value(unit, x + h) - RectifierFormula::value(unit, x - h)) /
                (2 * h);
            QVERIFY(std::abs(RectifierFormula::slope(unit, x) - difference) < 1e-6);
        }
        const double unit = (ExponentialUnitFormula::value(0.7, x + h) -
                             ExponentialUnitFormula::value(0.7, x - h)) /
                            (2 * h);
        QVERIFY(std::abs(ExponentialUnitFormula::slope(0.7, x) - unit) < 1e-6);
        const double learned =
            (LearnedSlopeFormula::value(-0.4, x + h) - LearnedSlopeFormula::value(-0.4, x - h)) /
            (2 * h);
        QVERIFY(std::abs(LearnedSlopeFormula::slope(-0.4, x) - learned) < 1e-6);
    }
}

void TstParametricActivation::anInfiniteNumberBelowIsCutOffWithoutASlope()
{
    const float infinity = std::numeric_limits<float>::infinity();
    QCOMPARE(RectifierFormula::value({}, -infinity), 0.0F);
    QCOMPARE(RectifierFormula::value({.slope = 0.5F}, -infinity), -infinity);
    QCOMPARE(RectifierFormula::value({.cap = 6.0F}, infinity), 6.0F);
    QVERIFY(std::isnan(RectifierFormula::value({}, std::numeric_limits<float>::quiet_NaN())));
}

void TstParametricActivation::slopesAtTheCornersAreKeras()
{
    QCOMPARE(RectifierFormula::slope({}, 0.0F), 0.0F);
    QCOMPARE(RectifierFormula::slope({.slope = 0.3F, .slopeAtThreshold = 0.3F}, 0.0F), 0.3F);
    QCOMPARE(RectifierFormula::slope({.cap = 4.0F}, 4.0F), 1.0F);
    QCOMPARE(RectifierFormula::slope({.cap = 6.0F, .slopeAtCap = 0.0F}, 6.0F), 0.0F);
    QCOMPARE(ExponentialUnitFormula::slope(0.7F, 0.0F), 0.7F);
    QCOMPARE(LearnedSlopeFormula::slope(0.25F, 0.0F), 0.0F);
}

void TstParametricActivation::slopeGradientsHaveTheSameBitsForAnyNumberOfThreads()
{
    const Matrix src = Matrix(400, 150).fillRandom(1);
    const Matrix dstGrad = Matrix(400, 150).fillRandom(2);
    const auto columns = [&](int threads) {
        ThreadPool pool(threads);
        std::vector<double> sums(150);
        cpu::kParametricActivation.slopeGradient(pool, src.view(), dstGrad.view(), sums);
        return sums;
    };
    QCOMPARE(columns(5), columns(1));
}

CANNERY_TEST(TstParametricActivation)
#include "tst_parametric_activation.moc"
