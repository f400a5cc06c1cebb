// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/pooling.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/kernels/non_finite.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace cannery::kernels;
using namespace cannery::tests;

class TstPooling : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void valuesByHand();
    void gradientOfATieGoesToTheFirst();
    void paddingNeitherWinsNorCounts();
    void nanIsTheMaximumAndTakesTheGradient();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void gradientsAreThoseOfFiniteDifferences_data();
    void gradientsAreThoseOfFiniteDifferences();
    void bitsDependNeitherOnThreadsNorOnOtherImages_data();
    void bitsDependNeitherOnThreadsNorOnOtherImages();
};

namespace {

struct PoolingCase
{
    const char* name = nullptr;
    std::int64_t images = 0;
    PoolingProblem problem;
};

/// Window, stride, dilation, padding before and after.
std::vector<PoolingCase> poolingCases()
{
    std::vector<PoolingCase> list;
    for (const PoolingRule rule : {PoolingRule::Max, PoolingRule::Average}) {
        list.insert(list.end(),
                    {{"2 x 2", 3, {rule, {6, 2, 2}, {8, 2, 2}, 6}},
                     {"2 x 2, a rest", 2, {rule, {7, 2, 2}, {5, 2, 2}, 40}},
                     {"overlapping, padded", 2, {rule, {7, 3, 2, 1, 1, 1}, {8, 3, 2, 1, 0, 1}, 33}},
                     {"stride 1", 2, {rule, {5, 3, 1, 1, 1, 1}, {6, 2, 1, 1, 0, 1}, 5}},
                     {"a sequence", 3, {rule, {}, {9, 4, 3, 1, 1, 1}, 7}},
                     {"the whole picture", 4, {rule, {5, 5}, {7, 7}, 64}},
                     {"a window larger than the picture",
                      2,
                      {rule, {2, 5, 1, 1, 2, 2}, {3, 4, 4, 1, 1, 2}, 3}},
                     {"windows in the padding", 2, {rule, {2, 1, 1, 1, 2, 2}, {2, 1}, 3}},
                     {"gaps", 2, {rule, {9, 2, 4}, {9, 1, 3}, 70}},
                     {"dilation", 2, {rule, {9, 2, 1, 3, 1, 1}, {9, 3, 2, 2}, 9}},
                     {"a window that does not fit", 2, {rule, {2, 3}, {9, 3}, 9}},
                     {"no images", 0, {rule, {6, 2, 2}, {8, 2, 2}, 6}},
                     {"no channels", 2, {rule, {6, 2, 2}, {8, 2, 2}, 0}},
                     {"large pictures", 5, {rule, {40, 3, 2, 1, 1, 1}, {40, 3, 2, 1, 1, 1}, 130}}});
    }
    return list;
}

void addPoolings()
{
    QTest::addColumn<int>("index");
    int index = 0;
    for (const PoolingCase& named : poolingCases()) {
        QTest::addRow("%s %s", named.problem.rule == PoolingRule::Max ? "max" : "average",
                      named.name)
            << index++;
    }
}

/// Small integers, so that there are ties.
Matrix integers(std::int64_t images, std::int64_t floats, std::int64_t padding, std::uint64_t seed)
{
    Matrix matrix = Matrix(images, floats, padding).fillRandom(seed);
    for (std::int64_t row = 0; row < images; ++row) {
        for (std::int64_t col = 0; col < floats; ++col) {
            matrix.at(row, col) = std::floor(matrix.at(row, col) * 4);
        }
    }
    return matrix;
}

struct PoolingResults
{
    PoolingResults(const PoolingKernels& kernels, const PoolingProblem& problem, ThreadPool& pool,
                   const Matrix& src, std::int64_t padding)
        : dst(src.rows, problem.dstFloats(), padding),
          srcGrad(src.rows, problem.srcFloats(), padding)
    {
        dst.fillRandom(4);
        srcGrad.fillRandom(5);
        const Matrix dstGrad = Matrix(src.rows, problem.dstFloats(), padding).fillRandom(2);
        const Matrix& result = dst;
        kernels.forward(problem, pool, src.view(), dst.view());
        kernels.backward(problem, pool, src.view(), result.view(), dstGrad.view(), srcGrad.view());
    }

