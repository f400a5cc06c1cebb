// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/pipeline.h"
#include "core/data/rows/keyed_permutation.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <set>

using namespace cannery;
using namespace cannery::data;

class TstPipeline : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void permutationHitsEveryElementOnce();
    void permutationsOfManyElementsAreTheSameFromTables();
    void permutationMovesElementsFarAndDiffersByKey();
    void batchesRunOverTheEndOfTheFile();
    void endsWithAShortBatchOrWithout();
    void everyShuffledEpochIsAnotherPermutation();
    void resumedPipelineGoesOnIdentically();
    void batchLargerThanTheDataRepeatsIt();
    void sidecarOfOtherDataIsRefused();

private:
    using Rows = std::vector<std::int64_t>;
    static std::vector<Rows> batches(const PipelineOptions& options, int count = 1000);
};

std::vector<TstPipeline::Rows> TstPipeline::batches(const PipelineOptions& options, int count)
{
    Pipeline pipeline(options);
    std::vector<Rows> all;
    Rows rows;
    while (int(all.size()) < count && pipeline.next(rows)) {
        all.push_back(rows);
    }
    return all;
}

void TstPipeline::permutationHitsEveryElementOnce()
{
    for (const std::int64_t size : {1, 2, 3, 4, 5, 7, 8, 9, 31, 100, 627, 1024, 5000}) {
        for (const std::uint64_t key : {0U, 1U, 99U}) {
            const KeyedPermutation order(size, key);
            std::vector<bool> seen(static_cast<std::size_t>(size));
            for (std::int64_t i = 0; i < size; ++i) {
                const std::int64_t element = order(i);
                QVERIFY(element >= 0 && element < size);
                QVERIFY(!seen[std::size_t(element)]);
                seen[std::size_t(element)] = true;
            }
            // Requested several at once, also from tables, they are the same.
            KeyedPermutation tabulated(size, key + 1);
            tabulated.tabulate(key);
            for (const std::int64_t first : {std::int64_t(0), size / 3}) {
                Rows many(static_cast<std::size_t>(size - first));
                Rows ofTables(many.size());
                order.fill(first, many);
                tabulated.fill(first, ofTables);
                QCOMPARE(ofTables, many);
                for (std::size_t i = 0; i < many.size(); ++i) {
                    QCOMPARE(many[i], order(first + static_cast<std::int64_t>(i)));
                }
            }
        }
    }
}

void TstPipeline::permutationsOfManyElementsAreTheSameFromTables()
{
    for (const std::int64_t size : {(1 << 22) - 3, 1 << 22, (1 << 22) + 1, 1 << 30}) {
        const KeyedPermutation order(size, 5);
        KeyedPermutation tabulated(size, 6);
        tabulated.tabulate(5);
        Rows some(100);
        Rows ofTables(100);
        order.fill(size - 100, some);
        tabulated.fill(size - 100, ofTables);
        QCOMPARE(ofTables, some);
    }
}

void TstPipeline::permutationMovesElementsFarAndDiffersByKey()
{
    constexpr std::int64_t kSize = 10000;
    const KeyedPermutation one(kSize, permutationKey(7, 0));
    const KeyedPermutation two(kSize, permutationKey(7, 1));
    double distance = 0;
    int same = 0;
    int ascents = 0;
    for (std::int64_t i = 0; i < kSize; ++i) {
        distance += double(std::abs(one(i) - i));
        same += one(i) == two(i) ? 1 : 0;
        ascents += i > 0 && one(i) > one(i - 1) ? 1 : 0;
    }
    // A random permutation moves an element by a third of the size on average.
    QVERIFY(std::abs(distance / kSize - kSize / 3.0) < kSize / 50.0);
    QVERIFY(same < 12);
    QVERIFY(std::abs(ascents - kSize / 2) < kSize / 50);
    // All six orders of three elements occur.
    std::set<std::vector<std::int64_t>> orders;
    for (std::uint64_t key = 0; key < 200; ++key) {
        const KeyedPermutation small(3, permutationKey(1, key));
        orders.insert({small(0), small(1), small(2)});
    }
    QCOMPARE(orders.size(), std::size_t(6));
}

