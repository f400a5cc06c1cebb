// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/plan/last_step.h"
#include "core/plan/memory_limit.h"
#include "tests/core/plan/shard_training.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QScopeGuard>

#include <cmath>
#include <thread>

using namespace cannery;
using namespace cannery::tests;

/// Steps whose batch normalization looks at the batches of all shards.
class TstAcrossShards : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesTheSameBitsForAnyNumberOfThreads();
    void givesTheSameBitsForAnyNumberOfProcesses();
    void givesOtherBitsThanShardsOfTheirOwn();
    void equalsOneBatchOfAllRows();
    void countsTheRowsOfAShortBatchOnly();
    void changesNothingWithoutBatchNormalization();
    void keepsAFarMean();
    void updatesNothingIfTheExchangeFails();
    void appliesNoStepThatOneVotesAgainst();
    void warmStepsDoNotAllocate();
    void isCountedByTheMemoryCheck();
    void tellsHowOftenItWaits();
};

namespace {

/// The loss is a sum over rows, so that batches of any sizes are parts of one.
constexpr char kSum[] =
    "dnn_regressor { feature_columns: ['many_table', 'x'] hidden_units: [6, 5] activation_fn: tanh "
    "batch_norm: true loss_reduction: SUM optimizer { sgd { learning_rate: 0.001 } } }";

plan::ModelOptions across(std::int64_t shards, int threads = 1)
{
    return {
        .maxBatchSize = kShardRows,
        .threads = threads,
        .seed = 5,
        .sharding = {.total = shards, .count = shards, .batchRows = kShardRows, .isAcross = true}};
}

template <typename Values>
void append(Values& values, const Values& more)
{
    values.insert(values.end(), more.begin(), more.end());
}

features::EncodedRows asOneBatch(const Batches& batches)
{
    features::EncodedRows all = batches.front();
    for (std::size_t i = 1; i < batches.size(); ++i) {
        const features::EncodedRows& batch = batches[i];
        all.rowCount += batch.rowCount;
        append(all.labels, batch.labels);
        for (std::size_t block = 0; block < all.dense.size(); ++block) {
            append(all.dense[block].values, batch.dense[block].values);
        }
        for (std::size_t block = 0; block < all.ids.size(); ++block) {
            const auto before = static_cast<std::int64_t>(all.ids[block].ids.size());
            append(all.ids[block].ids, batch.ids[block].ids);
            append(all.ids[block].weights, batch.ids[block].weights);
            for (std::size_t row = 1; row < batch.ids[block].rowOffsets.size(); ++row) {
                all.ids[block].rowOffsets.push_back(before + batch.ids[block].rowOffsets[row]);
            }
        }
    }
    return all;
}

/// The largest difference of any number of their states, relative to numbers above 1.
double difference(plan::Model& a, plan::Model& b)
{
    double most = 0;
    const std::vector<plan::StateTensor> left = a.state();
    const std::vector<plan::StateTensor> right = b.state();
    CANNERY_CHECK(left.size() == right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i].dtype != DType::Float32) {
            continue;
        }
        const std::span<float> values = floatsOf(left[i]);
        const std::span<float> others = floatsOf(right[i]);
        for (std::size_t element = 0; element < values.size(); ++element) {
            const double distance = std::abs(double(values[element]) - double(others[element]));
            most = std::max(most, distance / std::max(1.0, std::abs(double(values[element]))));
        }
    }
    return most;
}

/// Fails one of its calls, and those after it until it is mended.
class Fragile : public plan::GradientExchange
{
public:
    explicit Fragile(int calls) : m_calls(calls) {}

    Result<void> gather(std::span<double>) override { return call(); }
    plan::PackSizes packSizes() const override { return {}; }
    void begin(std::span<float>, bool) override {}
    Result<void> finish(std::span<const plan::SparsePart>) override { return call(); }
    void whenLost(std::function<void()>) override {}
    void mend() { m_calls = -1; }

private:
    Result<void> call()
    {
        if (m_calls == 0) {
            return fail(ErrorCode::Unavailable,
                        ErrorKind{"test.lost_across", "A worker has been lost."});
        }
        --m_calls;
        return {};
    }

    int m_calls;
};

} // namespace

