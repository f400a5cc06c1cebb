// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/plan/last_step.h"
#include "tests/core/plan/shard_training.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QScopeGuard>

#include <cmath>
#include <thread>

using namespace cannery;
using namespace cannery::tests;

/// Steps whose gradients are sums over several batches.
class TstModelShards : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void giveTheSameBitsForAnyNumberOfThreads_data();
    void giveTheSameBitsForAnyNumberOfThreads();
    void giveTheSameBitsForAnyNumberOfProcesses_data()
    {
        giveTheSameBitsForAnyNumberOfThreads_data();
    }
    void giveTheSameBitsForAnyNumberOfProcesses();
    void departInPacksThatAreComplete_data() { giveTheSameBitsForAnyNumberOfThreads_data(); }
    void departInPacksThatAreComplete();
    void areTheMeanOfTheirBatches_data() { giveTheSameBitsForAnyNumberOfThreads_data(); }
    void areTheMeanOfTheirBatches();
    void sumLossesThatAreSums();
    void dropUnitsOfTheirOwn();
    void averageTheMomentsOfTheirBatches();
    void updateNothingIfTheExchangeFails();
    void applyNoStepThatOneVotesAgainst();
    void areCountedByTheMemoryCheck();
    void tellTheSizesOfTheirGradients();
};

namespace {

#ifdef __SANITIZE_THREAD__
// Races show with a few threads; the bits of every number of them are compared without a sanitizer.
const std::vector<std::int64_t> kShardCounts = {3, 8};
const std::vector<int> kThreadCounts = {2, 5};
#else
const std::vector<std::int64_t> kShardCounts = {2, 3, 7, 8};
const std::vector<int> kThreadCounts = {2, 3, 4, 8, 20};
#endif

/// A group of one that remembers what its packs were when they began.
class PackRecorder : public plan::GradientExchange
{
public:
    plan::PackSizes packSizes() const override { return {.first = 100, .others = 300}; }
    Result<void> gather(std::span<double>) override { return {}; }
    void whenLost(std::function<void()>) override {}
    void begin(std::span<float> pack, bool isLast) override
    {
        CANNERY_CHECK(!m_hasLast);
        m_hasLast = isLast;
        packs.push_back(pack);
        m_values.emplace_back(pack.begin(), pack.end());
    }
    Result<void> finish(std::span<const plan::SparsePart>) override
    {
        CANNERY_CHECK(std::exchange(m_hasLast, false));
        for (std::size_t i = 0; i < packs.size(); ++i) {
            CANNERY_CHECK(std::ranges::equal(packs[i], m_values[i]));
        }
        lastStep = std::exchange(packs, {});
        m_values.clear();
        return {};
    }

    std::vector<std::span<float>> packs;
    std::vector<std::span<float>> lastStep;

private:
    std::vector<std::vector<float>> m_values;
    bool m_hasLast = false;
};

} // namespace

void TstModelShards::giveTheSameBitsForAnyNumberOfThreads_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t index = 0; index < toyEstimators().size(); ++index) {
        QTest::newRow(toyEstimators()[index].name) << static_cast<int>(index);
    }
}

void TstModelShards::giveTheSameBitsForAnyNumberOfThreads()
{
    QFETCH(int, index);
    const std::string text = toyEstimators()[static_cast<std::size_t>(index)].text;
    for (const std::int64_t shards : kShardCounts) {
        const ShardOutcome one = shardsTrained({.estimator = text, .shards = shards});
        for (const int threads : kThreadCounts) {
            QVERIFY(shardsTrained({.estimator = text, .shards = shards, .threads = threads}) ==
                    one);
        }
    }
}

void TstModelShards::giveTheSameBitsForAnyNumberOfProcesses()
{
    QFETCH(int, index);
    const std::string text = toyEstimators()[static_cast<std::size_t>(index)].text;
    const ShardOutcome one = shardsTrained({.estimator = text, .shards = 8, .threads = 2});
    for (const std::size_t processes : {2, 4, 8}) {
        QVERIFY(trainedByProcesses({.estimator = text, .shards = 8}, processes) == one);
    }
}

/// Of a step with packs, whatever the number of lanes and of shards in each.
void TstModelShards::departInPacksThatAreComplete()
{
    QFETCH(int, index);
    const std::string text = toyEstimators()[static_cast<std::size_t>(index)].text;
    for (const std::int64_t shards : {1, 2, 5, 8}) {
        const ShardOutcome alone = shardsTrained({.estimator = text, .shards = shards});
        for (const int threads : {1, 2, 8}) {
            PackRecorder recorder;
            QVERIFY(shardsTrained({.estimator = text, .shards = shards, .threads = threads},
                                  &recorder) == alone);
            // From the end to the beginning, without gaps.
            for (std::size_t i = 0; i + 1 < recorder.lastStep.size(); ++i) {
                const std::size_t bytes = recorder.lastStep[i].size_bytes();
                QVERIFY(bytes >= (i == 0 ? 100 : 300));
                QCOMPARE(std::to_address(recorder.lastStep[i + 1].end()),
                         recorder.lastStep[i].data());
            }
        }
    }
}

