// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/features/encoded_dataset.h"
#include "core/plan/device/device_evaluation.h"
#include "core/plan/device/tree_device.h"
#include "core/plan/inference.h"
#include "core/plan/learners/learner.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/recording_runtime/recorded_accelerator.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <numeric>

using namespace cannery;
using namespace cannery::tests;

using Call = EmulatedCall::Kind;

/// Trees that grow leaf by leaf, whose large leaves a GPU sums, against the same ones on the CPU.
class TstDeviceTrees : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void growsTheTreesOfTheCpu_data() { addEstimators(); }
    void growsTheTreesOfTheCpu();
    void leavesSmallLeavesToTheCpu();
    void bringsUpTheTableOnceAndGradientsOnceATree();
    void bringsUpRowNumbersInParts();
    void hasTheSameBitsInEachOrderOfStreams();
    void movesBetweenCpuAndGpu_data() { addEstimators(); }
    void movesBetweenCpuAndGpu();
    void learnsNothingWithALostGpu_data();
    void learnsNothingWithALostGpu();
    void refusesATableThatDoesNotFit();
    void refusesWhereMemoryIsGone();
    void refusesTreesThatGrowLayerByLayer();
    void refusesReplicas();
    void isEvaluatedByTheCpu();

private:
    static void addEstimators();
};

namespace {

constexpr int kTreeSteps = 4;
constexpr std::int64_t kTreeRows = 24'000; ///< so that a GPU sums some leaves, and the CPU others
constexpr const char* kClassifier = "boosted_trees_classifier { feature_columns: ['x', 'one'] "
                                    "n_trees: 9 histogram { max_leaves: 9 } }";
constexpr const char* kThreeClasses =
    "boosted_trees_classifier { feature_columns: ['x', 'one'] n_classes: 3 n_trees: 9 "
    "histogram { max_leaves: 7 } }";

/// Whose label depends on the numbers.
const features::EncodedDataset& treeTable()
{
    static const features::EncodedDataset rows = [] {
        features::EncodedRows batch = toyRows(kTreeRows, 3);
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const float* const x = batch.dense[0].values.data() + 3 * row;
            batch.labels[row] = x[0] + 0.3F * x[1] * x[2] > 0.1F ? 1.0F : 0.0F;
        }
        features::EncodedDataset dataset(toyLayout(), {});
        CANNERY_CHECK(dataset.append(batch).has_value());
        return dataset;
    }();
    return rows;
}

/// A model that is ready for its first step.
Result<std::unique_ptr<plan::Model>> begunTrees(const std::string& estimator,
                                                kernels::Accelerator* accelerator, int threads = 1)
{
    CANNERY_TRY_ASSIGN(
        std::unique_ptr<plan::Model> model,
        toyModel(estimator, {.threads = threads, .seed = 5, .accelerator = accelerator}));
    CANNERY_TRY(model->learner()->setTable(treeTable(), model->threadPool()));
    return model;
}

/// Steps [first, end); the losses.
Result<std::vector<double>> growTrees(plan::Model& model, int first, int end)
{
    std::vector<double> losses;
    for (int step = first; step < end; ++step) {
        CANNERY_TRY_ASSIGN(const std::optional<double> loss,
                           model.train(std::span<const features::EncodedRows>(), step));
        losses.push_back(loss.value());
    }
    return losses;
}

/// How many uploads there were of as many bytes.
std::ptrdiff_t uploadsOfSize(const EmulatedDevice& device, std::int64_t bytes)
{
    return std::ranges::count_if(device.calls(), [bytes](const EmulatedCall& call) {
        return call.kind == Call::Upload && call.bytes == bytes;
    });
}

} // namespace

void TstDeviceTrees::addEstimators()
{
    QTest::addColumn<QString>("estimator");
    QTest::newRow("classifier") << kClassifier;
    QTest::newRow("three classes") << kThreeClasses;
    QTest::newRow("regressor") << "boosted_trees_regressor { feature_columns: ['x', 'one'] "
                                  "n_trees: 9 center_bias: true histogram {} }";
    QTest::newRow("any head") << "boosted_trees_estimator { feature_columns: ['x'] n_trees: 9 "
                                 "head { regression_head {} } max_depth: 3 histogram {} }";
    QTest::newRow("some rows and columns")
        << "boosted_trees_regressor { feature_columns: ['x', 'one_hot'] n_trees: 9 histogram { "
           "max_leaves: 12 row_fraction: 0.8 column_fraction: 0.4 } }";
    QTest::newRow("few bins") << "boosted_trees_classifier { feature_columns: ['x', 'one_hot'] "
                                 "n_trees: 9 histogram { max_bins: 5 max_leaves: 30 } }";
}

