// SPDX-License-Identifier: Apache-2.0
#include "core/trees/quantile_sketch.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using cannery::trees::quantileBucket;
using cannery::trees::QuantileSketch;

namespace {

/// As a tree reads one batch of the numbers 1 to `count`.
std::vector<float> boundariesOfBatch(int count, float epsilon, std::int64_t most)
{
    QuantileSketch batch(epsilon, count + 1);
    for (int i = 1; i <= count; ++i) {
        batch.add(static_cast<float>(i), 1.0F);
    }
    batch.finish();
    QuantileSketch sketch(epsilon, std::int64_t{1} << 40U);
    sketch.add(batch);
    sketch.finish();
    return sketch.boundaries(most);
}

} // namespace

class TstQuantileSketch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsAFewNumbersAsTheyAre();
    void summaryOfABatchIsCompressed();
    void bufferHoldsTwoBlocks();
    void epsilonIsAFloat();
    void cutsWeightInEqualParts();
    void weightMovesBoundaries();
    void leavesOutWhatDoesNotCount();
    void numberBelongsToTheFirstBoundaryNotBelowIt();
};

void TstQuantileSketch::keepsAFewNumbersAsTheyAre()
{
    QuantileSketch sketch(0.1F, 100);
    for (const float value : {3.0F, 1.0F, 2.0F, 3.0F, 1.0F}) {
        sketch.add(value, 1.0F);
    }
    sketch.finish();
    QCOMPARE(sketch.boundaries(10), (std::vector<float>{1.0F, 2.0F, 3.0F}));
}

void TstQuantileSketch::summaryOfABatchIsCompressed()
{
    QCOMPARE(boundariesOfBatch(3, 0.01F, 100), (std::vector<float>{1.0F, 3.0F}));
}

void TstQuantileSketch::bufferHoldsTwoBlocks()
{
    QCOMPARE(boundariesOfBatch(12, 0.1F, 10),
             (std::vector<float>{1.0F, 4.0F, 5.0F, 6.0F, 7.0F, 8.0F, 9.0F, 10.0F, 11.0F, 12.0F}));
}

/// ceil(1 / 0.01F) is 101, so a block holds 102 numbers.
void TstQuantileSketch::epsilonIsAFloat()
{
    QCOMPARE(boundariesOfBatch(102, 0.01F, 200).size(), std::size_t{102});
}

void TstQuantileSketch::cutsWeightInEqualParts()
{
    constexpr int kCount = 100'000;
    constexpr int kParts = 20;
    QuantileSketch sketch(0.01F, std::int64_t{1} << 40U);
    for (int i = 0; i < kCount; ++i) {
        // Every number once, in an order that is not theirs.
        sketch.add(static_cast<float>(static_cast<std::int64_t>(i) * 7919 % kCount), 1.0F);
    }
    sketch.finish();
    const std::vector<float> boundaries = sketch.boundaries(kParts);
    QVERIFY(boundaries.size() <= kParts);
    QVERIFY(std::ranges::is_sorted(boundaries));
    QCOMPARE(boundaries.back(), kCount - 1.0F);
    for (std::size_t i = 1; i < boundaries.size(); ++i) {
        const float part = (boundaries[i] - boundaries[i - 1]) / kCount;
        QVERIFY2(part < 2.5F / kParts, qPrintable(QString::number(part)));
    }
}

void TstQuantileSketch::weightMovesBoundaries()
{
    QuantileSketch sketch(0.01F, 1 << 20);
    for (int i = 0; i < 10'000; ++i) {
        sketch.add(static_cast<float>(i), i < 1'000 ? 90.0F : 1.0F);
    }
    sketch.finish();
    const std::vector<float> boundaries = sketch.boundaries(10);
    const auto light = std::ranges::count_if(boundaries, [](float at) { return at >= 1'000; });
    QVERIFY2(light <= 2, qPrintable(QString::number(light)));
}

void TstQuantileSketch::leavesOutWhatDoesNotCount()
{
    QuantileSketch sketch(0.1F, 100);
    sketch.add(1.0F, 1.0F);
    sketch.add(2.0F, 0.0F);
    sketch.add(3.0F, -1.0F);
    sketch.add(std::numeric_limits<float>::quiet_NaN(), 1.0F);
    sketch.finish();
    QCOMPARE(sketch.boundaries(10), std::vector<float>{1.0F});
}

void TstQuantileSketch::numberBelongsToTheFirstBoundaryNotBelowIt()
{
    const std::vector<float> boundaries{1.0F, 2.0F, 3.0F};
    QCOMPARE(quantileBucket(0.5F, boundaries), 0);
    QCOMPARE(quantileBucket(1.0F, boundaries), 0);
    QCOMPARE(quantileBucket(1.5F, boundaries), 1);
    QCOMPARE(quantileBucket(3.0F, boundaries), 2);
    QCOMPARE(quantileBucket(99.0F, boundaries), 2);
    QCOMPARE(quantileBucket(1.0F, {}), 0);
}

CANNERY_TEST(TstQuantileSketch)

#include "tst_quantile_sketch.moc"
