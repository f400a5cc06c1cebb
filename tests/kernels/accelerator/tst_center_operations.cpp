// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/nearest_centers.h"
#include "tests/kernels/accelerator/device_case.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace cannery::kernels;
using namespace cannery::tests;

/// K-means on a device against the reference kernels and plain loops.
class TstCenterOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void distancesHaveTheBitsOfTheReference_data();
    void distancesHaveTheBitsOfTheReference();
    void theFirstOfEqualCentersIsTheNearest();
    void nanBelongsWhereTheReferenceHasIt();
    void rowsAreDividedByTheirLengths();
    void rowsOfEachCenterAreAddedUp_data();
    void rowsOfEachCenterAreAddedUp();
    void aFullBatchMovesCentersToTheMeans();
    void aMiniBatchMovesCentersByTheirCounts();
    void anIterationBeginsOnlyIfTheStepSaysSo_data();
    void anIterationBeginsOnlyIfTheStepSaysSo();
};

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// What both operations give.
struct Distances
{
    std::vector<float> all;
    std::vector<std::int32_t> index;
    std::vector<float> least;
};

Distances ofReference(CenterDistance distance, const Matrix& points, const Matrix& centers)
{
    ThreadPool pool;
    Matrix all(points.rows, centers.rows);
    Distances wanted{.index = std::vector<std::int32_t>(static_cast<std::size_t>(points.rows)),
                     .least = std::vector<float>(static_cast<std::size_t>(points.rows))};
    reference::kNearestCenters.distances(pool, distance, points.view(), centers.view(), all.view());
    reference::kNearestCenters.nearest(pool, distance, points.view(), centers.view(), wanted.index,
                                       wanted.least);
    wanted.all = all.values;
    return wanted;
}

/// Empty: the device gives the same.
QByteArray difference(CenterDistance distance, const Matrix& points, const Matrix& centers)
{
    DeviceCase device;
    const MatrixView rows = device.put(points);
    const MatrixView middle = device.put(centers);
    float* const squares = device.room<float>(points.rows + centers.rows);
    const MatrixView all = device.put(Matrix(points.rows, centers.rows));
    auto* const index = device.room<std::int32_t>(points.rows);
    auto* const least = device.room<float>(points.rows);
    const QByteArray failure =
        device.run({CenterDistances{distance, rows, middle, squares, all},
                    NearestCenters{distance, rows, middle, squares, index, least}});
    if (!failure.isEmpty()) {
        return failure;
    }
    const Distances wanted = ofReference(distance, points, centers);
    if (!sameBits(device.take(all), wanted.all)) {
        return "distances";
    }
    if (device.take(index, points.rows) != wanted.index) {
        return "nearest centers";
    }
    return sameBits(device.take(least, points.rows), wanted.least) ? "" : "least distances";
}

/// Which center each row has.
std::vector<std::int32_t> spread(std::int64_t rows, std::int64_t centers)
{
    std::vector<std::int32_t> index;
    for (std::int64_t row = 0; row < rows; ++row) {
        // Most rows belong to one of the first centers, and some centers have no rows.
        const std::int64_t center =
            row % 5 == 0 ? row * 7 % centers : row % std::min<std::int64_t>(centers, 2);
        index.push_back(static_cast<std::int32_t>(center));
    }
    return index;
}

} // namespace

void TstCenterOperations::distancesHaveTheBitsOfTheReference_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("centers");
    QTest::addColumn<int>("padding");
    QTest::newRow("one of each") << 1 << 1 << 1 << 0;
    QTest::newRow("less than a tile") << 3 << 3 << 2 << 1;
    QTest::newRow("tiles and a rest") << 13 << 9 << 7 << 2;
    QTest::newRow("aligned") << 77 << 16 << 11 << 0;
    QTest::newRow("aligned, with gaps") << 130 << 28 << 64 << 4;
    QTest::newRow("several blocks of few centers") << 2100 << 4 << 3 << 0;
    QTest::newRow("several blocks of many centers") << 300 << 6 << 70 << 3;
}

void TstCenterOperations::distancesHaveTheBitsOfTheReference()
{
    QFETCH(int, rows);
    QFETCH(int, depth);
    QFETCH(int, centers);
    QFETCH(int, padding);
    const Matrix points = Matrix(rows, depth, padding).fillRandom(1);
    const Matrix middle = Matrix(centers, depth, padding).fillRandom(2);
    QCOMPARE(difference(CenterDistance::SquaredEuclidean, points, middle), QByteArray());
    QCOMPARE(difference(CenterDistance::Cosine, points, middle), QByteArray());
}