void TstModelShards::areTheMeanOfTheirBatches()
{
    QFETCH(int, index);
    const std::string text = toyEstimators()[static_cast<std::size_t>(index)].text;
    if (text.find("dropout") != std::string::npos || text.find("clip") != std::string::npos) {
        return; // masks of its own in each shard, see below; gradients are clipped after the sum
    }
    constexpr std::int64_t kShards = 3;
    const auto sharded =
        toyModel(text, {.seed = 5, .sharding = {.total = kShards, .count = kShards}});
    const auto single = toyModel(text, {.seed = 5});
    VERIFY_OK(sharded);
    VERIFY_OK(single);
    const Batches batches = shardBatches(0, 0, kShards);
    std::map<std::string, std::vector<float>> means;
    double loss = 0;
    for (const features::EncodedRows& batch : batches) {
        loss += (*single)->computeGradients(batch, 0) / kShards;
        for (const plan::StateTensor& tensor : (*single)->state()) {
            const std::vector<float> gradient = (*single)->lastStep().gradient(tensor.name);
            std::vector<float>& mean = means[tensor.name];
            mean.resize(gradient.size());
            for (std::size_t i = 0; i < gradient.size(); ++i) {
                mean[i] += gradient[i] / kShards;
            }
        }
    }
    const auto found = (*sharded)->train(batches, 0);
    VERIFY_OK(found);
    QVERIFY(std::abs(**found - loss) < 1e-6 * (1 + std::abs(loss)));
    for (const auto& [name, mean] : means) {
        const std::vector<float> gradient = (*sharded)->lastStep().gradient(name);
        QCOMPARE(gradient.size(), mean.size());
        for (std::size_t i = 0; i < mean.size(); ++i) {
            QVERIFY2(std::abs(gradient[i] - mean[i]) < 2e-6F * (1 + std::abs(mean[i])),
                     name.c_str());
        }
    }
}

/// TensorFlow divides by the number of replicas only what is a mean over each batch.
void TstModelShards::sumLossesThatAreSums()
{
    const std::string linear = "linear_regressor { feature_columns: ['x'] optimizer { sgd { "
                               "learning_rate: 0.01 } } loss_reduction: ";
    const Batches batches = shardBatches(0, 0, 2);
    for (const auto& [reduction, divisor] :
         {std::pair{"SUM", 1.0F}, std::pair{"SUM_OVER_BATCH_SIZE", 2.0F}}) {
        const auto sharded =
            toyModel(linear + reduction + " }", {.sharding = {.total = 2, .count = 2}});
        const auto single = toyModel(linear + reduction + " }");
        VERIFY_OK(sharded);
        VERIFY_OK(single);
        const std::string bias = "linear/linear_model/bias_weights";
        float sum = 0;
        for (const features::EncodedRows& batch : batches) {
            (*single)->computeGradients(batch, 0);
            sum += (*single)->lastStep().gradient(bias)[0];
        }
        VERIFY_OK((*sharded)->train(batches, 0));
        QVERIFY(std::abs((*sharded)->lastStep().gradient(bias)[0] - sum / divisor) <
                1e-5F * std::abs(sum));
    }
}

void TstModelShards::dropUnitsOfTheirOwn()
{
    const auto made =
        toyModel(toyEstimators()[4].text,
                 {.seed = 5, .sharding = {.total = 2, .count = 2, .batchRows = kShardRows}});
    const auto single = toyModel(toyEstimators()[4].text, {.seed = 5});
    VERIFY_OK(made);
    VERIFY_OK(single);
    const features::EncodedRows batch = toyRows(kShardRows, 1);
    const double alone = (*single)->computeGradients(batch, 0);
    const auto together = (*made)->train(Batches{batch, batch}, 0);
    VERIFY_OK(together);
    // With equal masks the mean would be the loss of either.
    QVERIFY(std::abs(**together - alone) > 1e-6);
}

/// As TensorFlow does: each replica normalizes by its own batch, and a checkpoint has the mean of
/// their moving moments.
void TstModelShards::averageTheMomentsOfTheirBatches()
{
    const std::string text =
        "dnn_classifier { feature_columns: ['x'] hidden_units: [4] batch_norm: "
        "true optimizer { sgd { learning_rate: 0.1 } } }";
    const auto sharded = toyModel(text, {.seed = 5, .sharding = {.total = 2, .count = 2}});
    VERIFY_OK(sharded);
    const Batches batches = shardBatches(0, 0, 2);
    VERIFY_OK((*sharded)->train(batches, 0));
    for (const std::string moment : {"moving_mean", "moving_variance"}) {
        const std::string name = "dnn/hiddenlayer_0/batchnorm_0/" + moment;
        std::vector<float> mean(4, 0.0F);
        for (const features::EncodedRows& batch : batches) {
            const auto single = toyModel(text, {.seed = 5});
            VERIFY_OK(single);
            (*single)->train(batch, 0);
            for (std::size_t i = 0; i < mean.size(); ++i) {
                mean[i] += stateOf(**single, name)[i] / 2;
            }
        }
        for (std::size_t i = 0; i < mean.size(); ++i) {
            QVERIFY(std::abs(stateOf(**sharded, name)[i] - mean[i]) < 1e-6F);
        }
    }
}