void TstDeviceTrees::growsTheTreesOfTheCpu()
{
    QFETCH(QString, estimator);
    const auto cpu = begunTrees(estimator.toStdString(), nullptr);
    VERIFY_OK(cpu);
    const auto expected = growTrees(**cpu, 0, kTreeSteps);
    VERIFY_OK(expected);
    QVERIFY(expected->front() > expected->back());
    for (const int threads : {1, 2}) {
        EmulatedDevice device({.watches = true});
        const auto gpu = begunTrees(estimator.toStdString(), &device, threads);
        VERIFY_OK(gpu);
        QVERIFY((*gpu)->learner()->tableBytes() > 0);
        QVERIFY((*gpu)->device() == nullptr);
        const auto losses = growTrees(**gpu, 0, kTreeSteps);
        VERIFY_OK(losses);
        QCOMPARE(*losses, *expected);
        QVERIFY(allState(**gpu) == allState(**cpu));
        QVERIFY(countOf(device, Call::Launch) > kTreeSteps);
    }
}

void TstDeviceTrees::leavesSmallLeavesToTheCpu()
{
    const std::string estimator = "boosted_trees_regressor { feature_columns: ['x', 'one'] "
                                  "n_trees: 1 histogram { max_leaves: 200 } }";
    EmulatedDevice device;
    const auto gpu = begunTrees(estimator, &device);
    const auto cpu = begunTrees(estimator, nullptr);
    VERIFY_OK(gpu);
    VERIFY_OK(cpu);
    device.forgetCalls();
    VERIFY_OK(growTrees(**gpu, 0, 1));
    VERIFY_OK(growTrees(**cpu, 0, 1));
    QVERIFY(allState(**gpu) == allState(**cpu));
    // The root has all rows; of the parts of a leaf only the smaller is summed.
    const std::ptrdiff_t sums = countOf(device, Call::Launch);
    QVERIFY2(sums >= 1 && sums <= 3, QByteArray::number(static_cast<int>(sums)).constData());
}

void TstDeviceTrees::bringsUpTheTableOnceAndGradientsOnceATree()
{
    constexpr std::int64_t kBytesOfGradients = kTreeRows * std::int64_t{sizeof(std::uint64_t)};
    constexpr std::int64_t kBytesOfBins = kTreeRows * 4; // of four columns
    EmulatedDevice device;
    const auto gpu = begunTrees(kThreeClasses, &device);
    VERIFY_OK(gpu);
    QCOMPARE(uploadsOfSize(device, kBytesOfBins), 1);
    QCOMPARE(countOf(device, Call::Prepare), 2);
    device.forgetCalls();
    VERIFY_OK(growTrees(**gpu, 0, kTreeSteps));
    const std::ptrdiff_t sums = countOf(device, Call::Launch);
    constexpr std::ptrdiff_t kTrees = 3 * kTreeSteps;
    QCOMPARE(uploadsOfSize(device, kBytesOfGradients), kTrees);
    QCOMPARE(uploadsOfSize(device, kBytesOfBins), 0);
    QVERIFY(sums > kTrees);
    // Of a root, which has all rows, no row numbers go up; of another leaf no gradients.
    QCOMPARE(countOf(device, Call::Upload), sums);
    QCOMPARE(countOf(device, Call::Download), sums);
    QCOMPARE(countOf(device, Call::Synchronize), sums);
    QCOMPARE(countOf(device, Call::Allocate) + countOf(device, Call::AllocatePinned), 0);
}

void TstDeviceTrees::bringsUpRowNumbersInParts()
{
    constexpr std::int64_t kRows = (std::int64_t{1} << 20) + 10;
    constexpr std::int64_t kNumbers = 11;
    std::vector<float> numbers;
    for (std::int64_t row = 0; row < kRows; ++row) {
        numbers.push_back(static_cast<float>(row % kNumbers));
    }
    trees::HistogramTable bins({trees::numberColumn(numbers, 256)}, kRows);
    bins.setNumbers(0, 0, kRows, numbers.data(), 1);
    EmulatedDevice device;
    kernels::ThreadPool pool(2);
    const auto sums = plan::TreeDevice::create(device, bins, pool);
    VERIFY_OK(sums);
    std::ranges::fill((*sums)->gradients(), kernels::packGradient(-3, 2));
    (*sums)->beginTree();
    std::vector<std::uint32_t> rows(static_cast<std::size_t>(kRows - 1)); // all but row 0
    std::iota(rows.begin(), rows.end(), 1U);
    device.forgetCalls();
    (*sums)->add(rows);
    QCOMPARE(countOf(device, Call::Upload), 3); // gradients, and two parts
    const auto found = (*sums)->finish();
    VERIFY_OK(found);
    const auto binCount = static_cast<std::size_t>(bins.binCount());
    QCOMPARE(found->size(), 3 * binCount);
    for (std::size_t bin = 0; bin < binCount; ++bin) {
        const auto wanted =
            std::ranges::count_if(rows, [bin](std::uint32_t row) { return row % kNumbers == bin; });
        QCOMPARE((*found)[bin], -3 * wanted);
        QCOMPARE((*found)[binCount + bin], 2 * wanted);
        QCOMPARE((*found)[2 * binCount + bin], wanted);
    }
}