void TstCenterOperations::theFirstOfEqualCentersIsTheNearest()
{
    const Matrix points = Matrix(20, 4).fillRandom(1);
    Matrix centers(90, 4);
    std::ranges::fill(centers.values, 0.5F);
    for (std::int64_t column = 0; column < centers.cols; ++column) {
        centers.at(0, column) = 100;
    }
    QCOMPARE(ofReference(CenterDistance::SquaredEuclidean, points, centers).index,
             std::vector<std::int32_t>(20, 1));
    QCOMPARE(difference(CenterDistance::SquaredEuclidean, points, centers), QByteArray());
}

void TstCenterOperations::nanBelongsWhereTheReferenceHasIt()
{
    Matrix points = Matrix(40, 3).fillRandom(1);
    points.at(16, 1) = kNan;
    for (const std::int64_t unknown : {0, 1, 30}) {
        Matrix centers = Matrix(50, 3).fillRandom(2);
        centers.at(unknown, 2) = kNan;
        DeviceCase device;
        auto* const index = device.room<std::int32_t>(points.rows);
        auto* const least = device.room<float>(points.rows);
        RUN_ON(device, {NearestCenters{CenterDistance::SquaredEuclidean, device.put(points),
                                       device.put(centers), device.room<float>(90), index, least}});
        const Distances wanted = ofReference(CenterDistance::SquaredEuclidean, points, centers);
        QCOMPARE(device.take(index, points.rows), wanted.index);
        const std::vector<float> found = device.take(least, points.rows);
        for (std::size_t row = 0; row < found.size(); ++row) {
            QCOMPARE(std::isnan(found[row]), std::isnan(wanted.least[row]));
        }
        QVERIFY(std::isnan(found[16]));
    }
}

void TstCenterOperations::rowsAreDividedByTheirLengths()
{
    Matrix src = Matrix(30, 5, 2).fillRandom(3);
    for (std::int64_t column = 0; column < src.cols; ++column) {
        src.at(7, column) = 0;
    }
    DeviceCase device;
    const MatrixView inPlace = device.put(src);
    const MatrixView apart = device.put(Matrix(30, 5, 1));
    RUN_ON(device, {DivideByLength{inPlace, apart}, DivideByLength{inPlace, inPlace}});
    const std::vector<float> first = device.take(apart);
    const std::vector<float> second = device.take(inPlace);
    for (std::int64_t row = 0; row < src.rows; ++row) {
        double squares = 0;
        for (std::int64_t column = 0; column < src.cols; ++column) {
            squares += static_cast<double>(src.at(row, column)) * src.at(row, column);
        }
        for (std::int64_t column = 0; column < src.cols; ++column) {
            const double wanted = row == 7 ? 0.0 : src.at(row, column) / std::sqrt(squares);
            const float found = first[static_cast<std::size_t>(row * apart.stride + column)];
            QVERIFY(std::abs(found - wanted) < 1e-6);
            QCOMPARE(second[static_cast<std::size_t>(row * inPlace.stride + column)], found);
        }
    }
}

void TstCenterOperations::rowsOfEachCenterAreAddedUp_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("cols");
    QTest::addColumn<int>("centers");
    QTest::newRow("no rows") << 0 << 2 << 3;
    QTest::newRow("one row") << 1 << 1 << 1;
    QTest::newRow("more centers than rows") << 40 << 5 << 90;
    QTest::newRow("many rows of a center") << 3000 << 3 << 4;
    QTest::newRow("wide") << 700 << 70 << 5;
    QTest::newRow("one center") << 1000 << 2 << 1;
}

