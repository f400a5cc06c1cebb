// SPDX-License-Identifier: Apache-2.0
#include "core/trees/quantile_sketch.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using cannery::trees::quantileBucket;
using cannery::trees::QuantileSketch;

class TstQuantileSketch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsAFewNumbersAsTheyAre();
    void cutsWeightInEqualParts();
    void weightMovesBoundaries();
    void leavesOutWhatDoesNotCount();
    void numberBelongsToTheFirstBoundaryNotBelowIt();
};

void TstQuantileSketch::keepsAFewNumbersAsTheyAre()
{
    QuantileSketch sketch(0.1, 100);
    for (const float value : {3.0F, 1.0F, 2.0F, 3.0F, 1.0F}) {
        sketch.add(value, 1.0F);
    }
    sketch.finish();
    QCOMPARE(sketch.boundaries(10), (std::vector<float>{1.0F, 2.0F, 3.0F}));
}

void TstQuantileSketch::cutsWeightInEqualParts()
{
    constexpr int kCount = 100'000;
    constexpr int kParts = 20;
    QuantileSketch sketch(0.01, std::int64_t{1} << 40U);
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
    QuantileSketch sketch(0.01, 1 << 20);
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
    QuantileSketch sketch(0.1, 100);
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
