// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/parsed_experiment.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <array>
#include <mutex>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::allocationCount;
using cannery::tests::allocationsAreCounted;
using cannery::tests::TrainingFixture;

/// "The step loop allocates nothing": counts every malloc of the process from one step to the next,
/// including hooks, input and thread pool.
class TstStepMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsWhatIsAllocated();
    void warmStepsOfATrainingAllocateNothing_data();
    void warmStepsOfATrainingAllocateNothing();
};

namespace {

struct Estimator
{
    const char* name;
    const char* text;
};

// Columns in addition to the fixture's: crosses, buckets, hashes, indicators, shared tables.
constexpr const char* kColumns = R"(
feature_column { name: "c_hot" indicator_column { categorical_column: "c" } }
feature_column { name: "x_raw" numeric_column { key: "x" } }
feature_column { name: "x_bucket" bucketized_column { source_column: "x_raw" boundaries: [2, 5, 8] } }
feature_column { name: "c_x" crossed_column { key { feature: "c" } key { column: "x_bucket" } hash_bucket_size: 50 } }
feature_column { name: "c_x_table" embedding_column { categorical_column: "c_x" dimension: 4 combiner: sqrtn max_norm: 0.8 } }
feature_column { name: "h" categorical_column_with_hash_bucket { key: "c" hash_bucket_size: 100000 } }
feature_column { name: "h_table" embedding_column { categorical_column: "h" dimension: 16 } }
)";

constexpr std::array<Estimator, 14> kEstimators = {{
    {"linear, ftrl, crosses",
     "linear_classifier { feature_columns: ['x', 'x_bucket', 'c_x', 'h'] }"},
    {"linear, adam",
     "linear_regressor { feature_columns: ['x', 'c', 'c_x'] optimizer { adam {} } }"},
    {"linear, momentum, clipped",
     "linear_classifier { feature_columns: ['x', 'c', 'c_x'] optimizer { sgd { momentum: 0.9 } "
     "clipnorm: 0.5 } }"},
    {"dnn, adagrad", "dnn_classifier { feature_columns: ['x', 'c_hot', 'c_x_table', 'h_table'] "
                     "hidden_units: [100, 50] }"},
    {"dnn, wide",
     "dnn_classifier { feature_columns: ['x', 'c_hot', 'h_table'] hidden_units: [512, 256] }"},
    {"dnn, adam, dropout",
     "dnn_regressor { feature_columns: ['x', 'x_bucket', 'h_table'] hidden_units: [32, 16] "
     "dropout: 0.3 optimizer { adam { amsgrad: true } } }"},
    {"dnn, batch norm",
     "dnn_classifier { feature_columns: ['x', 'c_hot', 'h_table'] hidden_units: [32, 16] "
     "batch_norm: true optimizer { nadam {} global_clipnorm: 1 } }"},
    {"dnn, rmsprop, gelu",
     "dnn_classifier { feature_columns: ['x', 'h_table'] hidden_units: [32] activation_fn: gelu "
     "optimizer { rmsprop { centered: true } } }"},
    {"dnn, ftrl, clipped", "dnn_classifier { feature_columns: ['x', 'h_table'] hidden_units: [8] "
                           "activation_fn: selu optimizer { ftrl {} clipvalue: 0.1 } }"},
    {"dnn, schedule",
     "dnn_classifier { feature_columns: ['x'] hidden_units: [8] optimizer { sgd {} "
     "learning_rate_schedule { exponential_decay { learning_rate: 0.1 decay_steps: 10 decay_rate: "
     "0.9 } } } }"},
    {"combined",
     "dnn_linear_combined_classifier { linear_feature_columns: ['c', 'c_x', 'x'] "
     "dnn_feature_columns: ['x', 'h_table', 'c_hot'] dnn_hidden_units: [16, 8] dnn_dropout: 0.1 }"},
    {"combined, regressor",
     "dnn_linear_combined_regressor { linear_feature_columns: ['c_x'] dnn_feature_columns: ['x'] "
     "dnn_hidden_units: [16] batch_norm: true }"},
    {"baseline, classifier", "baseline_classifier {}"},
    {"baseline, regressor", "baseline_regressor { optimizer { adagrad {} } }"},
}};

/// A clock that hardly advances: nothing is due by time.
class CountedClock : public Clock
{
public:
    double wallTime() const override { return 1.6e9; }
    double steadyTime() const override { return 1000; }
};

/// Counts from one step to a later one, both well after the first checkpoint.
class CountingObserver : public TrainingObserver
{
public:
    static constexpr int kWarmSteps = 60;
    static constexpr int kCountedSteps = 40;

    void stepDone(std::int64_t, double) override
    {
        if (!isSaved) {
            return;
        }
        ++steps;
        if (steps == kWarmSteps) {
            before = allocationCount();
        } else if (steps == kWarmSteps + kCountedSteps) {
            counted = allocationCount() - before;
            stop = true;
        }
    }
    void checkpointSaved(std::int64_t, const std::string&) override { isSaved = true; }

    std::atomic<bool> isSaved = false;
    int steps = 0;
    std::int64_t before = 0;
    std::int64_t counted = -1;
    std::atomic<bool> stop = false;
};

} // namespace

void TstStepMemory::countsWhatIsAllocated()
{
    if (!allocationsAreCounted()) {
        QSKIP("The sanitizer has the allocator to itself.");
    }
    const std::int64_t before = allocationCount();
    const auto one = std::make_unique<std::array<int, 100>>();
    const std::unique_ptr<void, void (*)(void*)> two(std::malloc(1000), std::free);
    const std::unique_ptr<void, void (*)(void*)> three(std::aligned_alloc(64, 640), std::free);
    QVERIFY(one != nullptr && two != nullptr && three != nullptr);
    QCOMPARE(allocationCount() - before, std::int64_t{3});
}

void TstStepMemory::warmStepsOfATrainingAllocateNothing_data()
{
    QTest::addColumn<int>("index");
    QTest::addColumn<int>("threads");
    for (std::size_t index = 0; index < kEstimators.size(); ++index) {
        for (const int threads : {1, 2}) {
            QTest::addRow("%s, %d", kEstimators[index].name, threads)
                << static_cast<int>(index) << threads;
        }
    }
}

void TstStepMemory::warmStepsOfATrainingAllocateNothing()
{
    if (!allocationsAreCounted()) {
        QSKIP("The sanitizer has the allocator to itself.");
    }
    QFETCH(int, index);
    QFETCH(int, threads);
    const TrainingFixture fixture;
    const CountedClock clock;
    CountingObserver observer;
    const std::string estimator = kEstimators[static_cast<std::size_t>(index)].text;
    TrainRequest request = fixture.request(
        kColumns, "train_spec { max_steps: 1000000 input { batch_size: 48 shuffle: true } } "
                  "eval_spec { throttle_secs: 0 } run_config { save_checkpoints_steps: 0 "
                  "save_checkpoints_secs: 0 save_summary_steps: 1000000 log_step_count_steps: "
                  "1000000 }");
    const spec::ParsedExperiment parsed = spec::parseExperiment("estimator { " + estimator + " }");
    QVERIFY(!spec::hasErrors(parsed.problems));
    *request.experiment.mutable_estimator() = parsed.experiment.estimator();
    request.threads = threads;
    request.clock = &clock;
    request.observer = &observer;
    request.stop = &observer.stop;
    VERIFY_OK(trainAndEvaluate(request));
    QCOMPARE(observer.counted, std::int64_t{0});
}

CANNERY_TEST(TstStepMemory)
#include "tst_step_memory.moc"
