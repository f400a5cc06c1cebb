// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/histogram.h"
#include "kernels/device/random.h"
#include "tests/kernels/accelerator/device_case.h"
#include "tests/support/emulated_device/emulated_launcher.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <numeric>

using namespace cannery::kernels;
using namespace cannery::tests;

/// Sums of gradients on a device against the reference kernel, group by group.
class TstHistogramOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void sumsAreThoseOfTheReference_data();
    void sumsAreThoseOfTheReference();
    void aBlockOfManyRowsDoesNotOverflow_data();
    void aBlockOfManyRowsDoesNotOverflow();
    void sumsBeginAnew();
};

namespace {

/// A table of random bins, and random gradients.
struct BinnedTable
{
    BinnedTable(std::int64_t rowCount, std::int64_t columnCount)
        : shape{.rows = rowCount, .columns = columnCount}
    {
        for (std::int64_t column = 0; column < columnCount; ++column) {
            const std::int64_t count = column % 3 == 0 ? kHistogramBins : 1 + column * 7 % 90;
            ranges.push_back({shape.binCount, count});
            shape.binCount += count;
        }
        RandomStream random(3);
        bins.resize(static_cast<std::size_t>(shape.bytes()));
        for (std::int64_t group = 0; group < shape.groups(); ++group) {
            fill(group, random);
        }
        for (std::int64_t row = 0; row < rowCount; ++row) {
            gradients.push_back(
                packGradient(static_cast<std::int32_t>(random.nextBelow(2 * kGradientLimit + 1)) -
                                 kGradientLimit,
                             static_cast<std::int32_t>(random.nextBelow(kHessianLimit + 1))));
        }
    }

    /// Padding has any bin.
    void fill(std::int64_t group, RandomStream& random)
    {
        std::uint8_t* next = bins.data() + shape.offset(group);
        for (std::int64_t row = 0; row < shape.rows; ++row) {
            for (std::int64_t unit = 0; unit < shape.width(group); ++unit) {
                const bool isColumn = unit < shape.columnsOf(group);
                const auto column = static_cast<std::size_t>(group * kHistogramGroup + unit);
                const std::int64_t count = isColumn ? ranges[column].bins : kHistogramBins;
                *next++ =
                    static_cast<std::uint8_t>(random.nextBelow(static_cast<std::uint64_t>(count)));
            }
        }
    }

    std::vector<std::int64_t> expected(const std::vector<std::uint32_t>& rows) const
    {
        std::vector<std::int64_t> all(static_cast<std::size_t>(kSumsOfBin * shape.binCount));
        const HistogramSums sums{all.data(), all.data() + shape.binCount,
                                 all.data() + 2 * shape.binCount};
        for (std::int64_t group = 0; group < shape.groups(); ++group) {
            const auto columns =
                std::span(ranges).subspan(static_cast<std::size_t>(group * kHistogramGroup),
                                          static_cast<std::size_t>(shape.columnsOf(group)));
            reference::kGradientHistogram.add(
                {bins.data() + shape.offset(group), shape.width(group)}, rows, gradients, columns,
                sums, {});
        }
        return all;
    }

    std::vector<std::uint32_t> allRows() const
    {
        std::vector<std::uint32_t> rows(static_cast<std::size_t>(shape.rows));
        std::iota(rows.begin(), rows.end(), 0U);
        return rows;
    }

    DeviceBins shape; ///< without addresses
    std::vector<HistogramRange> ranges;
    std::vector<std::uint8_t> bins;
    std::vector<std::uint64_t> gradients;
};

SumGradients placed(DeviceCase& device, const BinnedTable& table)
{
    SumGradients work{.table = table.shape};
    work.table.bins = device.put(table.bins);
    work.table.ranges = device.put(table.ranges);
    work.gradients = device.put(table.gradients);
    work.sums = device.put(
        std::vector<std::int64_t>(static_cast<std::size_t>(kSumsOfBin * table.shape.binCount), 5));
    return work;
}

/// The same of some rows alone.
SumGradients placed(DeviceCase& device, const BinnedTable& table,
                    const std::vector<std::uint32_t>& rows)
{
    std::vector<std::uint32_t> room = rows;
    room.resize(static_cast<std::size_t>(table.shape.rows));
    SumGradients work = placed(device, table);
    work.rows = device.put(room);
    work.rowCount = device.put(std::vector<std::int64_t>{std::ssize(rows)});
    return work;
}

/// In no order.
std::vector<std::uint32_t> everySecond(const BinnedTable& table)
{
    std::vector<std::uint32_t> rows;
    for (std::int64_t row = table.shape.rows - 1; row >= 0; row -= 2) {
        rows.push_back(static_cast<std::uint32_t>(row));
    }
    return rows;
}

} // namespace

