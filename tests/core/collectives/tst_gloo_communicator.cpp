// SPDX-License-Identifier: Apache-2.0
#include "tests/core/collectives/gloo_ranks.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>

#include <atomic>
#include <barrier>
#include <latch>

using namespace cannery;
using namespace cannery::collectives;
using namespace cannery::tests;

class TstGlooCommunicator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFailedCheckOfARankFailsTheTest();
    void sumsAreOneTree_data();
    void sumsAreOneTree();
    void sumsOfAlignedBlocksDoNotDependOnTheNumberOfRanks();
    void gathersPartsOfAnySize();
    void gathersPartsOfKnownSizes();
    void everyRankGetsItsShareFromEveryOther();
    void broadcastsFromAnyRank();
    void abortEndsACallInProgress();
    void aLostPeerFailsTheCallAndALaterGroupWorks();
    void aSilentPeerTimesOut();
    void aMissingPeerFailsTheConnection();
    void aPeerThatDoesNotConnectFailsTheConnectionInTime();
    void connectingInVainEnds();
    void aCallThatWaitsTooLongSaysForWhom();
};

void TstGlooCommunicator::aFailedCheckOfARankFailsTheTest()
{
    QEXPECT_FAIL("", "rank 1 of 2 fails", Continue);
    int after = 0;
    runRanks(2, [&](Communicator& group) {
        THREAD_REQUIRE(group.rank() == 0);
        ++after;
    });
    QCOMPARE(after, 1);
    QEXPECT_FAIL("", "and goes on", Continue);
    std::atomic<int> both = 0;
    runRanks(2, [&](Communicator& group) {
        THREAD_VERIFY(group.rank() == 0);
        ++both;
    });
    QCOMPARE(both.load(), 2);
}

void TstGlooCommunicator::sumsAreOneTree_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {1, 2, 3, 4, 5, 6, 7, 8}) {
        QTest::newRow(qPrintable(QString::number(size))) << size;
    }
}

void TstGlooCommunicator::sumsAreOneTree()
{
    QFETCH(int, size);
    const std::vector<std::size_t> counts{0, 1, 3, 1000, 100003};
    std::vector<std::vector<Floats>> leaves(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        for (int rank = 0; rank < size; ++rank) {
            leaves[i].push_back(wildValues(counts[i], static_cast<unsigned>(100 * i) +
                                                          static_cast<unsigned>(rank)));
        }
    }
    runRanks(size, [&](Communicator& group) {
        for (int round = 0; round < 2; ++round) {
            for (const std::vector<Floats>& all : leaves) {
                Floats values = all[static_cast<std::size_t>(group.rank())];
                const Result<void> done = group.allReduce(values);
                THREAD_VERIFY(done.has_value());
                THREAD_VERIFY(sameBits(values, treeSum(all, 0, all.size())));
            }
        }
    });
}

void TstGlooCommunicator::sumsOfAlignedBlocksDoNotDependOnTheNumberOfRanks()
{
    constexpr std::size_t kLeaves = 64;
    std::vector<Floats> leaves;
    for (unsigned leaf = 0; leaf < kLeaves; ++leaf) {
        leaves.push_back(wildValues(20011, leaf));
    }
    const Floats expected = treeSum(leaves, 0, kLeaves);
    for (const int size : {1, 2, 4, 8}) {
        runRanks(size, [&](Communicator& group) {
            const std::size_t each = kLeaves / static_cast<std::size_t>(size);
            Floats values = treeSum(leaves, static_cast<std::size_t>(group.rank()) * each, each);
            THREAD_VERIFY(group.allReduce(values).has_value());
            THREAD_VERIFY(sameBits(values, expected));
        });
    }
}

void TstGlooCommunicator::gathersPartsOfAnySize()
{
    runRanks(3, [&](Communicator& group) {
        // None at all in the second round.
        for (const std::size_t factor : {7, 0, 100000}) {
            const std::vector<std::byte> own(static_cast<std::size_t>(group.rank()) * factor,
                                             static_cast<std::byte>(group.rank()));
            std::vector<std::vector<std::byte>> all;
            THREAD_VERIFY(group.allGatherV(own, all).has_value());
            THREAD_REQUIRE(all.size() == 3);
            for (std::size_t rank = 0; rank < 3; ++rank) {
                THREAD_VERIFY(all[rank] ==
                              std::vector<std::byte>(rank * factor, static_cast<std::byte>(rank)));
            }
        }
    });
}

