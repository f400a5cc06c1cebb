// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/resampling.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <limits>

using namespace cannery::kernels;
using namespace cannery::tests;

class TstResampling : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void valuesByHand();
    void theAdjointIsTheTransposedMatrix();
    void aPixelWithoutWeightDoesNotCount();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsDoNotDependOnThreads();

private:
    static ResampledAxis blended(std::int64_t size, std::int64_t positions);
};

/// Up to three taps for each position, some of the same pixel.
ResampledAxis TstResampling::blended(std::int64_t size, std::int64_t positions)
{
    RandomStream random(7);
    ResampledAxis axis;
    for (std::int64_t position = 0; position < positions; ++position) {
        for (std::int64_t tap = 0; tap < position % 4; ++tap) {
            axis.addTap((position * 5 + tap * 3) % size, random.nextUniform(-1.0F, 1.0F));
        }
        axis.endPosition();
    }
    return axis;
}

void TstResampling::valuesByHand()
{
    ThreadPool pool(1);
    const std::vector<float> src{1, 10, 3, 30}; // an image of 1 x 2 pixels with two channels
    ResamplingProblem problem{.srcWidth = 2, .channels = 2};
    problem.height.addTap(0, 1.0F);
    problem.height.endPosition();
    problem.width.addTap(0, 1.0F);
    problem.width.endPosition();
    problem.width.addTap(0, 0.25F);
    problem.width.addTap(1, 0.75F);
    problem.width.endPosition();
    problem.width.endPosition();
    for (const auto& row : resamplingImplementations()) {
        Matrix dst(1, 6);
        row.kernels->run(problem, pool, matrixView(std::span(src), 1, 4), dst.view());
        QCOMPARE(dst.values, (std::vector<float>{1, 10, 2.5, 25, 0, 0}));
    }
}

void TstResampling::theAdjointIsTheTransposedMatrix()
{
    const ResampledAxis axis = blended(5, 11);
    const ResampledAxis back = axis.adjoint(5);
    QCOMPARE(back.positions(), std::int64_t(5));
    const auto dense = [](const ResampledAxis& taps, std::int64_t size) {
        std::vector<std::vector<float>> matrix(static_cast<std::size_t>(taps.positions()),
                                               std::vector<float>(static_cast<std::size_t>(size)));
        for (std::size_t position = 0; position < matrix.size(); ++position) {
            for (std::int64_t tap = taps.begins[position]; tap < taps.begins[position + 1]; ++tap) {
                const auto at = static_cast<std::size_t>(tap);
                matrix[position][static_cast<std::size_t>(taps.places[at])] += taps.weights[at];
            }
        }
        return matrix;
    };
    const auto there = dense(axis, 5);
    const auto here = dense(back, 11);
    for (std::size_t position = 0; position < there.size(); ++position) {
        for (std::size_t pixel = 0; pixel < here.size(); ++pixel) {
            QCOMPARE(there[position][pixel], here[pixel][position]);
        }
    }
}

void TstResampling::aPixelWithoutWeightDoesNotCount()
{
    ThreadPool pool(1);
    const std::vector<float> src{2, std::numeric_limits<float>::quiet_NaN()};
    ResamplingProblem problem{.srcWidth = 2, .channels = 1};
    problem.height.addTap(0, 1.0F);
    problem.height.endPosition();
    problem.width.addTap(0, 1.0F);
    problem.width.addTap(1, 0.0F);
    problem.width.endPosition();
    for (const auto& row : resamplingImplementations()) {
        Matrix dst(1, 1);
        row.kernels->run(problem, pool, matrixView(std::span(src), 1, 2), dst.view());
        QCOMPARE(dst.values[0], 2.0F);
    }
}

void TstResampling::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<int>("images");
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("channels");
    QTest::newRow("no images") << 0 << 4 << 3 << 2;
    QTest::newRow("a pixel") << 3 << 1 << 1 << 5;
    QTest::newRow("a channel") << 3 << 7 << 5 << 1;
    QTest::newRow("more channels than a block") << 2 << 3 << 4 << 130;
    QTest::newRow("large") << 5 << 31 << 24 << 16;
}

void TstResampling::everyRowAgreesWithTheReference()
{
    QFETCH(int, images);
    QFETCH(int, height);
    QFETCH(int, width);
    QFETCH(int, channels);
    ThreadPool pool(2);
    const std::int64_t rows = 2 * height + 1;
    const std::int64_t columns = 3 * width;
    const ResamplingProblem forward{.height = blended(height, rows),
                                    .width = blended(width, columns),
                                    .srcWidth = width,
                                    .channels = channels};
    const ResamplingProblem backward{.height = forward.height.adjoint(height),
                                     .width = forward.width.adjoint(width),
                                     .srcWidth = columns,
                                     .channels = channels};
    const Matrix src = Matrix(images, std::int64_t{height} * width * channels, 3).fillRandom(1);
    const Matrix grad = Matrix(images, rows * columns * channels, 2).fillRandom(2);
    const auto both = [&](const ResamplingKernels& kernels) {
        Matrix dst(images, rows * columns * channels, 1);
        Matrix srcGrad(images, std::int64_t{height} * width * channels, 1);
        kernels.run(forward, pool, src.view(), dst.view());
        kernels.run(backward, pool, grad.view(), srcGrad.view());
        dst.values.insert(dst.values.end(), srcGrad.values.begin(), srcGrad.values.end());
        return dst.values;
    };
    const std::vector<float> expected = both(reference::kResampling);
    for (const auto& row : resamplingImplementations()) {
        VERIFY_CLOSE(both(*row.kernels), expected, 1e-6, 1e-6);
    }
}

void TstResampling::bitsDoNotDependOnThreads()
{
    const ResamplingProblem problem{
        .height = blended(20, 41), .width = blended(9, 30), .srcWidth = 9, .channels = 8};
    const Matrix src = Matrix(50, 20 * 9 * 8).fillRandom(1);
    std::vector<float> alone;
    for (const int threads : {1, 2, 5, 16}) {
        ThreadPool pool(threads);
        Matrix dst(50, 41 * 30 * 8);
        resamplingKernels(problem).run(problem, pool, src.view(), dst.view());
        if (threads == 1) {
            alone = dst.values;
        }
        QCOMPARE(dst.values, alone);
    }
}

CANNERY_TEST(TstResampling)
#include "tst_resampling.moc"