void TstHistogramOperations::sumsAreThoseOfTheReference_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::newRow("no rows") << 0 << 3;
    QTest::newRow("no columns") << 9 << 0;
    QTest::newRow("one row of one column") << 1 << 1;
    QTest::newRow("four bins wide") << 300 << 4;
    QTest::newRow("eight bins wide, with padding") << 300 << 5;
    QTest::newRow("twelve bins wide") << 2049 << 12;
    QTest::newRow("a full group") << 2048 << 16;
    QTest::newRow("a group and a column") << 777 << 17;
    QTest::newRow("three groups") << 5000 << 45;
    QTest::newRow("many groups") << 70 << 500;
    QTest::newRow("several blocks, the last one short") << 10'001 << 3;
}

void TstHistogramOperations::sumsAreThoseOfTheReference()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    const BinnedTable table(rows, columns);
    const std::vector<std::uint32_t> some = everySecond(table);
    DeviceCase device;
    const SumGradients all = placed(device, table);
    const SumGradients ofSome = placed(device, table, some);
    const SumGradients ofNone = placed(device, table, {});
    RUN_ON(device, {all, ofSome, ofNone});
    const std::int64_t sums = kSumsOfBin * table.shape.binCount;
    QCOMPARE(device.take(all.sums, sums), table.expected(table.allRows()));
    QCOMPARE(device.take(ofSome.sums, sums), table.expected(some));
    QCOMPARE(device.take(ofNone.sums, sums), table.expected({}));
}

void TstHistogramOperations::aBlockOfManyRowsDoesNotOverflow_data()
{
    QTest::addColumn<int>("gradient");
    QTest::newRow("positive") << kGradientLimit;
    QTest::newRow("negative") << -kGradientLimit;
}

/// As of a table with very many groups: one block has all rows, in three rounds.
void TstHistogramOperations::aBlockOfManyRowsDoesNotOverflow()
{
    constexpr std::int64_t kRows = 2 * bodies::SumGradientsBody::kRoundRows + 3;
    QFETCH(int, gradient);
    BinnedTable table(kRows, 4);
    std::ranges::fill(table.bins, std::uint8_t{0});
    std::ranges::fill(table.gradients, packGradient(gradient, kHessianLimit));
    const std::int64_t bins = table.shape.binCount;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(kSumsOfBin * bins));
    SumGradients work{
        .table = table.shape, .gradients = table.gradients.data(), .sums = sums.data()};
    work.table.bins = table.bins.data();
    work.table.ranges = table.ranges.data();
    EmulatedLauncher launcher(nullptr);
    launcher.forEachBlock(1, bodies::SumGradientsBody{work});
    for (const HistogramRange& column : table.ranges) {
        const auto first = static_cast<std::size_t>(column.first);
        QCOMPARE(sums[first], kRows * gradient);
        QCOMPARE(sums[first + static_cast<std::size_t>(bins)], kRows * kHessianLimit);
        QCOMPARE(sums[first + static_cast<std::size_t>(2 * bins)], kRows);
    }
}

void TstHistogramOperations::sumsBeginAnew()
{
    const BinnedTable table(100, 3);
    DeviceCase device;
    const SumGradients work = placed(device, table);
    RUN_ON(device, {work, work});
    QCOMPARE(device.take(work.sums, kSumsOfBin * table.shape.binCount),
             table.expected(table.allRows()));
}

CANNERY_TEST(TstHistogramOperations)
#include "tst_histogram_operations.moc"
