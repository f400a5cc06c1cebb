// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/branches.h"
#include "kernels/accelerator/used_memory.h"
#include "tests/support/branch_order.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>
#include <random>
#include <vector>

using namespace cannery::kernels;
using cannery::tests::doneBefore;

/// Which operations of a step may run side by side.
class TstBranches : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void columnsOfAMatrixAreApart();
    void operationsOnTheirOwnAreSpread();
    void oneAfterTheOtherStaysInABranch();
    void aReaderWaitsForAllWriters();
    void whatIsKnownIsNotWaitedFor();
    void productsAreInTheFirstBranch();
    void whatMeetsOthersIsInTheLastBranch();
    void whatConflictsIsInOrder_data();
    void whatConflictsIsInOrder();

private:
    FillValues fill(std::size_t place, std::int64_t count = 1)
    {
        return {.dst = {&m_memory[place], 1, count, count}, .value = 1.0F};
    }
    CopyValues copy(std::size_t from, std::size_t to)
    {
        return {.src = {&m_memory[from], 1, 1, 1}, .dst = {&m_memory[to], 1, 1, 1}};
    }

    std::array<float, 64> m_memory{};
};

namespace {

std::vector<std::size_t> branchesOf(const std::vector<BranchPlace>& places)
{
    std::vector<std::size_t> branches;
    for (const BranchPlace& place : places) {
        branches.push_back(place.branch);
    }
    return branches;
}

} // namespace

void TstBranches::columnsOfAMatrixAreApart()
{
    const auto uses = [&](std::size_t firstCol, std::int64_t cols, std::int64_t stride) {
        return usedMemory(FillValues{.dst = {&m_memory[firstCol], 3, cols, stride}});
    };
    QVERIFY(!conflict(uses(0, 4, 10), uses(4, 6, 10)));
    QVERIFY(!conflict(uses(4, 6, 10), uses(0, 4, 10)));
    QVERIFY(!conflict(uses(2, 2, 10), uses(14, 3, 10)));
    QVERIFY(conflict(uses(0, 5, 10), uses(4, 6, 10)));
    QVERIFY(conflict(uses(9, 2, 10), uses(10, 1, 10))); // goes on in the next row
    QVERIFY(conflict(uses(0, 4, 10), uses(4, 6, 11)));
    QVERIFY(!conflict(uses(0, 4, 10), uses(24, 4, 11)));
}

void TstBranches::operationsOnTheirOwnAreSpread()
{
    const std::vector<Operation> fills{fill(0), fill(1), fill(2), fill(3)};
    QCOMPARE(branchesOf(placeInBranches(fills, 3)), (std::vector<std::size_t>{0, 1, 2, 0}));
    QCOMPARE(branchesOf(placeInBranches(fills, 1)), (std::vector<std::size_t>{0, 0, 0, 0}));
}

void TstBranches::oneAfterTheOtherStaysInABranch()
{
    const auto places =
        placeInBranches(std::vector<Operation>{fill(0), copy(0, 1), copy(1, 2), fill(8), copy(8, 9),
                                               copy(2, 3), copy(9, 10)},
                        4);
    QCOMPARE(branchesOf(places), (std::vector<std::size_t>{0, 0, 0, 1, 1, 0, 1}));
    for (const BranchPlace& place : places) {
        QVERIFY(place.waitsFor.empty() && !place.isAwaited);
    }
}

void TstBranches::aReaderWaitsForAllWriters()
{
    const CopyValues readsAll{.src = {&m_memory[0], 1, 3, 3}, .dst = {&m_memory[8], 1, 3, 3}};
    const auto places =
        placeInBranches(std::vector<Operation>{fill(0), fill(1), fill(2), readsAll}, 3);
    QCOMPARE(places[3].branch, 2U);
    QCOMPARE(places[3].waitsFor, (std::vector<std::size_t>{1, 0}));
    QVERIFY(places[0].isAwaited && places[1].isAwaited && !places[2].isAwaited);
}

/// The reader of 1 knows that 0 is done: the writer of 1 has waited for it.
void TstBranches::whatIsKnownIsNotWaitedFor()
{
    const CopyValues readsBoth{.src = {&m_memory[0], 1, 2, 2}, .dst = {&m_memory[8], 1, 2, 2}};
    const auto places =
        placeInBranches(std::vector<Operation>{fill(0), copy(0, 1), fill(4), readsBoth}, 2);
    QCOMPARE(branchesOf(places), (std::vector<std::size_t>{0, 0, 1, 0}));
    QVERIFY(places[3].waitsFor.empty());
}

void TstBranches::productsAreInTheFirstBranch()
{
    const auto product = [&](std::size_t place) {
        return Product{.a = {&m_memory[0], 1, 1, 1},
                       .b = {&m_memory[1], 1, 1, 1},
                       .dst = {&m_memory[place], 1, 1, 1}};
    };
    QCOMPARE(branchesOf(placeInBranches(
                 std::vector<Operation>{product(8), fill(16), product(9), fill(17)}, 3)),
             (std::vector<std::size_t>{0, 1, 0, 2}));
}

void TstBranches::whatMeetsOthersIsInTheLastBranch()
{
    const auto exchange = [&](std::size_t place) {
        return ExchangeParts{.group = {.rank = 0, .size = 2},
                             .values = &m_memory[place],
                             .count = 2,
                             .received = &m_memory[place + 2]};
    };
    const std::vector<Operation> operations{fill(0), exchange(8), fill(1), fill(2), exchange(16)};
    QCOMPARE(branchesOf(placeInBranches(operations, 3)), (std::vector<std::size_t>{0, 2, 1, 0, 2}));
    QCOMPARE(branchesOf(placeInBranches(operations, 1)), (std::vector<std::size_t>{0, 0, 0, 0, 0}));
}

void TstBranches::whatConflictsIsInOrder_data()
{
    QTest::addColumn<int>("branches");
    for (const int branches : {1, 2, 3, 8}) {
        QTest::addRow("%d", branches) << branches;
    }
}

void TstBranches::whatConflictsIsInOrder()
{
    QFETCH(int, branches);
    std::mt19937 random(5);
    const auto place = [&] { return static_cast<std::size_t>(random() % (m_memory.size() - 4)); };
    std::vector<Operation> operations;
    for (int i = 0; i < 200; ++i) {
        if (random() % 2 == 0) {
            operations.emplace_back(copy(place(), place()));
        } else {
            operations.emplace_back(fill(place(), 1 + static_cast<std::int64_t>(random() % 4)));
        }
    }
    const auto places = placeInBranches(operations, static_cast<std::size_t>(branches));
    const auto done = doneBefore(places);
    for (std::size_t at = 0; at < operations.size(); ++at) {
        for (std::size_t earlier = 0; earlier < at; ++earlier) {
            const bool matters =
                conflict(usedMemory(operations[earlier]), usedMemory(operations[at]));
            QVERIFY(!matters || done[at].contains(earlier));
        }
        for (const std::size_t awaited : places[at].waitsFor) {
            QVERIFY(places[awaited].isAwaited && places[awaited].branch != places[at].branch);
        }
    }
}

CANNERY_TEST(TstBranches)
#include "tst_branches.moc"