void TstGlooCommunicator::gathersPartsOfKnownSizes()
{
    runRanks(3, [&](Communicator& group) {
        for (const std::size_t factor : {7, 0, 100000}) {
            // Rank 0 has nothing.
            std::vector<std::byte> all(3 * factor);
            const std::span<std::byte> bytes = all;
            const std::vector<std::span<std::byte>> parts{bytes.first(0), bytes.first(factor),
                                                          bytes.subspan(factor)};
            const auto own = static_cast<std::size_t>(group.rank());
            std::ranges::fill(parts[own], static_cast<std::byte>(own));
            THREAD_VERIFY(group.allGatherV(parts).has_value());
            std::vector<std::byte> expected(factor, std::byte{1});
            expected.resize(3 * factor, std::byte{2});
            THREAD_VERIFY(all == expected);
        }
    });
}

void TstGlooCommunicator::everyRankGetsItsShareFromEveryOther()
{
    const auto sizeOf = [](std::size_t from, std::size_t to) { return from * (to + 1) * 9000; };
    runRanks(4, [&](Communicator& group) {
        const auto own = static_cast<std::size_t>(group.rank());
        for (int round = 0; round < 2; ++round) {
            std::vector<std::vector<std::byte>> out(4);
            std::vector<std::vector<std::byte>> in(4);
            std::vector<std::span<const std::byte>> sent;
            std::vector<std::span<std::byte>> received;
            for (std::size_t peer = 0; peer < 4; ++peer) {
                out[peer].assign(sizeOf(own, peer), static_cast<std::byte>(10 * own + peer));
                in[peer].resize(sizeOf(peer, own));
                sent.emplace_back(out[peer]);
                received.emplace_back(in[peer]);
            }
            THREAD_VERIFY(group.allToAllV(sent, received).has_value());
            for (std::size_t peer = 0; peer < 4; ++peer) {
                const auto expected = static_cast<std::byte>(peer == own ? 0 : 10 * peer + own);
                THREAD_VERIFY(in[peer] == std::vector<std::byte>(sizeOf(peer, own), expected));
            }
        }
    });
}

void TstGlooCommunicator::broadcastsFromAnyRank()
{
    runRanks(4, [&](Communicator& group) {
        for (int root = 0; root < 4; ++root) {
            std::vector<std::byte> bytes(100001, static_cast<std::byte>(group.rank()));
            THREAD_VERIFY(group.broadcast(bytes, root).has_value());
            THREAD_VERIFY(bytes == std::vector<std::byte>(100001, static_cast<std::byte>(root)));
        }
    });
}

void TstGlooCommunicator::abortEndsACallInProgress()
{
    std::latch done(1);
    std::latch connected(2);
    runRanks(2, [&](Communicator& group) {
        connected.arrive_and_wait();
        if (group.rank() == 1) {
            done.wait(); // never calls
            return;
        }
        std::latch calling(1);
        const std::jthread other([&] {
            calling.wait();
            group.abort();
        });
        Floats values(100, 1.0F);
        calling.count_down();
        const Result<void> failed = group.allReduce(values);
        THREAD_VERIFY(!failed && failed.error().id == "collectives.peer_lost");
        const Result<void> later = group.allReduce(values);
        THREAD_VERIFY(!later && later.error().id == "collectives.peer_lost");
        done.count_down();
    });
}

void TstGlooCommunicator::aLostPeerFailsTheCallAndALaterGroupWorks()
{
    MemoryStore store;
    const auto connect = [&](int rank, int size, const char* prefix) {
        return connectGloo(
            {.rank = rank, .size = size, .store = &store, .prefix = prefix, .host = "127.0.0.1"});
    };
    std::barrier survivors(2);
    const ThreadReport report;
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 3; ++rank) {
        threads.emplace_back([&, rank] {
            {
                // A failure does not end the thread: the other survivor waits for it.
                const auto group = connect(rank, 3, "first");
                Floats values(50000, 1.0F);
                THREAD_VERIFY(group && (*group)->allReduce(values).has_value());
                if (rank == 1) {
                    return; // its connections close
                }
                const Result<void> lost = group ? (*group)->allReduce(values) : Result<void>();
                THREAD_VERIFY(!lost && lost.error().id == "collectives.peer_lost");
            }
            survivors.arrive_and_wait();
            const auto again = connect(rank / 2, 2, "second");
            Floats values(50000, 1.0F);
            THREAD_VERIFY(again && (*again)->allReduce(values).has_value());
            THREAD_VERIFY(values.back() == 2.0F);
        });
    }
}

