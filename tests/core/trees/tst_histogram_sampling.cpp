// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_sampling.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace cannery;
using namespace cannery::trees;

class TstHistogramSampling : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsDependOnSeedAndTreeAlone();
    void aFractionOfTheRowsIsDrawn();
    void everyRowIsDrawnFromTimeToTime();
    void theFractionOfColumnsIsRoundedUp();
};

void TstHistogramSampling::rowsDependOnSeedAndTreeAlone()
{
    kernels::ThreadPool one(1);
    kernels::ThreadPool four(4);
    const std::vector<std::uint32_t> rows = drawRows(one, {7, 3}, 100'001, 0.3);
    QCOMPARE(drawRows(four, {7, 3}, 100'001, 0.3), rows);
    QVERIFY(drawRows(one, {7, 4}, 100'001, 0.3) != rows);
    QVERIFY(drawRows(one, {8, 3}, 100'001, 0.3) != rows);
    QVERIFY(std::is_sorted(rows.begin(), rows.end()));
    QVERIFY(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
    QVERIFY(rows.back() <= 100'000);
}

void TstHistogramSampling::aFractionOfTheRowsIsDrawn()
{
    kernels::ThreadPool pool(1);
    for (const double fraction : {0.01, 0.5, 0.9}) {
        const auto drawn = static_cast<double>(drawRows(pool, {1, 0}, 1'000'000, fraction).size());
        QVERIFY(std::abs(drawn / 1e6 - fraction) < 0.003);
    }
    QCOMPARE(drawRows(pool, {1, 0}, 5, 1.0), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
    QVERIFY(drawRows(pool, {1, 0}, 0, 0.5).empty());
}

void TstHistogramSampling::everyRowIsDrawnFromTimeToTime()
{
    kernels::ThreadPool pool(1);
    std::set<std::uint32_t> seen;
    for (std::uint64_t tree = 0; tree < 40; ++tree) {
        const std::vector<std::uint32_t> rows = drawRows(pool, {2, tree}, 103, 0.5);
        seen.insert(rows.begin(), rows.end());
    }
    QCOMPARE(seen.size(), std::size_t{103});
}

void TstHistogramSampling::theFractionOfColumnsIsRoundedUp()
{
    QCOMPARE(drawColumns({1, 0}, 10, 0.31).size(), std::size_t{4});
    QCOMPARE(drawColumns({1, 0}, 10, 1e-6).size(), std::size_t{1});
    QCOMPARE(drawColumns({1, 0}, 3, 1.0), (std::vector<std::size_t>{0, 1, 2}));
    std::set<std::size_t> seen;
    for (std::uint64_t tree = 0; tree < 100; ++tree) {
        const std::vector<std::size_t> columns = drawColumns({1, tree}, 10, 0.2);
        QCOMPARE(columns.size(), std::size_t{2});
        QVERIFY(columns[0] < columns[1]);
        seen.insert(columns.begin(), columns.end());
    }
    QCOMPARE(seen.size(), std::size_t{10});
}

CANNERY_TEST(TstHistogramSampling)
#include "tst_histogram_sampling.moc"