void TstPipeline::batchesRunOverTheEndOfTheFile()
{
    const auto all = batches({.rows = 5, .batchSize = 3}, 4);
    QCOMPARE(all, (std::vector<Rows>{{0, 1, 2}, {3, 4, 0}, {1, 2, 3}, {4, 0, 1}}));
}

void TstPipeline::endsWithAShortBatchOrWithout()
{
    QCOMPARE(batches({.rows = 5, .batchSize = 3, .numEpochs = 1}),
             (std::vector<Rows>{{0, 1, 2}, {3, 4}}));
    QCOMPARE(batches({.rows = 5, .batchSize = 3, .numEpochs = 1, .dropRemainder = true}),
             (std::vector<Rows>{{0, 1, 2}}));
    QCOMPARE(batches({.rows = 5, .batchSize = 4, .numEpochs = 2}),
             (std::vector<Rows>{{0, 1, 2, 3}, {4, 0, 1, 2}, {3, 4}}));
    QCOMPARE(Pipeline({.rows = 5, .batchSize = 4, .numEpochs = 2}).batchCount(), std::int64_t(3));
    QCOMPARE(Pipeline({.rows = 5, .batchSize = 4}).batchCount(), std::int64_t(-1));
}

void TstPipeline::everyShuffledEpochIsAnotherPermutation()
{
    const auto all =
        batches({.rows = 100, .batchSize = 100, .shuffle = true, .seed = 3, .numEpochs = 3});
    QCOMPARE(all.size(), std::size_t(3));
    for (Rows rows : all) {
        std::sort(rows.begin(), rows.end());
        Rows expected(100);
        std::iota(expected.begin(), expected.end(), 0);
        QCOMPARE(rows, expected);
    }
    QVERIFY(all[0] != all[1] && all[1] != all[2]);
    QCOMPARE(batches({.rows = 100, .batchSize = 100, .shuffle = true, .seed = 3}, 3), all);
    QVERIFY(batches({.rows = 100, .batchSize = 100, .shuffle = true, .seed = 4}, 3) != all);
}

void TstPipeline::resumedPipelineGoesOnIdentically()
{
    const PipelineOptions options{.rows = 23, .batchSize = 7, .shuffle = true, .seed = 9};
    const auto undisturbed = batches(options, 20);
    Pipeline first(options);
    Rows rows;
    for (std::size_t stop = 0; stop < 19; ++stop) {
        QVERIFY(first.next(rows));
        const auto position = positionFromText(toText(options, first.position()), options);
        VERIFY_OK(position);
        Pipeline resumed(options, *position);
        QVERIFY(resumed.next(rows));
        QCOMPARE(rows, undisturbed[stop + 1]);
    }
}

void TstPipeline::batchLargerThanTheDataRepeatsIt()
{
    QCOMPARE(batches({.rows = 2, .batchSize = 5}, 2),
             (std::vector<Rows>{{0, 1, 0, 1, 0}, {1, 0, 1, 0, 1}}));
}

void TstPipeline::sidecarOfOtherDataIsRefused()
{
    const PipelineOptions options{.rows = 10, .batchSize = 4, .shuffle = true, .seed = 9};
    const std::string text = toText(options, {2, 6});
    VERIFY_OK(positionFromText(text, options));
    QCOMPARE(*positionFromText(text, options), (InputPosition{2, 6}));
    PipelineOptions other = options;
    other.rows = 11;
    VERIFY_ERROR(positionFromText(text, other), "data.position_of_other_data");
    other = options;
    other.seed = 1;
    VERIFY_ERROR(positionFromText(text, other), "data.position_of_other_data");
    other = options;
    other.batchSize = 5; // the order of rows does not depend on it
    VERIFY_OK(positionFromText(text, other));
    for (std::size_t length = 0; length + 2 < text.size(); ++length) {
        const auto cut = positionFromText(text.substr(0, length), options);
        QVERIFY2(!cut.has_value() || *cut == InputPosition({2, 6}), text.substr(0, length).c_str());
    }
}

CANNERY_TEST(TstPipeline)
#include "tst_pipeline.moc"
