// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/flush_denormals.h"
#include "kernels/device/near_blocks.h"
#include "kernels/device/thread_pool.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>

using namespace cannery::kernels;

class TstThreadPool : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsEveryBlockOnce_data();
    void runsEveryBlockOnce();
    void doesManySmallJobsInARow();
    void handsOutNearBlocksOnceEach();
    void runsWhatIsOfferedBesideOtherWork_data();
    void runsWhatIsOfferedBesideOtherWork();
    void workersOwnTheirScratch();
    void lastBlockOfARangeIsShorter();
    void workersFlushDenormalsWhenTheCallerDoes();
};

void TstThreadPool::runsEveryBlockOnce_data()
{
    QTest::addColumn<int>("threads");
    for (const int threads : {1, 2, 7}) {
        QTest::addRow("%d threads", threads) << threads;
    }
}

void TstThreadPool::runsEveryBlockOnce()
{
    QFETCH(int, threads);
    ThreadPool pool(threads);
    QCOMPARE(pool.threadCount(), threads);
    for (const std::int64_t blocks : {0, 1, 2, 3, 1000}) {
        std::vector<std::atomic<int>> counts(static_cast<std::size_t>(blocks));
        std::atomic<bool> strangers = false;
        pool.parallelFor(blocks, [&](std::int64_t block, int worker) {
            ++counts[static_cast<std::size_t>(block)];
            strangers = strangers || worker < 0 || worker >= threads;
        });
        QVERIFY(std::all_of(counts.begin(), counts.end(), [](const auto& n) { return n == 1; }));
        QVERIFY(!strangers);
    }
}

void TstThreadPool::doesManySmallJobsInARow()
{
    ThreadPool pool(3);
    std::vector<std::int64_t> sums(5);
    for (std::int64_t job = 0; job < 20000; ++job) {
        pool.parallelFor(5, [&](std::int64_t block, int) { sums[block] += job; });
    }
    QCOMPARE(sums, std::vector<std::int64_t>(5, 19999LL * 20000 / 2));
}

void TstThreadPool::handsOutNearBlocksOnceEach()
{
    NearBlocks near;
    for (const int threads : {2, 7, 1, 3}) {
        ThreadPool pool(threads);
        for (int pass = 0; pass < 200; ++pass) {
            for (const std::int64_t blocks : {0, 1, 2, 3, 40}) {
                std::vector<int> counts(static_cast<std::size_t>(blocks));
                near.parallelFor(pool, blocks, [&](std::int64_t block, int) { ++counts[block]; });
                QCOMPARE(counts, std::vector<int>(static_cast<std::size_t>(blocks), 1));
            }
        }
    }
}

void TstThreadPool::runsWhatIsOfferedBesideOtherWork_data()
{
    runsEveryBlockOnce_data();
}

void TstThreadPool::runsWhatIsOfferedBesideOtherWork()
{
    QFETCH(int, threads);
    ThreadPool pool(threads);
    pool.finishOffered(); // nothing was
    std::vector<std::int64_t> sums(5);
    std::vector<std::int64_t> offeredSums(7);
    for (std::int64_t job = 0; job < 2000; ++job) {
        const std::function<void(std::int64_t)> offered = [&](std::int64_t block) {
            offeredSums[static_cast<std::size_t>(block)] += job;
        };
        pool.offer(job % 8, offered);
        for (int i = 0; i < 3; ++i) {
            pool.parallelFor(5, [&](std::int64_t block, int) { sums[block] += job; });
        }
        pool.finishOffered();
    }
    QCOMPARE(sums, std::vector<std::int64_t>(5, 3 * 1999LL * 2000 / 2));
    for (std::int64_t block = 0; block < 7; ++block) {
        std::int64_t expected = 0;
        for (std::int64_t job = 0; job < 2000; ++job) {
            expected += job % 8 > block ? job : 0;
        }
        QCOMPARE(offeredSums[static_cast<std::size_t>(block)], expected);
    }
}

void TstThreadPool::workersOwnTheirScratch()
{
    ThreadPool pool(4);
    std::atomic<int> overwritten = 0;
    pool.parallelFor(200, [&](std::int64_t block, int worker) {
        const std::span<float> scratch = pool.scratch(worker).first(1000);
        std::iota(scratch.begin(), scratch.end(), static_cast<float>(block));
        for (std::size_t i = 0; i < scratch.size(); ++i) {
            overwritten += scratch[i] != static_cast<float>(block) + static_cast<float>(i) ? 1 : 0;
        }
    });
    QCOMPARE(overwritten.load(), 0);
    QCOMPARE(reinterpret_cast<std::uintptr_t>(pool.scratch(3).data()) % 64, std::uintptr_t(0));
}

void TstThreadPool::lastBlockOfARangeIsShorter()
{
    ThreadPool pool(1);
    std::vector<std::int64_t> seen;
    forEachBlock(pool, 10, 4, [&](BlockRange block, int) {
        seen.push_back(block.first);
        seen.push_back(block.count);
    });
    QCOMPARE(seen, (std::vector<std::int64_t>{0, 4, 4, 4, 8, 2}));
}

void TstThreadPool::workersFlushDenormalsWhenTheCallerDoes()
{
    ThreadPool pool(3);
    const volatile float small = 1e-38F;
    const auto countZeros = [&] {
        std::atomic<int> zeros = 0;
        pool.parallelFor(500, [&](std::int64_t, int) { zeros += small * 0.1F == 0.0F ? 1 : 0; });
        return zeros.load();
    };
    QCOMPARE(countZeros(), 0);
    {
        const FlushDenormals flush;
        QCOMPARE(countZeros(), 500);
    }
    QCOMPARE(countZeros(), 0);
}

CANNERY_TEST(TstThreadPool)
#include "tst_thread_pool.moc"
