// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/step_batches.h"
#include "kernels/device/thread_pool.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>

using namespace cannery;
using namespace cannery::train;

namespace {

constexpr std::int64_t kRows = 10000;
constexpr std::int64_t kWidth = 3;

features::EncodedDataset rowsWithTheirNumbers()
{
    features::InputLayout layout;
    layout.slots = {{features::SlotKind::Dense, "a", "a", kWidth, false, 0}};
    features::EncodedRows rows;
    rows.rowCount = kRows;
    rows.dense = {{kWidth, std::vector<float>(kRows * kWidth)}};
    std::iota(rows.dense[0].values.begin(), rows.dense[0].values.end(), 0.0F);
    features::EncodedDataset dataset(layout, {});
    static_cast<void>(dataset.append(rows));
    return dataset;
}

data::ShardedInputOptions inputOptions(std::int64_t batch, bool shuffle)
{
    return {.pipeline =
                {.rows = kRows, .batchSize = batch, .shuffle = shuffle, .seed = 7, .numEpochs = 7},
            .shards = 3,
            .first = 1,
            .count = 2};
}

bool holds(const features::EncodedRows& batch, const std::vector<std::int64_t>& rows)
{
    bool isSame = batch.rowCount == static_cast<std::int64_t>(rows.size());
    for (std::size_t i = 0; isSame && i < rows.size(); ++i) {
        isSame = batch.dense[0].values[i * kWidth] == static_cast<float>(rows[i] * kWidth);
    }
    return isSame;
}

} // namespace

class TstStepBatches : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesWhatTheInputGives_data();
    void takesWhatTheInputGives();
    void followsAnInputThatIsMoved();
};

void TstStepBatches::takesWhatTheInputGives_data()
{
    QTest::addColumn<int>("threads");
    QTest::addColumn<qint64>("batch");
    QTest::addColumn<bool>("shuffle");
    for (const int threads : {1, 2, 5}) {
        for (const qint64 batch : {1, 900, 3333, 10000}) {
            QTest::addRow("%d threads, %lld rows", threads, batch) << threads << batch << true;
        }
        QTest::addRow("%d threads, the whole table", threads) << threads << qint64(kRows) << false;
    }
}

void TstStepBatches::takesWhatTheInputGives()
{
    QFETCH(int, threads);
    QFETCH(qint64, batch);
    QFETCH(bool, shuffle);
    const features::EncodedDataset dataset = rowsWithTheirNumbers();
    kernels::ThreadPool pool(threads);
    data::ShardedInput expected(inputOptions(batch, shuffle));
    data::ShardedInput input(inputOptions(batch, shuffle));
    StepBatches batches(
        {.rows = &dataset, .input = &input, .shards = 2, .idle = kernels::lendIdle(pool)});
    std::vector<std::vector<std::int64_t>> rows;
    for (int step = 0; step < 500; ++step) {
        const std::int64_t count = expected.next(rows);
        const Result<std::int64_t> taken = batches.take();
        VERIFY_OK(taken);
        QCOMPARE(*taken, count);
        QVERIFY(input.position() == expected.position());
        if (count == 0) {
            break;
        }
        batches.prepareNext();
        QVERIFY(input.position() == expected.position());
        QVERIFY(holds(batches.all()[0], rows[0]));
        QVERIFY(holds(batches.all()[1], rows[1]));
    }
    QCOMPARE(input.droppedBatches(), expected.droppedBatches());
}

/// As when a step was not applied and is repeated, and after another process has sent its state.
void TstStepBatches::followsAnInputThatIsMoved()
{
    const features::EncodedDataset dataset = rowsWithTheirNumbers();
    kernels::ThreadPool pool(2);
    data::ShardedInput expected(inputOptions(100, true));
    data::ShardedInput input(inputOptions(100, true));
    StepBatches batches(
        {.rows = &dataset, .input = &input, .shards = 2, .idle = kernels::lendIdle(pool)});
    std::vector<std::vector<std::int64_t>> rows;
    for (const std::int64_t offset : {0, 3000, 0, 0, 6000}) {
        input.moveTo({.epoch = 1, .offset = offset});
        expected.moveTo({.epoch = 1, .offset = offset});
        const Result<std::int64_t> taken = batches.take();
        VERIFY_OK(taken);
        QCOMPARE(*taken, expected.next(rows));
        batches.prepareNext();
        QVERIFY(holds(batches.all()[0], rows[0]));
    }
}

CANNERY_TEST(TstStepBatches)
#include "tst_step_batches.moc"
