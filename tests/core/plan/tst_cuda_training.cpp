// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoded_dataset.h"
#include "core/plan/device/device_evaluation.h"
#include "core/plan/inference.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/emulated_device/emulated_device.h"
#include "tests/support/recording_runtime/recorded_accelerator.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <numeric>

using namespace cannery;
using namespace cannery::tests;

/// What a model learns by the accelerator of CUDA, whose streams run what they may in any order,
/// against the emulated device.
class TstCudaTraining : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hasTheBitsOfTheEmulatedDevice_data();
    void hasTheBitsOfTheEmulatedDevice();
};

namespace {

constexpr int kCudaSteps = 4;

/// Losses and state after a few steps, and logits of an evaluation in their midst.
struct TrainedModel
{
    std::vector<double> losses;
    std::vector<std::byte> state;
    std::vector<float> logits;
    bool operator==(const TrainedModel&) const = default;
};

/// Logits of some batches that are queued together.
Result<std::vector<float>> evaluateOn(plan::Model& model, kernels::Accelerator& accelerator)
{
    features::EncodedDataset rows(toyLayout(), {});
    CANNERY_TRY(rows.append(toyRows(4 * kCudaSteps, 7)));
    CANNERY_TRY_ASSIGN(const auto evaluation,
                       model.inference().createDeviceEvaluation(
                           {.accelerator = accelerator, .rows = rows, .batchRows = kCudaSteps}));
    CANNERY_TRY(evaluation->begin());
    for (std::int64_t first = 0; first < rows.rowCount(); first += kCudaSteps) {
        std::vector<std::int64_t> batch(kCudaSteps);
        std::iota(batch.begin(), batch.end(), first);
        CANNERY_TRY(evaluation->queue(batch));
    }
    CANNERY_TRY(evaluation->finish());
    std::vector<float> logits;
    for (std::int64_t batch = 0; batch < evaluation->finished(); ++batch) {
        const std::span<const float> values = evaluation->batch(batch).logits.flat();
        logits.insert(logits.end(), values.begin(), values.end());
    }
    return logits;
}

Result<TrainedModel> trainOn(const std::string& estimator, kernels::Accelerator& accelerator)
{
    CANNERY_TRY_ASSIGN(const auto model,
                       toyModel(estimator, {.seed = 5, .accelerator = &accelerator}));
    TrainedModel trained{.losses = trainSteps(*model, 0, kCudaSteps)};
    CANNERY_TRY_ASSIGN(trained.logits, evaluateOn(*model, accelerator));
    trainSteps(*model, kCudaSteps, 2 * kCudaSteps);
    trained.state = allState(*model);
    return trained;
}

} // namespace

void TstCudaTraining::hasTheBitsOfTheEmulatedDevice_data()
{
    QTest::addColumn<QString>("estimator");
    for (const std::string& name : toyNames()) {
        QTest::newRow(name.c_str()) << QString::fromStdString(toyEstimator(name));
    }
    QTest::newRow("k-means") << "kmeans { feature_columns: ['x', 'heavy_hot'] num_clusters: 3 "
                                "use_mini_batch: false }";
    QTest::newRow("k-means in iterations")
        << "kmeans { feature_columns: ['x', 'one_hot'] num_clusters: 3 distance_metric: cosine "
           "mini_batch_steps_per_iteration: 3 }";
}

void TstCudaTraining::hasTheBitsOfTheEmulatedDevice()
{
    QFETCH(QString, estimator);
    EmulatedDevice emulated;
    const auto expected = trainOn(estimator.toStdString(), emulated);
    VERIFY_OK(expected);
    for (const RunOrder order : {RunOrder::AsQueued, RunOrder::FirstStream, RunOrder::LastStream}) {
        RuntimeJournal journal;
        const RecordingOptions options{.order = order};
        auto device = recordedAccelerator(journal, options);
        VERIFY_OK(device);
        const auto trained = trainOn(estimator.toStdString(), **device);
        VERIFY_OK(trained);
        QVERIFY(*trained == *expected);
        device->reset();
        QVERIFY2(journal.mistakes.empty(),
                 journal.mistakes.empty() ? "" : journal.mistakes.front().c_str());
        QCOMPARE(journal.leaks, 0);
    }
}

CANNERY_TEST(TstCudaTraining)
#include "tst_cuda_training.moc"
