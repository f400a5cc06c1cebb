// SPDX-License-Identifier: Apache-2.0
#include "tests/core/collectives/gloo_ranks.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::collectives;
using namespace cannery::tests;

class TstRingSums : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void partsAreSummedFromTheirOwnRankOn_data();
    void partsAreSummedFromTheirOwnRankOn();
    void quickSumsAreTreesIfTheyAreShort();
    void quickSumsGoRoundIfTheyAreLong_data();
    void quickSumsGoRoundIfTheyAreLong();
};

namespace {

std::vector<Floats> leavesOf(int size, std::size_t count)
{
    std::vector<Floats> leaves;
    for (int rank = 0; rank < size; ++rank) {
        leaves.push_back(wildValues(count, static_cast<unsigned>(rank) + 1));
    }
    return leaves;
}

/// Part p of P: ((x[p] + x[p + 1]) + x[p + 2]) … over the ranks modulo P.
Floats ringSum(const std::vector<Floats>& leaves)
{
    const std::size_t size = leaves.size();
    const std::size_t count = leaves.front().size();
    Floats sum(count);
    for (std::size_t part = 0; part < size; ++part) {
        for (std::size_t i = count * part / size; i < count * (part + 1) / size; ++i) {
            sum[i] = leaves[part][i];
            for (std::size_t distance = 1; distance < size; ++distance) {
                sum[i] += leaves[(part + distance) % size][i];
            }
        }
    }
    return sum;
}

struct Case
{
    std::vector<Floats> leaves; ///< by rank
    Floats sum;
};

/// One group for all: a rank that had nothing to say could leave before others are connected.
void verifySums(Summation summation, const std::vector<Case>& cases)
{
    runRanks(static_cast<int>(cases.front().leaves.size()),
             [&](Communicator& group) {
                 for (int round = 0; round < 2; ++round) {
                     for (const Case& one : cases) {
                         Floats values = one.leaves[static_cast<std::size_t>(group.rank())];
                         THREAD_VERIFY(group.allReduce(values).has_value());
                         THREAD_VERIFY(sameBits(values, one.sum));
                     }
                 }
             },
             {.summation = summation});
}

} // namespace

void TstRingSums::partsAreSummedFromTheirOwnRankOn_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {1, 2, 3, 4, 5, 8}) {
        QTest::newRow(qPrintable(QString::number(size))) << size;
    }
}

void TstRingSums::partsAreSummedFromTheirOwnRankOn()
{
    QFETCH(int, size);
    std::vector<Case> cases;
    for (const std::size_t count : {1000, 0, 1, 3, 100003}) {
        const std::vector<Floats> leaves = leavesOf(size, count);
        cases.push_back({leaves, ringSum(leaves)});
    }
    verifySums(Summation::Ring, cases);
}

void TstRingSums::quickSumsAreTreesIfTheyAreShort()
{
    const std::vector<Floats> leaves = leavesOf(3, 1000);
    const Floats tree = treeSum(leaves, 0, leaves.size());
    QVERIFY(!sameBits(tree, ringSum(leaves)));
    verifySums(Summation::Quick, {{leaves, tree}});
}

void TstRingSums::quickSumsGoRoundIfTheyAreLong_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("count");
    QTest::newRow("three ranks") << 3 << 100000;
    QTest::newRow("four ranks") << 4 << 1100000;
}

void TstRingSums::quickSumsGoRoundIfTheyAreLong()
{
    QFETCH(int, size);
    QFETCH(int, count);
    const std::vector<Floats> leaves = leavesOf(size, static_cast<std::size_t>(count));
    const Floats ring = ringSum(leaves);
    QVERIFY(!sameBits(ring, treeSum(leaves, 0, leaves.size())));
    verifySums(Summation::Quick, {{leaves, ring}});
}

CANNERY_TEST(TstRingSums)
#include "tst_ring_sums.moc"