    Matrix dst;
    Matrix srcGrad;
};

std::vector<float> pooled(const PoolingKernels& kernels, const PoolingProblem& problem,
                          const std::vector<float>& src)
{
    ThreadPool pool(1);
    std::vector<float> dst(static_cast<std::size_t>(problem.dstFloats()));
    kernels.forward(problem, pool, matrixView(std::span(src), 1, problem.srcFloats()),
                    matrixView(std::span(dst), 1, problem.dstFloats()));
    return dst;
}

std::vector<float> poolingGradient(const PoolingKernels& kernels, const PoolingProblem& problem,
                                   const std::vector<float>& src, const std::vector<float>& dstGrad)
{
    ThreadPool pool(1);
    const std::vector<float> dst = pooled(kernels, problem, src);
    std::vector<float> srcGrad(src.size(), 77.0F);
    kernels.backward(problem, pool, matrixView(std::span(src), 1, problem.srcFloats()),
                     matrixView(std::span(dst), 1, problem.dstFloats()),
                     matrixView(std::span(dstGrad), 1, problem.dstFloats()),
                     matrixView(std::span(srcGrad), 1, problem.srcFloats()));
    return srcGrad;
}

} // namespace

void TstPooling::valuesByHand()
{
    const std::vector<float> src = {1, 2, 3, 4, 5, 6};
    PoolingProblem problem{PoolingRule::Max, {2, 2}, {3, 2}, 1};
    for (const PoolingImplementation& row : poolingImplementations()) {
        problem.rule = PoolingRule::Max;
        QCOMPARE(pooled(*row.kernels, problem, src), (std::vector<float>{5, 6}));
        QCOMPARE(poolingGradient(*row.kernels, problem, src, {10, 20}),
                 (std::vector<float>{0, 0, 0, 0, 10, 20}));
        problem.rule = PoolingRule::Average;
        QCOMPARE(pooled(*row.kernels, problem, src), (std::vector<float>{3, 4}));
        QCOMPARE(poolingGradient(*row.kernels, problem, src, {4, 8}),
                 (std::vector<float>{1, 3, 2, 1, 3, 2}));
    }
}

/// In row-major order of the window, here by windows that overlap.
void TstPooling::gradientOfATieGoesToTheFirst()
{
    const PoolingProblem problem{PoolingRule::Max, {2, 2}, {3, 2}, 1};
    for (const PoolingImplementation& row : poolingImplementations()) {
        QCOMPARE(poolingGradient(*row.kernels, problem, {1, 7, 1, 7, 7, 7}, {10, 20}),
                 (std::vector<float>{0, 30, 0, 0, 0, 0}));
        QCOMPARE(poolingGradient(*row.kernels, problem, {1, 1, 7, 7, 7, 1}, {10, 20}),
                 (std::vector<float>{0, 0, 20, 10, 0, 0}));
    }
}

void TstPooling::paddingNeitherWinsNorCounts()
{
    PoolingProblem problem{PoolingRule::Max, {}, {3, 3, 2, 1, 1, 1}, 1};
    const std::vector<float> src = {-4, -2, -kInfinity};
    for (const PoolingImplementation& row : poolingImplementations()) {
        problem.rule = PoolingRule::Max;
        QCOMPARE(pooled(*row.kernels, problem, src), (std::vector<float>{-2, -2}));
        problem.rule = PoolingRule::Average;
        QCOMPARE(pooled(*row.kernels, problem, src), (std::vector<float>{-3, -kInfinity}));
        QCOMPARE(poolingGradient(*row.kernels, problem, src, {2, 4}),
                 (std::vector<float>{1, 3, 2}));
        // Of nothing but the padding and the lowest value.
        const PoolingProblem lowest{PoolingRule::Max, {}, {1, 2, 1, 1, 1, 0}, 1};
        QCOMPARE(pooled(*row.kernels, lowest, {-kInfinity}), std::vector<float>{-kInfinity});
        QCOMPARE(poolingGradient(*row.kernels, lowest, {-kInfinity}, {3}), std::vector<float>{3});
    }
}

void TstPooling::nanIsTheMaximumAndTakesTheGradient()
{
    const PoolingProblem problem{PoolingRule::Max, {}, {4, 4}, 1};
    for (const PoolingImplementation& row : poolingImplementations()) {
        for (const float other : {9.0F, kInfinity}) {
            const std::vector<float> src = {other, kNaN, 3, kNaN};
            QVERIFY(std::isnan(pooled(*row.kernels, problem, src).front()));
            QCOMPARE(poolingGradient(*row.kernels, problem, src, {5}),
                     (std::vector<float>{0, 5, 0, 0}));
        }
        // A gradient that is NaN reaches one pixel only.
        const std::vector<float> grad =
            poolingGradient(*row.kernels, problem, {1, 2, 2, 0}, {kNaN});
        VERIFY_CLOSE(grad, (std::vector<float>{0, kNaN, 0, 0}));
    }
}