void TstGlooCommunicator::aSilentPeerTimesOut()
{
    std::latch done(1);
    std::latch connected(2);
    runRanks(2,
             [&](Communicator& group) {
                 connected.arrive_and_wait();
                 if (group.rank() == 1) {
                     done.wait();
                     return;
                 }
                 Floats values(100, 1.0F);
                 const Result<void> late = group.allReduce(values);
                 THREAD_VERIFY(!late && late.error().id == "collectives.timed_out");
                 done.count_down();
             },
             {.timeout = std::chrono::milliseconds(200)});
}

void TstGlooCommunicator::aMissingPeerFailsTheConnection()
{
    MemoryStore store;
    const auto group = connectGloo({.rank = 0,
                                    .size = 2,
                                    .store = &store,
                                    .prefix = "alone",
                                    .host = "127.0.0.1",
                                    .connectTimeout = std::chrono::milliseconds(100)});
    VERIFY_ERROR(group, "collectives.no_value");
}

namespace {

/// Rank 0 of two, whose other has told its address and gone. Which of the two connects and which is
/// connected with depends on their ports: the connection is refused at once, or nobody comes.
Result<std::unique_ptr<Communicator>> connectWithNobody(const GlooOptions& options)
{
    MemoryStore store;
    const auto connect = [&store](int rank, GlooOptions own) {
        own.rank = rank;
        own.size = 2;
        own.store = &store;
        own.prefix = "half";
        own.host = "127.0.0.1";
        return connectGloo(own);
    };
    [[maybe_unused]] const bool isAlone =
        QTest::qVerify(!connect(1, {.connectTimeout = std::chrono::milliseconds(1)}),
                       "connected with nobody", "", __FILE__, __LINE__);
    return connect(0, options);
}

/// In so many, both happen.
constexpr int kConnections = 10;
constexpr int kMostConnections = 500;

} // namespace

void TstGlooCommunicator::aPeerThatDoesNotConnectFailsTheConnectionInTime()
{
    for (int i = 0; i < kConnections; ++i) {
        QElapsedTimer time;
        time.start();
        const auto group = connectWithNobody({.connectTimeout = std::chrono::milliseconds(150)});
        VERIFY_ERROR(group, "collectives.no_connection");
        QVERIFY2(time.elapsed() < 700, "a peer's silence may not last several times the limit");
    }
}

void TstGlooCommunicator::connectingInVainEnds()
{
    int inVain = 0;
    // On a busy machine one of both may not happen for long.
    for (int i = 0; i < kConnections || (inVain == 0 && i < kMostConnections); ++i) {
        const auto group = connectWithNobody(
            {.connectTimeout = std::chrono::hours(1), .isInVain = [] { return true; }});
        QVERIFY(!group.has_value());
        inVain += group.error().id == "collectives.peer_lost" ? 1 : 0;
        QVERIFY2(group.error().id == "collectives.peer_lost" ||
                     group.error().id == "collectives.no_connection",
                 group.error().id.c_str());
    }
    QVERIFY(inVain > 0);
}

void TstGlooCommunicator::aCallThatWaitsTooLongSaysForWhom()
{
    std::latch done(1);
    runRanks(2, [&](Communicator& group) {
        if (group.rank() == 1) {
            done.wait();
            return;
        }
        THREAD_VERIFY(!group.stuckWith(std::chrono::milliseconds(0)));
        const std::jthread other([&] {
            while (group.stuckWith(std::chrono::milliseconds(50)) != 1) {
                THREAD_VERIFY(!group.stuckWith(std::chrono::hours(1)));
                std::this_thread::yield();
            }
            group.abort();
        });
        Floats values(100, 1.0F);
        THREAD_VERIFY(!group.allReduce(values));
        THREAD_VERIFY(!group.stuckWith(std::chrono::milliseconds(0)));
        done.count_down();
    });
}

CANNERY_TEST(TstGlooCommunicator)
#include "tst_gloo_communicator.moc"