void TstAcrossShards::givesTheSameBitsForAnyNumberOfThreads()
{
    for (const std::string text : {kWide, kSum}) {
        for (const std::int64_t shards : {2, 3, 7, 8}) {
            const ShardOutcome one =
                shardsTrained({.estimator = text, .shards = shards, .isAcross = true});
            for (const int threads : {2, 3, 4, 8, 20}) {
                QVERIFY(shardsTrained({.estimator = text,
                                       .shards = shards,
                                       .threads = threads,
                                       .isAcross = true}) == one);
            }
        }
    }
}

void TstAcrossShards::givesTheSameBitsForAnyNumberOfProcesses()
{
    for (const std::string text : {kWide, kSum}) {
        const ShardTraining training{.estimator = text, .shards = 8, .isAcross = true};
        const ShardOutcome one = shardsTrained(training);
        for (const std::size_t processes : {2, 4, 8}) {
            QVERIFY(trainedByProcesses(training, processes) == one);
        }
    }
}

void TstAcrossShards::givesOtherBitsThanShardsOfTheirOwn()
{
    for (const std::string text : {kWide, kSum}) {
        QVERIFY(shardsTrained({.estimator = text, .shards = 2, .isAcross = true}) !=
                shardsTrained({.estimator = text, .shards = 2}));
    }
}

void TstAcrossShards::equalsOneBatchOfAllRows()
{
    for (const std::string text : {kWide, kSum}) {
        for (const std::int64_t shards : {2, 4}) {
            const auto sharded = toyModel(text, across(shards, 2));
            const auto single = toyModel(text, {.seed = 5});
            VERIFY_OK(sharded);
            VERIFY_OK(single);
            for (int step = 0; step < 20; ++step) {
                const Batches batches = shardBatches(step, 0, shards);
                const auto loss = (*sharded)->train(batches, step);
                VERIFY_OK(loss);
                double expected = (*single)->train(asOneBatch(batches), step);
                if (text == kSum) {
                    expected /= static_cast<double>(shards); // of the batches' losses, the mean
                }
                QVERIFY(std::abs(**loss - expected) < 2e-5 * (1 + std::abs(expected)));
            }
            QVERIFY(difference(**sharded, **single) < 1e-4);
        }
    }
}

void TstAcrossShards::countsTheRowsOfAShortBatchOnly()
{
    const auto sharded = toyModel(kSum, across(2));
    const auto single = toyModel(kSum, {.seed = 5});
    VERIFY_OK(sharded);
    VERIFY_OK(single);
    for (int step = 0; step < 4; ++step) {
        const auto seed = static_cast<std::uint64_t>(step);
        const Batches batches{toyRows(kShardRows, seed), toyRows(1 + step, seed + 100)};
        VERIFY_OK((*sharded)->train(batches, step));
        (*single)->train(asOneBatch(batches), step);
    }
    QVERIFY(difference(**sharded, **single) < 1e-5);
}

void TstAcrossShards::changesNothingWithoutBatchNormalization()
{
    for (const ToyEstimator& estimator : toyEstimators()) {
        const std::string text = estimator.text;
        if (text.find("batch_norm") == std::string::npos) {
            QVERIFY(shardsTrained({.estimator = text, .shards = 4, .isAcross = true}) ==
                    shardsTrained({.estimator = text, .shards = 4}));
        }
    }
}

/// Of numbers around 10,000, whose squares would use up a float's digits.
void TstAcrossShards::keepsAFarMean()
{
    const std::string text = "dnn_regressor { feature_columns: ['x'] hidden_units: [3] "
                             "activation_fn: linear batch_norm: true optimizer { sgd { "
                             "learning_rate: 0.1 } } }";
    const auto sharded = toyModel(text, across(4));
    const auto single = toyModel(text, {.seed = 5});
    VERIFY_OK(sharded);
    VERIFY_OK(single);
    Batches batches = shardBatches(0, 0, 4);
    for (features::EncodedRows& batch : batches) {
        for (float& value : batch.dense.front().values) {
            value += 10'000;
        }
    }
    VERIFY_OK((*sharded)->train(batches, 0));
    (*single)->train(asOneBatch(batches), 0);
    const std::string name = "dnn/hiddenlayer_0/batchnorm_0/moving_";
    for (const char* moment : {"mean", "variance"}) {
        const std::span<float> values = stateOf(**sharded, name + moment);
        const std::span<float> expected = stateOf(**single, name + moment);
        for (std::size_t i = 0; i < values.size(); ++i) {
            QVERIFY(std::abs(values[i] - expected[i]) < 1e-6F * std::abs(expected[i]));
        }
    }
}