void TstModelShards::updateNothingIfTheExchangeFails()
{
    class Broken : public plan::GradientExchange
    {
    public:
        Result<void> gather(std::span<double>) override { return {}; }
        void whenLost(std::function<void()>) override {}
        plan::PackSizes packSizes() const override { return {}; }
        void begin(std::span<float> pack, bool) override { pack[0] = 1e9F; }
        Result<void> finish(std::span<const plan::SparsePart>) override
        {
            return isBroken ? fail(ErrorCode::Unavailable,
                                   ErrorKind{"test.lost", "A worker has been lost."})
                            : Result<void>();
        }
        bool isBroken = false;
    };
    for (const ToyEstimator& estimator : toyEstimators()) {
        Broken exchange;
        const auto made =
            toyModel(estimator.text, {.sharding = {.total = 2, .count = 1, .batchRows = kShardRows},
                                      .exchange = &exchange});
        VERIFY_OK(made);
        const std::vector<std::byte> before = allState(**made);
        exchange.isBroken = true;
        VERIFY_ERROR((*made)->train(shardBatches(0, 0, 1), 0), "test.lost");
        QVERIFY(allState(**made) == before);
        exchange.isBroken = false;
        VERIFY_OK((*made)->train(shardBatches(0, 0, 1), 0));
        QVERIFY(allState(**made) != before);
    }
}

void TstModelShards::applyNoStepThatOneVotesAgainst()
{
    ProcessGroup group(2);
    GroupExchange first(group, 0);
    GroupExchange second(group, 1);
    const auto options = [](plan::GradientExchange& exchange, std::int64_t shard) {
        return plan::ModelOptions{
            .sharding = {.total = 2, .first = shard, .count = 1, .batchRows = kShardRows},
            .exchange = &exchange};
    };
    const auto training = toyModel(toyEstimators()[3].text, options(first, 0));
    const auto leaving = toyModel(toyEstimators()[3].text, options(second, 1));
    VERIFY_OK(training);
    VERIFY_OK(leaving);
    const std::vector<std::byte> before = allState(**training);
    Result<void> voted;
    {
        const std::jthread other([&] { voted = (*leaving)->voteAgainstStep(3); });
        const auto loss = (*training)->train(shardBatches(0, 0, 1), 0);
        VERIFY_OK(loss);
        QVERIFY(!loss->has_value());
    }
    VERIFY_OK(voted);
    QCOMPARE((*training)->lastStep().votes(), 3.0F);
    QCOMPARE((*leaving)->lastStep().votes(), 3.0F);
    QVERIFY(allState(**training) == before);
}

void TstModelShards::areCountedByTheMemoryCheck()
{
    qputenv("CANNERY_MEMORY_BYTES", "600000");
    const auto restore = qScopeGuard([] { qunsetenv("CANNERY_MEMORY_BYTES"); });
    const std::string text = "dnn_classifier { feature_columns: ['x'] hidden_units: [100, 100] "
                             "optimizer { sgd { learning_rate: 0.1 } } }";
    VERIFY_OK(toyModel(text, {.threads = 8}));
    VERIFY_ERROR(toyModel(text, {.threads = 8, .sharding = {.total = 8, .count = 8}}),
                 "plan.too_large");
}

void TstModelShards::tellTheSizesOfTheirGradients()
{
    const auto model = toyModel("dnn_classifier { feature_columns: ['x', 'one_table'] "
                                "hidden_units: [4] optimizer { sgd { learning_rate: 0.1 } } }");
    VERIFY_OK(model);
    const Batches batches = shardBatches(0, 0, 1);
    VERIFY_OK((*model)->train(batches, 0));
    const plan::GradientSizes sizes = (*model)->lastStep().gradientSizes();
    // Three floats and three of the embedding to four units, biases, and the logit; besides, what
    // pads each and what shards tell.
    const std::int64_t weights = (3 + 3) * 4 + 4 + 4 + 1;
    QVERIFY(sizes.dense >= weights && sizes.dense < weights + 128);
    QCOMPARE(sizes.sparse.size(), std::size_t{1});
    const plan::GradientSizes::Table& table = sizes.sparse.front();
    QCOMPARE(table.cols, 3);
    QCOMPARE(table.tableRows, 40);
    QVERIFY(table.rows > 10 && table.rows <= kShardRows); // some of 37 random ids are equal
}

CANNERY_TEST(TstModelShards)
#include "tst_model_shards.moc"
