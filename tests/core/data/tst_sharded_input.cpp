// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/sharded_input.h"
#include "tests/support/test_main.h"

#include <set>

using namespace cannery;
using namespace cannery::data;

class TstShardedInput : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void dealsTheBatchesOfOneOrder();
    void givesEveryProcessItsShards_data();
    void givesEveryProcessItsShards();
    void ownSeedsAreOrdersOfTheirOwn();
    void dropsAStepThatIsNotFull_data();
    void dropsAStepThatIsNotFull();
    void resumesAtItsPosition_data() { givesEveryProcessItsShards_data(); }
    void resumesAtItsPosition();
    void stepsBack();
};

namespace {

using Batches = std::vector<std::vector<std::int64_t>>;

const PipelineOptions kPipeline{
    .rows = 23, .batchSize = 3, .shuffle = true, .seed = 5, .numEpochs = 4};

std::vector<Batches> stepsOf(const ShardedInputOptions& options, InputPosition start = {})
{
    ShardedInput input(options, start);
    std::vector<Batches> steps;
    Batches batches;
    while (input.next(batches) > 0) {
        steps.push_back(batches);
    }
    return steps;
}

} // namespace

void TstShardedInput::dealsTheBatchesOfOneOrder()
{
    Pipeline pipeline(kPipeline);
    for (const Batches& step : stepsOf({.pipeline = kPipeline, .shards = 4, .count = 4})) {
        for (const auto& batch : step) {
            std::vector<std::int64_t> expected;
            QVERIFY(pipeline.next(expected));
            QCOMPARE(batch, expected);
        }
    }
}

void TstShardedInput::givesEveryProcessItsShards_data()
{
    QTest::addColumn<bool>("ownSeed");
    QTest::newRow("row") << false;
    QTest::newRow("own seed") << true;
}

void TstShardedInput::givesEveryProcessItsShards()
{
    QFETCH(bool, ownSeed);
    const auto all = stepsOf({.pipeline = kPipeline, .shards = 4, .count = 4, .ownSeed = ownSeed});
    QVERIFY(all.size() > 3);
    for (const std::int64_t count : {1, 2}) {
        for (std::int64_t first = 0; first < 4; first += count) {
            const auto own = stepsOf({.pipeline = kPipeline,
                                      .shards = 4,
                                      .first = first,
                                      .count = count,
                                      .ownSeed = ownSeed});
            QCOMPARE(own.size(), all.size());
            for (std::size_t step = 0; step < all.size(); ++step) {
                for (std::int64_t shard = 0; shard < count; ++shard) {
                    QCOMPARE(own[step][static_cast<std::size_t>(shard)],
                             all[step][static_cast<std::size_t>(first + shard)]);
                }
            }
        }
    }
}

void TstShardedInput::ownSeedsAreOrdersOfTheirOwn()
{
    PipelineOptions whole = kPipeline;
    whole.batchSize = whole.rows;
    whole.numEpochs = 1;
    const auto steps = stepsOf({.pipeline = whole, .shards = 3, .count = 3, .ownSeed = true});
    QCOMPARE(steps.size(), std::size_t(1));
    for (const auto& batch : steps[0]) {
        QCOMPARE(std::set<std::int64_t>(batch.begin(), batch.end()).size(),
                 static_cast<std::size_t>(whole.rows));
    }
    QVERIFY(steps[0][0] != steps[0][1] && steps[0][1] != steps[0][2]);
    QCOMPARE(steps[0][0], stepsOf({.pipeline = whole})[0][0]);
}

void TstShardedInput::dropsAStepThatIsNotFull_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("dropped");
    // TensorFlow 2.15.1, batch 4, two replicas.
    QTest::newRow("three batches") << 12 << 1 << 1;
    QTest::newRow("a short batch that fills a step") << 14 << 2 << 0;
    QTest::newRow("one batch") << 4 << 0 << 1;
}

void TstShardedInput::dropsAStepThatIsNotFull()
{
    QFETCH(int, rows);
    QFETCH(int, steps);
    QFETCH(int, dropped);
    ShardedInput input(
        {.pipeline = {.rows = rows, .batchSize = 4, .numEpochs = 1}, .shards = 2, .count = 2});
    Batches batches;
    std::int64_t seen = 0;
    for (int step = 0; step < steps; ++step) {
        const std::int64_t found = input.next(batches);
        QVERIFY(found > 0);
        seen += found;
    }
    const InputPosition end = input.position();
    QCOMPARE(input.next(batches), 0);
    QCOMPARE(input.droppedBatches(), dropped);
    QVERIFY(input.position() == end);
    QVERIFY(seen <= rows && (dropped > 0 || seen == rows));
}

void TstShardedInput::resumesAtItsPosition()
{
    QFETCH(bool, ownSeed);
    const ShardedInputOptions options{
        .pipeline = kPipeline, .shards = 4, .first = 1, .count = 2, .ownSeed = ownSeed};
    const auto whole = stepsOf(options);
    ShardedInput input(options);
    Batches batches;
    for (std::size_t step = 0; step < whole.size(); ++step) {
        const auto rest = stepsOf(options, input.position());
        QCOMPARE(rest.size(), whole.size() - step);
        QVERIFY(std::ranges::equal(rest, std::span(whole).subspan(step)));
        QVERIFY(input.next(batches) > 0);
    }
}

void TstShardedInput::stepsBack()
{
    ShardedInput input({.pipeline = kPipeline, .shards = 2, .count = 2, .ownSeed = true});
    Batches first;
    Batches again;
    QVERIFY(input.next(first) > 0);
    input.moveTo({});
    QVERIFY(input.next(again) > 0);
    QCOMPARE(again, first);
}

CANNERY_TEST(TstShardedInput)
#include "tst_sharded_input.moc"
