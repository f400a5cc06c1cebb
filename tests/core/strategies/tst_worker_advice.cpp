// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/worker_advice.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::strategies;

/// How many workers are recommended, and what the sentence says binds.
class TstWorkerAdvice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesWhatBinds_data();
    void namesWhatBinds();
    void followsTheCurve();
    void moreShardsPerWorkerAreSlower();
    void aFasterNetworkIsWorthMoreWorkers();
    void avoidsNumbersWhoseTreeIsSlow();
};

namespace {

/// Steps of 20 ms on 100 rows, with 4 MB of gradients over 10 Gbit/s.
WorkerQuestion question()
{
    return {.step = {.computeSeconds = 0.02, .denseBytes = 4e6},
            .network = ethernet(10),
            .networkName = "10 Gbit/s",
            .batchRows = 100,
            .trainRows = 100'000'000};
}

} // namespace

void TstWorkerAdvice::namesWhatBinds_data()
{
    QTest::addColumn<double>("computeSeconds");
    QTest::addColumn<double>("sparseRows");
    QTest::addColumn<int>("trainRows");
    QTest::addColumn<int>("virtualShards");
    QTest::addColumn<int>("recommended");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("nothing") << 0.02 << 0.0 << 100'000'000 << 0 << 1024
                             << "Each of 1024 workers would gain over 10 Gbit/s; more were not "
                                "computed.";
    QTest::newRow("rows")
        << 0.02 << 0.0 << 20'000 << 0 << 16
        << "No gain beyond 16 workers, because with 32 an epoch of 20000 rows has "
           "only 7 steps of 32 × 100 rows.";
    QTest::newRow("fewer rows than ten batches")
        << 0.02 << 0.0 << 150 << 0 << 1
        << "No gain beyond 1 worker, because with 2 an epoch of 150 rows has only 1 step of 2 × "
           "100 rows.";
    QTest::newRow("dense gradients")
        << 0.001 << 0.0 << 100'000'000 << 0 << 1
        << "No gain beyond 1 worker, because with 2 each would compute for 1.04 ms of a step and "
           "wait for 3.07 ms, while 4.0 MB of gradients are added up over 10 Gbit/s.";
    QTest::newRow("sparse gradients")
        << 0.02 << 10'000.0 << 100'000'000 << 0 << 30
        << "No gain beyond 30 workers, because with 32 each would compute for 21.6 ms of a step "
           "and wait for 18.8 ms, while rows of embeddings and category weights go to all others "
           "over 10 Gbit/s.";
    QTest::newRow("virtual shards") << 0.02 << 0.0 << 20'000 << 8 << 8
                                    << "No gain beyond 8 workers, because strategy.virtual_shards "
                                       "gives a step 8 batches.";
    QTest::newRow("many virtual shards")
        << 0.002 << 0.0 << 20'000 << 64 << 16
        << "No gain beyond 16 workers, because with 32 each would compute for 4.32 ms of a step "
           "and wait for 5.28 ms, while 4.0 MB of gradients are added up over 10 Gbit/s.";
}

void TstWorkerAdvice::namesWhatBinds()
{
    QFETCH(double, computeSeconds);
    QFETCH(double, sparseRows);
    QFETCH(int, trainRows);
    QFETCH(int, virtualShards);
    WorkerQuestion asked = question();
    asked.step.computeSeconds = computeSeconds;
    asked.trainRows = trainRows;
    asked.virtualShards = virtualShards;
    if (sparseRows > 0) {
        asked.step.denseBytes = 1000;
        asked.step.sparse = {{.rows = sparseRows, .cols = 16, .tableRows = 1e6}};
    }
    const WorkerAdvice advice = adviseWorkers(asked);
    QTEST(QString::fromStdString(advice.sentence), "sentence");
    QTEST(static_cast<int>(advice.recommended), "recommended");
}

void TstWorkerAdvice::followsTheCurve()
{
    const WorkerAdvice advice = adviseWorkers(question());
    QCOMPARE(advice.curve.size(), std::size_t{11}); // 1, 2, 4 … 1024
    QCOMPARE(advice.curve.front().efficiency, 1.0);
    QCOMPARE(advice.curve.front().stepsPerSecond, 50.0);
    QCOMPARE(advice.curve.back().workers, kMostWorkers);
    for (std::size_t i = 0; i < advice.curve.size(); ++i) {
        const WorkerPoint& point = advice.curve[i];
        QCOMPARE(point.workers, std::int64_t{1} << i);
        QCOMPARE(point.rowsPerSecond,
                 point.stepsPerSecond * 100 * static_cast<double>(point.workers));
        QVERIFY(i == 0 || point.efficiency < advice.curve[i - 1].efficiency);
    }
}

/// The batches of a step are as many as ever; each worker computes its share of them.
void TstWorkerAdvice::moreShardsPerWorkerAreSlower()
{
    WorkerQuestion asked = question();
    asked.virtualShards = 8;
    asked.step.jitter = 0;
    asked.step.sparse = {{.rows = 10, .cols = 2, .tableRows = 40}};
    const WorkerPoint alone = pointOf(asked, 1);
    QCOMPARE(alone.seconds.compute, 8 * 0.02);
    QCOMPARE(alone.rowsPerSecond, 8 * 100 / (8 * 0.02));
    const WorkerPoint two = pointOf(asked, 2);
    QCOMPARE(two.seconds.compute, 4 * 0.02);
    QCOMPARE(two.rowsPerSecond, 8 * 100 / two.seconds.total);
    // No more rows have a gradient than a table has.
    asked.step.sparse.front().rows = 40;
    QCOMPARE(pointOf(asked, 2).seconds.sparse, two.seconds.sparse);
    QCOMPARE(adviseWorkers(asked).curve.size(), std::size_t{4}); // 1, 2, 4, 8
}

void TstWorkerAdvice::aFasterNetworkIsWorthMoreWorkers()
{
    WorkerQuestion asked = question();
    asked.step.computeSeconds = 0.002;
    QCOMPARE(adviseWorkers(asked).recommended, 1);
    asked.network = ethernet(100);
    QCOMPARE(adviseWorkers(asked).recommended, kMostWorkers);
}

/// Where a step has time for a tree over 2, 4, 8 … workers only.
void TstWorkerAdvice::avoidsNumbersWhoseTreeIsSlow()
{
    WorkerQuestion asked = question();
    asked.trainRows = 10 * 100 * 65; // enough rows for 65 workers
    const WorkerAdvice advice = adviseWorkers(asked);
    QCOMPARE(advice.recommended, 64);
    QVERIFY(pointOf(asked, 65).rowsPerSecond < pointOf(asked, 64).rowsPerSecond);
}

CANNERY_TEST(TstWorkerAdvice)
#include "tst_worker_advice.moc"
