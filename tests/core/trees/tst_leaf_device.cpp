// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_grower.h"
#include "kernels/device/random.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace cannery;
using namespace cannery::trees;

/// Trees of which a device sums some leaves, against those that the CPU grows alone.
class TstLeafDevice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void growsTheTreesOfTheCpu_data();
    void growsTheTreesOfTheCpu();
    void anErrorLeavesNothingBehind_data();
    void anErrorLeavesNothingBehind();
};

namespace {

constexpr ErrorKind kBroken{"test.broken", "The device is broken."};

/// Random numbers, and gradients that follow some of them.
struct LeafRows
{
    LeafRows(std::int64_t count, int columnCount) : table(columnsOf(count, columnCount), count)
    {
        for (int c = 0; c < columnCount; ++c) {
            table.setNumbers(static_cast<std::size_t>(c), 0, count, numbers[c].data(), 1);
        }
        kernels::RandomStream random(4);
        for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row) {
            gradients.push_back(std::sin(5 * numbers.front()[row]) * numbers.back()[row] +
                                random.nextUniform(-0.1F, 0.1F));
            hessians.push_back(random.nextUniform(0.5F, 1.0F));
        }
    }

    std::vector<HistogramColumn> columnsOf(std::int64_t count, int columnCount)
    {
        kernels::RandomStream random(3);
        std::vector<HistogramColumn> columns;
        for (int c = 0; c < columnCount; ++c) {
            auto& values = numbers.emplace_back();
            for (std::int64_t row = 0; row < count; ++row) {
                values.push_back(random.nextUniform(-1.0F, 1.0F));
            }
            columns.push_back(numberColumn(values, 200));
            columns.back().feature = c;
        }
        return columns;
    }

    TreeGradients treeGradients() const { return {{gradients.data(), 1}, {hessians.data(), 1}}; }

    std::vector<std::vector<float>> numbers;
    HistogramTable table;
    std::vector<float> gradients;
    std::vector<float> hessians;
};

/// Sums with the reference kernel, and only when it is waited for.
class LateDevice : public LeafDevice
{
public:
    LateDevice(const HistogramTable& table, std::int64_t leastRows, int brokenSum = 0)
        : m_table(table), m_leastRows(leastRows), m_brokenSum(brokenSum),
          m_gradients(static_cast<std::size_t>(table.rowCount()))
    {}

    std::span<std::uint64_t> gradients() override { return m_gradients; }
    void beginTree() override { m_sent = m_gradients; }
    bool takes(std::int64_t rows) const override { return rows >= m_leastRows; }
    void add(std::span<const std::uint32_t> rows) override
    {
        QVERIFY(!m_isSumming);
        m_isSumming = true;
        m_rows.assign(rows.begin(), rows.end());
    }
    Result<std::span<const std::int64_t>> finish() override
    {
        if (!m_isSumming) {
            return fail(ErrorCode::Internal, kBroken);
        }
        m_isSumming = false;
        if (++m_summed == m_brokenSum) {
            return fail(ErrorCode::Internal, kBroken);
        }
        const std::int64_t bins = m_table.binCount();
        m_sums.assign(static_cast<std::size_t>(3 * bins), 0);
        for (std::size_t group = 0; group < m_table.groupCount(); ++group) {
            kernels::reference::kGradientHistogram.add(
                m_table.group(group), m_rows, m_sent, m_table.rangesOf(group),
                {m_sums.data(), m_sums.data() + bins, m_sums.data() + 2 * bins}, {});
        }
        return m_sums;
    }
    int summed() const { return m_summed; }

private:
    const HistogramTable& m_table;
    std::int64_t m_leastRows;
    int m_brokenSum; ///< counted from 1; 0: none
    std::vector<std::uint64_t> m_gradients;
    std::vector<std::uint64_t> m_sent;
    std::vector<std::uint32_t> m_rows;
    std::vector<std::int64_t> m_sums;
    bool m_isSumming = false;
    int m_summed = 0;
};

struct GrownTrees
{
    std::string trees;
    std::vector<float> values; ///< by row
};

/// Some trees, one after the other.
GrownTrees growTrees(const LeafRows& rows, const HistogramGrowthOptions& options,
                     LeafDevice* device, int threads = 1)
{
    kernels::ThreadPool pool(threads);
    HistogramGrower grower(rows.table, options, pool, device);
    GrownTrees grown;
    grown.values.resize(static_cast<std::size_t>(rows.table.rowCount()));
    Ensemble ensemble;
    for (std::int64_t number = 0; number < 3; ++number) {
        ensemble.trees.push_back(
            grower.grow({.tree = number}, rows.treeGradients(), grown.values.data(), 1).value());
    }
    grown.trees = ensemble.serialize();
    return grown;
}

} // namespace

void TstLeafDevice::growsTheTreesOfTheCpu_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("columns");
    QTest::addColumn<double>("fraction");
    QTest::addColumn<int>("leastRows");
    QTest::newRow("all leaves") << 3000 << 5 << 1.0 << 0;
    QTest::newRow("large leaves") << 3000 << 5 << 1.0 << 400;
    QTest::newRow("no leaf") << 3000 << 5 << 1.0 << 10'000;
    QTest::newRow("several groups, of some rows and columns") << 3000 << 40 << 0.5 << 300;
    // 12 MB a leaf, of which 21 are kept.
    QTest::newRow("sums that are not kept") << 400 << 2500 << 1.0 << 60;
}

void TstLeafDevice::growsTheTreesOfTheCpu()
{
    QFETCH(int, count);
    QFETCH(int, columns);
    QFETCH(double, fraction);
    QFETCH(int, leastRows);
    const LeafRows rows(count, columns);
    const HistogramGrowthOptions options{.maxLeaves = 40,
                                         .minRowsPerLeaf = 4,
                                         .rowFraction = fraction,
                                         .columnFraction = fraction,
                                         .seed = 7};
    const GrownTrees expected = growTrees(rows, options, nullptr);
    for (const int threads : {1, 3}) {
        LateDevice device(rows.table, leastRows);
        const GrownTrees grown = growTrees(rows, options, &device, threads);
        QVERIFY(grown.trees == expected.trees);
        QCOMPARE(grown.values, expected.values);
        QCOMPARE(device.summed() > 0, leastRows < count);
    }
}

void TstLeafDevice::anErrorLeavesNothingBehind_data()
{
    QTest::addColumn<int>("brokenSum");
    QTest::newRow("of the root") << 1;
    QTest::newRow("of a leaf") << 3;
}

void TstLeafDevice::anErrorLeavesNothingBehind()
{
    QFETCH(int, brokenSum);
    const LeafRows rows(2000, 4);
    const HistogramGrowthOptions options{.maxLeaves = 20};
    kernels::ThreadPool pool(2);
    const std::vector<float> before(2000, 0.5F);
    std::vector<float> values = before;
    LateDevice device(rows.table, 100, brokenSum);
    HistogramGrower grower(rows.table, options, pool, &device);
    VERIFY_ERROR(grower.grow({}, rows.treeGradients(), values.data(), 1), "test.broken");
    QCOMPARE(values, before);
    VERIFY_OK(grower.grow({}, rows.treeGradients(), values.data(), 1));
    HistogramGrower ofCpu(rows.table, options, pool);
    std::vector<float> expected = before;
    VERIFY_OK(ofCpu.grow({}, rows.treeGradients(), expected.data(), 1));
    QCOMPARE(values, expected);
}

CANNERY_TEST(TstLeafDevice)
#include "tst_leaf_device.moc"
