// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/global_pooling.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <limits>

using namespace cannery::kernels;
using namespace cannery::tests;

class TstGlobalPooling : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void valuesByHand();
    void tiesShareTheGradient();
    void nanIsTheLargest();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsDoNotDependOnThreads();
};

void TstGlobalPooling::valuesByHand()
{
    ThreadPool pool(1);
    // Two images of three pixels with two channels.
    const std::vector<float> src{1, -2, 4, 5, 1, 0, -1, -1, -2, -5, -3, -3};
    for (const auto& row : globalPoolingImplementations()) {
        Matrix dst(2, 2);
        row.kernels->mean(pool, matrixView(std::span(src), 2, 6), dst.view());
        QCOMPARE(dst.values, (std::vector<float>{2, 1, -2, -3}));
        row.kernels->maximum(pool, matrixView(std::span(src), 2, 6), dst.view());
        QCOMPARE(dst.values, (std::vector<float>{4, 5, -1, -1}));
        Matrix grad(2, 6);
        row.kernels->meanGradient(pool, dst.view(), grad.view());
        QCOMPARE(grad.at(0, 0), 4.0F / 3);
        QCOMPARE(grad.at(0, 5), 5.0F / 3);
        QCOMPARE(grad.at(1, 3), -1.0F / 3);
    }
}

void TstGlobalPooling::tiesShareTheGradient()
{
    ThreadPool pool(1);
    const std::vector<float> src{7, 1, 2, 1, 7, 1}; // three pixels of two channels
    const std::vector<float> dst{7, 1};
    const std::vector<float> dstGrad{4, 9};
    for (const auto& row : globalPoolingImplementations()) {
        Matrix grad(1, 6);
        row.kernels->maximumGradient(pool, matrixView(std::span(src), 1, 6),
                                     matrixView(std::span(dst), 1, 2),
                                     matrixView(std::span(dstGrad), 1, 2), grad.view());
        QCOMPARE(grad.values, (std::vector<float>{2, 3, 0, 3, 2, 3}));
    }
}

void TstGlobalPooling::nanIsTheLargest()
{
    ThreadPool pool(1);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t place = 0; place < 3; ++place) {
        std::vector<float> src{1, std::numeric_limits<float>::infinity(), 3};
        src[place] = nan;
        for (const auto& row : globalPoolingImplementations()) {
            Matrix dst(1, 1);
            row.kernels->maximum(pool, matrixView(std::span<const float>(src), 1, 3), dst.view());
            QVERIFY(std::isnan(dst.values[0]));
            row.kernels->mean(pool, matrixView(std::span<const float>(src), 1, 3), dst.view());
            QVERIFY(std::isnan(dst.values[0]));
        }
    }
}

void TstGlobalPooling::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<int>("images");
    QTest::addColumn<int>("pixels");
    QTest::addColumn<int>("channels");
    QTest::newRow("no images") << 0 << 4 << 3;
    QTest::newRow("a pixel") << 3 << 1 << 5;
    QTest::newRow("a channel") << 3 << 49 << 1;
    QTest::newRow("more channels than a block") << 2 << 12 << 130;
    QTest::newRow("large") << 9 << 900 << 65;
}

void TstGlobalPooling::everyRowAgreesWithTheReference()
{
    QFETCH(int, images);
    QFETCH(int, pixels);
    QFETCH(int, channels);
    ThreadPool pool(2);
    const Matrix src = Matrix(images, pixels * channels, 3).fillRandom(1);
    const Matrix dstGrad = Matrix(images, channels, 2).fillRandom(2);
    const auto all = [&](const GlobalPoolingKernels& kernels) {
        std::vector<float> results;
        const auto keep = [&](const Matrix& matrix) {
            results.insert(results.end(), matrix.values.begin(), matrix.values.end());
        };
        Matrix dst(images, channels, 1);
        Matrix grad(images, pixels * channels, 1);
        kernels.mean(pool, src.view(), dst.view());
        kernels.meanGradient(pool, dstGrad.view(), grad.view());
        keep(dst);
        keep(grad);
        kernels.maximum(pool, src.view(), dst.view());
        kernels.maximumGradient(pool, src.view(), dst.view(), dstGrad.view(), grad.view());
        keep(dst);
        keep(grad);
        return results;
    };
    const std::vector<float> expected = all(reference::kGlobalPooling);
    for (const auto& row : globalPoolingImplementations()) {
        VERIFY_CLOSE(all(*row.kernels), expected, 1e-6, 1e-6);
    }
}

void TstGlobalPooling::bitsDoNotDependOnThreads()
{
    const Matrix src = Matrix(40, 64 * 70).fillRandom(1);
    std::vector<float> alone;
    for (const int threads : {1, 2, 5, 16}) {
        ThreadPool pool(threads);
        Matrix dst(40, 70);
        globalPoolingKernels({.images = 40, .channels = 70}).mean(pool, src.view(), dst.view());
        if (threads == 1) {
            alone = dst.values;
        }
        QCOMPARE(dst.values, alone);
    }
}

CANNERY_TEST(TstGlobalPooling)
#include "tst_global_pooling.moc"