void TstPooling::everyRowAgreesWithTheReference_data()
{
    addPoolings();
}

void TstPooling::everyRowAgreesWithTheReference()
{
    QFETCH(int, index);
    const PoolingCase named = poolingCases()[static_cast<std::size_t>(index)];
    ThreadPool pool(2);
    for (const std::int64_t padding : {0, 3}) {
        Matrix src = integers(named.images, named.problem.srcFloats(), padding, 1);
        for (const bool isFinite : {true, false}) {
            if (!isFinite && named.images > 0 && named.problem.channels > 0) {
                src.at(0, 0) = kNaN;
                src.at(0, src.cols / 2) = kInfinity;
                src.at(0, src.cols - 1) = -kInfinity;
            }
            const PoolingResults expected(reference::kPooling, named.problem, pool, src, padding);
            for (const PoolingImplementation& row : poolingImplementations()) {
                const PoolingResults actual(*row.kernels, named.problem, pool, src, padding);
                VERIFY_CLOSE(actual.dst.values, expected.dst.values, 1e-6, 1e-6);
                VERIFY_CLOSE(actual.srcGrad.values, expected.srcGrad.values, 1e-6, 1e-6);
            }
        }
    }
}

void TstPooling::gradientsAreThoseOfFiniteDifferences_data()
{
    addPoolings();
}

/// Values are all different and further apart than the step, so that no maximum moves.
void TstPooling::gradientsAreThoseOfFiniteDifferences()
{
    QFETCH(int, index);
    const PoolingCase named = poolingCases()[static_cast<std::size_t>(index)];
    const PoolingProblem& problem = named.problem;
    const std::int64_t floats = problem.srcFloats();
    if (named.images == 0 || floats == 0 || floats > 20000 || problem.dstFloats() == 0) {
        return;
    }
    Matrix src(1, floats);
    for (std::int64_t i = 0; i < floats; ++i) {
        src.at(0, i) = static_cast<float>(i * 7919 % 20011) / 16;
    }
    const Matrix dstGrad = Matrix(1, problem.dstFloats()).fillRandom(2);
    const auto loss = [&](const Matrix& at) {
        const std::vector<float> dst = pooled(reference::kPooling, problem, at.values);
        double sum = 0;
        for (std::size_t i = 0; i < dst.size(); ++i) {
            sum += static_cast<double>(dst[i]) * dstGrad.values[i];
        }
        return sum;
    };
    const std::vector<float> grad =
        poolingGradient(reference::kPooling, problem, src.values, dstGrad.values);
    constexpr float kStep = 1.0F / 32;
    for (std::int64_t i = 0; i < floats; i += std::max<std::int64_t>(1, floats / 40)) {
        Matrix higher = src;
        higher.at(0, i) += kStep;
        const double slope = (loss(higher) - loss(src)) / kStep;
        QVERIFY(std::abs(slope - grad[static_cast<std::size_t>(i)]) < 5e-3);
    }
}

void TstPooling::bitsDependNeitherOnThreadsNorOnOtherImages_data()
{
    addPoolings();
}

void TstPooling::bitsDependNeitherOnThreadsNorOnOtherImages()
{
    QFETCH(int, index);
    const PoolingCase named = poolingCases()[static_cast<std::size_t>(index)];
    const Matrix src = integers(named.images, named.problem.srcFloats(), 0, 1);
    const PoolingKernels& kernels = *poolingImplementations().front().kernels;
    ThreadPool alone(1);
    const PoolingResults expected(kernels, named.problem, alone, src, 0);
    for (const int threads : {2, 5}) {
        ThreadPool pool(threads);
        const PoolingResults actual(kernels, named.problem, pool, src, 0);
        QVERIFY(sameBits(actual.dst.values, expected.dst.values));
        QVERIFY(sameBits(actual.srcGrad.values, expected.srcGrad.values));
    }
    if (named.images > 1) {
        const Matrix dstGrad = Matrix(named.images, named.problem.dstFloats()).fillRandom(2);
        Matrix dst(1, named.problem.dstFloats());
        Matrix srcGrad(1, named.problem.srcFloats());
        kernels.forward(named.problem, alone, src.view().slice(1, 1), dst.view());
        kernels.backward(named.problem, alone, src.view().slice(1, 1), dst.view(),
                         dstGrad.view().slice(1, 1), srcGrad.view());
        QVERIFY(sameBits(dst.values, expected.dst.view().slice(1, 1).flat()));
        QVERIFY(sameBits(srcGrad.values, expected.srcGrad.view().slice(1, 1).flat()));
    }
}

CANNERY_TEST(TstPooling)
#include "tst_pooling.moc"