void TstDeviceTrees::hasTheSameBitsInEachOrderOfStreams()
{
    const auto cpu = begunTrees(kClassifier, nullptr);
    VERIFY_OK(cpu);
    VERIFY_OK(growTrees(**cpu, 0, kTreeSteps));
    for (const RunOrder order : {RunOrder::AsQueued, RunOrder::FirstStream, RunOrder::LastStream}) {
        RuntimeJournal journal;
        const RecordingOptions options{.order = order};
        auto device = recordedAccelerator(journal, options);
        VERIFY_OK(device);
        auto gpu = begunTrees(kClassifier, device->get());
        VERIFY_OK(gpu);
        VERIFY_OK(growTrees(**gpu, 0, kTreeSteps));
        QVERIFY(allState(**gpu) == allState(**cpu));
        gpu->reset();
        device->reset();
        QVERIFY2(journal.mistakes.empty(),
                 journal.mistakes.empty() ? "" : journal.mistakes.front().c_str());
        QCOMPARE(journal.leaks, 0);
    }
}

void TstDeviceTrees::movesBetweenCpuAndGpu()
{
    QFETCH(QString, estimator);
    EmulatedDevice device;
    const auto whole = begunTrees(estimator.toStdString(), nullptr);
    VERIFY_OK(whole);
    VERIFY_OK(growTrees(**whole, 0, kTreeSteps));
    auto last = begunTrees(estimator.toStdString(), nullptr);
    VERIFY_OK(last);
    VERIFY_OK(growTrees(**last, 0, 1));
    for (int step = 1; step < kTreeSteps; ++step) {
        auto next = begunTrees(estimator.toStdString(), step % 2 == 1 ? &device : nullptr);
        VERIFY_OK(next);
        copyState(**last, **next);
        VERIFY_OK(growTrees(**next, step, step + 1));
        last = std::move(next);
    }
    QVERIFY(allState(**last) == allState(**whole));
}

void TstDeviceTrees::learnsNothingWithALostGpu_data()
{
    QTest::addColumn<int>("launch");
    for (const int launch : {1, 2, 4, 6}) {
        QTest::newRow(QByteArray::number(launch).constData()) << launch;
    }
}

/// Whichever tree of a step's three it was for.
void TstDeviceTrees::learnsNothingWithALostGpu()
{
    QFETCH(int, launch);
    EmulatedDevice device({.loseAtLaunch = launch});
    const auto gpu = begunTrees(kThreeClasses, &device);
    VERIFY_OK(gpu);
    const std::vector<std::byte> before = allState(**gpu);
    const auto lost = growTrees(**gpu, 0, 1);
    VERIFY_ERROR(lost, "gpu.lost");
    QVERIFY(allState(**gpu) == before);
    VERIFY_ERROR(growTrees(**gpu, 0, 1), "gpu.lost");
}

void TstDeviceTrees::refusesATableThatDoesNotFit()
{
    constexpr std::int64_t kBytes = 100'000;
    EmulatedDevice device({.memoryBytes = kBytes});
    const auto model = begunTrees(kClassifier, &device);
    VERIFY_ERROR(model, "gpu.no_room_for_trees");
    QVERIFY(model.error().sentence.starts_with(
        "The table of training rows as bins does not fit into the GPU's memory: "));
    QVERIFY(QString::fromStdString(model.error().sentence).contains("CPU:0"));
    QCOMPARE(countOf(device, Call::Allocate), 0);
}

/// To another program, which has been quicker.
void TstDeviceTrees::refusesWhereMemoryIsGone()
{
    EmulatedDevice device({.failAllocation = 1});
    VERIFY_ERROR(begunTrees(kClassifier, &device), "gpu.no_room_for_trees");
}

void TstDeviceTrees::refusesTreesThatGrowLayerByLayer()
{
    EmulatedDevice device;
    const auto model = toyModel("boosted_trees_classifier { feature_columns: ['x'] n_trees: 2 "
                                "n_batches_per_layer: 1 }",
                                {.accelerator = &device});
    VERIFY_ERROR(model, "plan.not_on_gpu");
    QVERIFY(QString::fromStdString(model.error().message()).contains("without histogram"));
}

void TstDeviceTrees::refusesReplicas()
{
    EmulatedDevice device;
    EmulatedDevice peer;
    VERIFY_ERROR(toyModel(kClassifier, {.sharding = {.total = 2, .count = 2, .batchRows = 8},
                                        .accelerator = &device,
                                        .peers = {&peer}}),
                 "plan.learns_alone");
}

void TstDeviceTrees::isEvaluatedByTheCpu()
{
    EmulatedDevice device;
    const auto model = begunTrees(kClassifier, &device);
    VERIFY_OK(model);
    VERIFY_ERROR((*model)->inference().createDeviceEvaluation(
                     {.accelerator = device, .rows = treeTable(), .batchRows = 10}),
                 "plan.not_evaluated_on_gpu");
}

CANNERY_TEST(TstDeviceTrees)
#include "tst_device_trees.moc"
