// SPDX-License-Identifier: Apache-2.0
#include "core/plan/lane.h"
#include "core/strategies/sparse_exchange.h"
#include "tests/core/collectives/gloo_ranks.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <numeric>

using namespace cannery;
using namespace cannery::strategies;
using namespace cannery::tests;

class TstSparseExchange : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsAreSharedIfManyAreTheSame();
    void sumsAreThoseOfOneProcess_data();
    void sumsAreThoseOfOneProcess();
    void refusesRowsOfALargerTable();
};

namespace {

struct TableKind
{
    std::int64_t tableRows;
    std::int64_t cols;
    std::int64_t rowsOfARank;
};

/// Shared and gathered ones, one that nobody touches, and a vector.
constexpr std::array kTables{TableKind{3000, 16, 2700}, TableKind{1000000, 8, 500},
                             TableKind{50, 4, 0}, TableKind{40000, 1, 39000}, TableKind{7, 3, 6}};

kernels::SparseGradient gradientOf(const TableKind& kind, unsigned seed)
{
    std::mt19937 random(seed);
    kernels::SparseGradient gradient;
    gradient.cols = kind.cols;
    // Different rows in any order, each rank's own number of them.
    const std::int64_t count = std::max<std::int64_t>(0, kind.rowsOfARank - seed % 5);
    if (kind.tableRows < 100000) {
        std::vector<std::int32_t> all(static_cast<std::size_t>(kind.tableRows));
        std::iota(all.begin(), all.end(), 0);
        std::shuffle(all.begin(), all.end(), random);
        gradient.rows.assign(all.begin(), all.begin() + count);
    } else {
        for (std::int64_t i = 0; i < count; ++i) {
            gradient.rows.push_back(static_cast<std::int32_t>(i * (kind.tableRows / count) +
                                                              random() % (kind.tableRows / count)));
        }
    }
    gradient.values = wildValues(static_cast<std::size_t>(count * kind.cols), seed);
    if (!gradient.values.empty()) {
        gradient.values.front() = -0.0F;
    }
    return gradient;
}

std::vector<kernels::SparseGradient> gradientsOf(int rank)
{
    std::vector<kernels::SparseGradient> gradients;
    for (std::size_t table = 0; table < kTables.size(); ++table) {
        gradients.push_back(
            gradientOf(kTables[table], static_cast<unsigned>(10 * rank + 1000 * table)));
    }
    return gradients;
}

/// As lanes of one process add up.
kernels::SparseGradient laneSum(std::size_t table, int firstRank, int ranks)
{
    if (ranks == 1) {
        return gradientsOf(firstRank)[table];
    }
    const auto left = static_cast<int>(plan::leftPart(ranks));
    kernels::SparseGradient sum = laneSum(table, firstRank, left);
    const kernels::SparseGradient right = laneSum(table, firstRank + left, ranks - left);
    kernels::SparseScratch scratch;
    kernels::SparseGradient spare;
    plan::addSparsePart({&sum, kTables[table].tableRows}, right, scratch, spare);
    return sum;
}

} // namespace

void TstSparseExchange::rowsAreSharedIfManyAreTheSame()
{
    // Two ranks: half of the sums come back for half of the rows that stay away.
    QCOMPARE(transportOf(2 * 2000, 16, 2000, 2), RowTransport::Gathered);
    QCOMPARE(transportOf(4 * 2000, 16, 2000, 4), RowTransport::Shared);
    QCOMPARE(transportOf(8 * 2000, 16, 20000, 8), RowTransport::Gathered);
    // Little to save.
    QCOMPARE(transportOf(4 * 20, 16, 20, 4), RowTransport::Gathered);
}

void TstSparseExchange::sumsAreThoseOfOneProcess_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {2, 3, 4, 5, 8}) {
        QTest::newRow(qPrintable(QString::number(size))) << size;
    }
}

void TstSparseExchange::sumsAreThoseOfOneProcess()
{
    QFETCH(int, size);
    std::vector<kernels::SparseGradient> expected;
    for (std::size_t table = 0; table < kTables.size(); ++table) {
        expected.push_back(laneSum(table, 0, size));
    }
    runRanks(size, [&](collectives::Communicator& group) {
        SparseExchange exchange;
        for (int step = 0; step < 2; ++step) {
            std::vector<kernels::SparseGradient> gradients = gradientsOf(group.rank());
            std::vector<plan::SparsePart> parts;
            for (std::size_t table = 0; table < kTables.size(); ++table) {
                parts.push_back({&gradients[table], kTables[table].tableRows});
            }
            THREAD_VERIFY(exchange.sum(group, parts).has_value());
            for (std::size_t table = 0; table < kTables.size(); ++table) {
                THREAD_VERIFY(gradients[table].rows == expected[table].rows);
                THREAD_VERIFY(sameBits(gradients[table].values, expected[table].values));
            }
        }
    });
}

void TstSparseExchange::refusesRowsOfALargerTable()
{
    runRanks(2, [&](collectives::Communicator& group) {
        kernels::SparseGradient gradient;
        gradient.cols = 1;
        gradient.rows = {3, 12};
        gradient.values = {1, 1};
        SparseExchange exchange;
        const plan::SparsePart part{&gradient, group.rank() == 0 ? 10 : 100};
        const Result<void> done = exchange.sum(group, {&part, 1});
        THREAD_VERIFY(group.rank() == 1 || (!done && done.error().id == "strategies.sparse_bytes"));
    });
}

CANNERY_TEST(TstSparseExchange)
#include "tst_sparse_exchange.moc"
