// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/sharded_input.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace cannery;
using namespace cannery::data;

namespace {

using Steps = std::vector<std::vector<std::vector<std::int64_t>>>;

/// Of five files, one more has no rows.
const std::vector<std::int64_t> kFileRows{3, 9, 4, 8, 0, 2};

ShardedInputOptions inputOfFiles(std::int64_t shards)
{
    const Result<FileShards> files = dealFiles(kFileRows, shards);
    return {.pipeline = {.rows = 26, .batchSize = 3, .shuffle = true, .seed = 5, .numEpochs = 4},
            .shards = shards,
            .count = shards,
            .files = std::make_shared<const FileShards>(*files)};
}

Steps takeAll(const ShardedInputOptions& options, InputPosition start = {})
{
    ShardedInput input(options, start);
    Steps steps;
    std::vector<std::vector<std::int64_t>> batches;
    while (input.next(batches) > 0) {
        steps.push_back(batches);
    }
    return steps;
}

std::vector<std::int64_t> rowsOf(const FileShard& shard)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(shard.rowCount()));
    std::iota(rows.begin(), rows.end(), 0);
    shard.locate(rows);
    return rows;
}

} // namespace

/// Shards with files of their own.
class TstFileShards : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theLongestFilesAreDealtFirst();
    void everyShardNeedsAFile();
    void everyShardReadsItsRowsOnceAnEpoch();
    void processesShareTheSameSteps();
    void itResumesFromThePositionOfTheFirstShard_data();
    void itResumesFromThePositionOfTheFirstShard();
};

void TstFileShards::theLongestFilesAreDealtFirst()
{
    const Result<FileShards> shards = dealFiles(kFileRows, 2);
    QVERIFY(shards);
    const std::vector<std::int64_t> first{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 24, 25};
    const std::vector<std::int64_t> second{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    QCOMPARE(rowsOf((*shards)[0]), first);
    QCOMPARE(rowsOf((*shards)[1]), second);
}

void TstFileShards::everyShardNeedsAFile()
{
    QVERIFY(dealFiles(kFileRows, 5));
    const Result<FileShards> refused = dealFiles(kFileRows, 8);
    QVERIFY(!refused);
    QCOMPARE(refused.error().id, std::string("data.fewer_files_than_shards"));
    QVERIFY(refused.error().sentence.find("each of the 8 batches of a step has files of its own, "
                                          "but there are 5 files with rows") != std::string::npos);
}

void TstFileShards::everyShardReadsItsRowsOnceAnEpoch()
{
    ShardedInputOptions options = inputOfFiles(2);
    options.pipeline.batchSize = 2;
    const Steps steps = takeAll(options);
    for (std::size_t shard = 0; shard < 2; ++shard) {
        const std::vector<std::int64_t> expected = rowsOf((*options.files)[shard]);
        std::vector<std::int64_t> seen;
        for (const auto& step : steps) {
            seen.insert(seen.end(), step[shard].begin(), step[shard].end());
        }
        // The shorter shard ends the last of the four epochs.
        QVERIFY(seen.size() >= 3 * expected.size());
        for (auto epoch = seen.begin(); epoch + std::ssize(expected) <= seen.end();
             epoch += std::ssize(expected)) {
            std::vector<std::int64_t> rows(epoch, epoch + std::ssize(expected));
            QVERIFY(rows != expected);
            std::ranges::sort(rows);
            QCOMPARE(rows, expected);
        }
    }
}

void TstFileShards::processesShareTheSameSteps()
{
    const ShardedInputOptions all = inputOfFiles(4);
    const Steps steps = takeAll(all);
    QVERIFY(steps.size() > 3);
    for (const std::int64_t count : {1, 2}) {
        for (std::int64_t first = 0; first < 4; first += count) {
            ShardedInputOptions some = all;
            some.first = first;
            some.count = count;
            const Steps own = takeAll(some);
            QCOMPARE(own.size(), steps.size());
            for (std::size_t step = 0; step < own.size(); ++step) {
                QVERIFY(
                    std::ranges::equal(own[step], std::span(steps[step])
                                                      .subspan(static_cast<std::size_t>(first),
                                                               static_cast<std::size_t>(count))));
            }
        }
    }
}

void TstFileShards::itResumesFromThePositionOfTheFirstShard_data()
{
    QTest::addColumn<int>("shards");
    QTest::addColumn<bool>("dropsRemainder");
    QTest::newRow("two") << 2 << false;
    QTest::newRow("five") << 5 << false;
    QTest::newRow("a short batch is dropped") << 5 << true;
}

void TstFileShards::itResumesFromThePositionOfTheFirstShard()
{
    QFETCH(const int, shards);
    QFETCH(const bool, dropsRemainder);
    ShardedInputOptions options = inputOfFiles(shards);
    options.pipeline.dropRemainder = dropsRemainder;
    const Steps whole = takeAll(options);
    ShardedInput input(options);
    std::vector<std::vector<std::int64_t>> batches;
    for (std::size_t step = 0; step < whole.size(); ++step) {
        QVERIFY(
            std::ranges::equal(takeAll(options, input.position()), std::span(whole).subspan(step)));
        QVERIFY(input.next(batches) > 0);
        QVERIFY(batches == whole[step]);
    }
    const InputPosition end = input.position();
    QCOMPARE(input.next(batches), 0);
    QVERIFY(input.position() == end);
    QVERIFY(takeAll(options, end).empty());
}

CANNERY_TEST(TstFileShards)
#include "tst_file_shards.moc"