void TstCenterOperations::rowsOfEachCenterAreAddedUp()
{
    QFETCH(int, rows);
    QFETCH(int, cols);
    QFETCH(int, centers);
    Matrix points = Matrix(rows, cols, 1).fillRandom(4);
    const std::vector<std::int32_t> index = spread(rows, centers);
    DeviceCase device;
    auto* const sums = device.room<double>(std::int64_t{centers} * cols);
    auto* const rowsOf = device.room<std::int64_t>(centers);
    MatrixView placed = device.put(points);
    placed.rows = rows;
    RUN_ON(device, {SumByCenter{placed, device.put(index), centers, sums, rowsOf,
                                device.room<std::byte>(centerScratchBytes(rows, centers))}});
    std::vector<double> wanted(static_cast<std::size_t>(centers * cols));
    std::vector<std::int64_t> wantedRows(static_cast<std::size_t>(centers));
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto center = static_cast<std::size_t>(index[static_cast<std::size_t>(row)]);
        ++wantedRows[center];
        for (std::int64_t column = 0; column < cols; ++column) {
            wanted[center * static_cast<std::size_t>(cols) + static_cast<std::size_t>(column)] +=
                points.at(row, column);
        }
    }
    QCOMPARE(device.take(rowsOf, centers), wantedRows);
    const std::vector<double> found = device.take(sums, std::int64_t{centers} * cols);
    for (std::size_t i = 0; i < found.size(); ++i) {
        QVERIFY(std::abs(found[i] - wanted[i]) <= 1e-12 * rows);
    }
}

void TstCenterOperations::aFullBatchMovesCentersToTheMeans()
{
    DeviceCase device;
    const MatrixView centers = device.put(Matrix(2, 2, 1).fillRandom(1));
    RUN_ON(device, {MoveCenters{device.put(std::vector<double>{6, 3, 0, 0}),
                                device.put(std::vector<std::int64_t>{3, 0}), centers}});
    const std::vector<float> found = device.take(centers);
    // TensorFlow divides by the count and 1e-6.
    QCOMPARE(found[0], static_cast<float>(6 / (3 + 1e-6)));
    QCOMPARE(found[1], static_cast<float>(3 / (3 + 1e-6)));
    QCOMPARE(found[3], 0.0F);
    QCOMPARE(found[4], 0.0F);
}

void TstCenterOperations::aMiniBatchMovesCentersByTheirCounts()
{
    Matrix before(2, 2);
    before.values = {1, 2, 5, kNan};
    DeviceCase device;
    const MatrixView centers = device.put(before);
    auto* const counts = device.put(std::vector<std::int64_t>{1, 0});
    RUN_ON(device, {MoveCenters{device.put(std::vector<double>{7, 6, 0, 0}),
                                device.put(std::vector<std::int64_t>{2, 0}), centers, counts}});
    const std::vector<float> found = device.take(centers);
    // c += (sum - 2 c) / (1 + 2)
    QCOMPARE(found[0], static_cast<float>(1 + 5.0 * (1 / 3.0)));
    QCOMPARE(found[1], static_cast<float>(2 + 2.0 * (1 / 3.0)));
    QCOMPARE(found[2], 5.0F);
    QVERIFY(std::isnan(found[3]));
    QCOMPARE(device.take(counts, 2), (std::vector<std::int64_t>{3, 0}));
}

void TstCenterOperations::anIterationBeginsOnlyIfTheStepSaysSo_data()
{
    QTest::addColumn<int>("begins");
    QTest::addColumn<bool>("ofUnitLength");
    QTest::newRow("it does not") << 0 << true;
    QTest::newRow("it does") << 1 << false;
    QTest::newRow("with centers of length 1") << 1 << true;
}

void TstCenterOperations::anIterationBeginsOnlyIfTheStepSaysSo()
{
    QFETCH(int, begins);
    QFETCH(bool, ofUnitLength);
    Matrix updated(2, 2);
    updated.values = {3, 4, 0, 2};
    DeviceCase device;
    const MatrixView centers = device.put(Matrix(2, 2));
    auto* const counts = device.put(std::vector<std::int64_t>{8, 9});
    RUN_ON(device, {BeginIteration{device.step(std::int64_t{begins}), device.put(updated), centers,
                                   ofUnitLength, counts}});
    const std::vector<float> divided{3 * (1 / 5.0F), 4 * (1 / 5.0F), 0, 1};
    QCOMPARE(device.take(centers), begins == 0    ? std::vector<float>(4)
                                   : ofUnitLength ? divided
                                                  : updated.values);
    QCOMPARE(device.take(counts, 2),
             begins == 0 ? (std::vector<std::int64_t>{8, 9}) : (std::vector<std::int64_t>{0, 0}));
}

CANNERY_TEST(TstCenterOperations)
#include "tst_center_operations.moc"
