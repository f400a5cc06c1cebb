// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/nearest_centers.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <limits>

using namespace cannery::kernels;
using namespace cannery::tests;

class TstNearestCenters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowHasTheBitsOfTheReference_data();
    void everyRowHasTheBitsOfTheReference();
    void theFirstOfEqualCentersIsTheNearest();
    void aRowOfNanBelongsToTheFirstCenter();
    void refusesWhatDoesNotFitTheScratchMemory();
};

void TstNearestCenters::everyRowHasTheBitsOfTheReference_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("centers");
    QTest::newRow("one of each") << 1 << 1 << 1;
    QTest::newRow("less than a group") << 13 << 3 << 2;
    QTest::newRow("groups and a rest") << 37 << 9 << 7;
    QTest::newRow("several blocks") << 5000 << 28 << 64;
    QTest::newRow("tiles and five more") << 48 << 16 << 11;
    QTest::newRow("wide groups, tiles and a rest") << 77 << 21 << 23;
}

void TstNearestCenters::everyRowHasTheBitsOfTheReference()
{
    QFETCH(int, rows);
    QFETCH(int, depth);
    QFETCH(int, centers);
    const Matrix points = Matrix(rows, depth, 2).fillRandom(1);
    const Matrix middle = Matrix(centers, depth, 3).fillRandom(2);
    ThreadPool one(1);
    ThreadPool three(3);
    for (const auto distance : {CenterDistance::SquaredEuclidean, CenterDistance::Cosine}) {
        Matrix wanted(rows, centers);
        std::vector<std::int32_t> wantedIndex(static_cast<std::size_t>(rows));
        std::vector<float> wantedLeast(static_cast<std::size_t>(rows));
        reference::kNearestCenters.distances(one, distance, points.view(), middle.view(),
                                             wanted.view());
        reference::kNearestCenters.nearest(one, distance, points.view(), middle.view(), wantedIndex,
                                           wantedLeast);
        for (const NearestCentersImplementation& row : nearestCentersImplementations()) {
            if (!row.refusal({.depth = depth, .centers = centers}).empty()) {
                continue;
            }
            for (ThreadPool* pool : {&one, &three}) {
                Matrix actual(rows, centers);
                std::vector<std::int32_t> index(wantedIndex.size(), -1);
                std::vector<float> least(wantedLeast.size());
                row.kernels->distances(*pool, distance, points.view(), middle.view(),
                                       actual.view());
                row.kernels->nearest(*pool, distance, points.view(), middle.view(), index, least);
                QVERIFY2(sameBits(actual.values, wanted.values), row.name.data());
                QVERIFY2(index == wantedIndex, row.name.data());
                QVERIFY2(sameBits(least, wantedLeast), row.name.data());
            }
        }
    }
}

void TstNearestCenters::theFirstOfEqualCentersIsTheNearest()
{
    const Matrix points = Matrix(20, 4).fillRandom(1);
    Matrix centers(9, 4);
    for (std::int64_t center = 0; center < centers.rows; ++center) {
        for (std::int64_t column = 0; column < centers.cols; ++column) {
            centers.at(center, column) = center == 0 ? 100.0F : 0.5F;
        }
    }
    ThreadPool pool(1);
    for (const NearestCentersImplementation& row : nearestCentersImplementations()) {
        if (!row.refusal({}).empty()) {
            continue;
        }
        std::vector<std::int32_t> index(20);
        std::vector<float> least(20);
        row.kernels->nearest(pool, CenterDistance::SquaredEuclidean, points.view(), centers.view(),
                             index, least);
        QVERIFY2(index == std::vector<std::int32_t>(20, 1), row.name.data());
    }
}

void TstNearestCenters::aRowOfNanBelongsToTheFirstCenter()
{
    Matrix points = Matrix(17, 3).fillRandom(1);
    points.at(16, 1) = std::numeric_limits<float>::quiet_NaN();
    const Matrix centers = Matrix(8, 3).fillRandom(2);
    ThreadPool pool(1);
    for (const NearestCentersImplementation& row : nearestCentersImplementations()) {
        if (!row.refusal({}).empty()) {
            continue;
        }
        std::vector<std::int32_t> index(17);
        std::vector<float> least(17);
        row.kernels->nearest(pool, CenterDistance::SquaredEuclidean, points.view(), centers.view(),
                             index, least);
        QVERIFY2(index[16] == 0 && std::isnan(least[16]) && !std::isnan(least[15]),
                 row.name.data());
    }
}

void TstNearestCenters::refusesWhatDoesNotFitTheScratchMemory()
{
    const NearestCentersKernels& fast = nearestCentersKernels({.depth = 2, .centers = 2});
    if (&fast == &reference::kNearestCenters) {
        QSKIP("This processor has no fused multiply-adds of vectors.");
    }
    QVERIFY(&nearestCentersKernels({.depth = 2048, .centers = 65536}) == &fast);
    const NearestCentersKernels& largest = nearestCentersKernels({.depth = 4096, .centers = 65536});
    QVERIFY(&largest != &reference::kNearestCenters);
    QVERIFY(&nearestCentersKernels({.depth = 4097, .centers = 2}) == &reference::kNearestCenters);
    QVERIFY(&nearestCentersKernels({.depth = 2, .centers = 65537}) == &reference::kNearestCenters);
}

CANNERY_TEST(TstNearestCenters)
#include "tst_nearest_centers.moc"