void TstAcrossShards::updatesNothingIfTheExchangeFails()
{
    constexpr int kGathers = 4; // of two layers, forward and backward
    std::vector<std::byte> expected;
    for (int calls = 0; calls <= kGathers + 1; ++calls) {
        Fragile exchange(calls);
        plan::ModelOptions options = across(2);
        options.sharding.count = 1;
        options.exchange = &exchange;
        const auto made = toyModel(kWide, options);
        VERIFY_OK(made);
        const std::vector<std::byte> before = allState(**made);
        if (calls <= kGathers) {
            VERIFY_ERROR((*made)->train(shardBatches(0, 0, 1), 0), "test.lost_across");
            QVERIFY(allState(**made) == before);
            exchange.mend();
        }
        VERIFY_OK((*made)->train(shardBatches(0, 0, 1), 0));
        const std::vector<std::byte> after = allState(**made);
        QVERIFY(after != before);
        QVERIFY(expected.empty() || after == expected);
        expected = after;
    }
}

void TstAcrossShards::appliesNoStepThatOneVotesAgainst()
{
    ProcessGroup group(2);
    GroupExchange first(group, 0);
    GroupExchange second(group, 1);
    plan::ModelOptions options = across(4, 2);
    options.sharding.count = 2;
    options.exchange = &first;
    const auto training = toyModel(kWide, options);
    options.sharding.first = 2;
    options.exchange = &second;
    const auto leaving = toyModel(kWide, options);
    VERIFY_OK(training);
    VERIFY_OK(leaving);
    const std::vector<std::byte> before = allState(**training);
    Result<void> voted;
    {
        const std::jthread other([&] { voted = (*leaving)->voteAgainstStep(3); });
        const auto loss = (*training)->train(shardBatches(0, 0, 2), 0);
        VERIFY_OK(loss);
        QVERIFY(!loss->has_value());
    }
    VERIFY_OK(voted);
    QCOMPARE((*training)->lastStep().votes(), 3.0F);
    QCOMPARE((*leaving)->lastStep().votes(), 3.0F);
    QVERIFY(allState(**training) == before);
}

void TstAcrossShards::warmStepsDoNotAllocate()
{
    if (!allocationsAreCounted()) {
        QSKIP("the sanitizer of this build has the allocator to itself");
    }
    for (const std::int64_t shards : {2, 8}) {
        const auto made = toyModel(kWide, across(shards, 3));
        VERIFY_OK(made);
        const Batches some = shardBatches(0, 0, shards);
        const Batches others = shardBatches(1, 0, shards);
        for (int step = 0; step < 4; ++step) {
            VERIFY_OK((*made)->train(step % 2 == 0 ? some : others, step));
        }
        const std::int64_t before = allocationCount();
        bool areApplied = true;
        for (int step = 4; step < 10; ++step) {
            areApplied = areApplied && (*made)->train(step % 2 == 0 ? some : others, step);
        }
        QCOMPARE(allocationCount(), before);
        QVERIFY(areApplied);
    }
}

/// Shards side by side need buffers of their own, whatever the number of threads.
void TstAcrossShards::isCountedByTheMemoryCheck()
{
    qputenv(plan::kMemoryVariable, "600000");
    const auto restore = qScopeGuard([] { qunsetenv(plan::kMemoryVariable); });
    const std::string text =
        "dnn_classifier { feature_columns: ['x'] hidden_units: [100, 100] batch_norm: true "
        "optimizer { sgd { learning_rate: 0.1 } } }";
    plan::ModelOptions options = across(8);
    VERIFY_ERROR(toyModel(text, options), "plan.too_large");
    options.sharding.isAcross = false;
    VERIFY_OK(toyModel(text, options));
}

/// Two layers of 8 and 4, forward and backward: the number of rows, and two sums per column.
void TstAcrossShards::tellsHowOftenItWaits()
{
    for (const std::int64_t shards : {1, 2}) {
        const auto made = toyModel(kWide, across(shards));
        VERIFY_OK(made);
        QCOMPARE((*made)->lastStep().gradientSizes().gathers, 4);
        QCOMPARE((*made)->lastStep().gradientSizes().gathered, 2 * (1 + 2 * 8) + 2 * (1 + 2 * 4));
    }
    const auto made = toyModel(kWide);
    VERIFY_OK(made);
    QCOMPARE((*made)->lastStep().gradientSizes().gathers, 0);
}

CANNERY_TEST(TstAcrossShards)
#include "tst_across_shards.moc"
