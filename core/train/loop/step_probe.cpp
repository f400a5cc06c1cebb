// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/step_probe.h"

#include "core/base/clock.h"
#include "core/data/pipeline/sharded_input.h"
#include "core/features/usable_rows.h"
#include "core/plan/device/device_training.h"
#include "core/plan/inference.h"
#include "core/plan/last_step.h"
#include "core/plan/learners/learner.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace cannery::train {

namespace {

constexpr std::int64_t kMeasuredRows = 8192;
constexpr int kWarmUpSteps = 2;

/// Trains on the rows, without an end.
class Stepper
{
public:
    explicit Stepper(const StepProbe& probe)
        : m_probe(probe),
          m_input({.pipeline = {.rows = probe.rows.rowCount(), .batchSize = probe.batchSize},
                   .shards = probe.shards,
                   .count = probe.shards}),
          m_numbers(static_cast<std::size_t>(probe.shards)), m_batches(m_numbers.size()),
          m_device(probe.model.device())
    {}

    Result<void> begin()
    {
        plan::Learner* learner = m_probe.model.learner();
        m_readsTable = learner != nullptr && learner->readsTable();
        if (m_readsTable) {
            return learner->setTable(m_probe.rows, m_probe.model.threadPool());
        }
        return m_device == nullptr ? Result<void>() : m_device->setTable(m_probe.rows, {});
    }

    Result<void> takeStep()
    {
        if (m_readsTable) {
            CANNERY_TRY(m_probe.model.train(std::span<const features::EncodedRows>(), m_step++));
            return {};
        }
        m_input.next(m_numbers);
        if (m_device != nullptr && m_device->mostQueued() > 0) {
            return queueStep();
        }
        for (std::size_t shard = 0; shard < m_batches.size(); ++shard) {
            CANNERY_TRY(m_probe.rows.gather(m_numbers[shard], m_batches[shard]));
        }
        CANNERY_TRY(m_probe.model.train(m_batches, m_step++));
        return {};
    }

    /// For steps that an accelerator has taken up.
    Result<void> wait()
    {
        if (std::exchange(m_queued, 0) > 0) {
            CANNERY_TRY(m_device->finish());
        }
        return {};
    }

private:
    Result<void> queueStep()
    {
        CANNERY_TRY(m_device->queue(m_numbers, m_step++));
        ++m_queued;
        return m_queued == m_device->mostQueued() ? wait() : Result<void>();
    }

    const StepProbe& m_probe;
    data::ShardedInput m_input;
    std::vector<std::vector<std::int64_t>> m_numbers;
    std::vector<features::EncodedRows> m_batches;
    plan::DeviceTraining* m_device; ///< null: the CPU trains
    std::int64_t m_step = 0;
    std::int64_t m_queued = 0;
    bool m_readsTable = false;
};

} // namespace

Result<features::EncodedDataset> firstRows(const data::Dataset& dataset,
                                           const features::FeatureEncoder& encoder)
{
    features::EncodedDataset rows(encoder.layout(),
                                  {.memoryLimit = std::numeric_limits<std::uint64_t>::max()});
    const auto policy = features::RowPolicy::of(encoder.experiment().data());
    CANNERY_TRY_ASSIGN(
        const std::unique_ptr<data::FeatureStream> stream,
        dataset.read({.features = encoder.featureKeys(),
                      .labels = encoder.layout().labelWidth > 0 ? data::LabelNeed::Required
                                                                : data::LabelNeed::None,
                      .maxRows = kMeasuredRows,
                      .keepsUnusable = policy.skipsBad}));
    while (rows.rowCount() < kMeasuredRows) {
        CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> batch, stream->next());
        if (!batch) {
            break;
        }
        features::EncodedRows encoded;
        CANNERY_TRY(features::encodeUsable(encoder, policy, *batch, features::Labels::Needed,
                                           dataset.files(), encoded));
        if (encoded.rowCount > 0) {
            CANNERY_TRY(rows.append(encoded));
        }
    }
    return rows;
}

Result<MeasuredSteps> measureSteps(const StepProbe& probe)
{
    Stepper stepper(probe);
    CANNERY_TRY(stepper.begin());
    for (int i = 0; i < kWarmUpSteps; ++i) {
        CANNERY_TRY(stepper.takeStep());
    }
    CANNERY_TRY(stepper.wait());
    MeasuredSteps measured{.low = std::numeric_limits<double>::infinity()};
    double total = 0;
    for (int part = 0; part < probe.parts; ++part) {
        const double begin = systemClock().steadyTime();
        double elapsed = 0;
        int steps = 0;
        while (steps == 0 || elapsed < probe.partSeconds) {
            CANNERY_TRY(stepper.takeStep());
            ++steps;
            const double now = systemClock().steadyTime() - begin;
            measured.each.push_back(now - elapsed);
            elapsed = now;
        }
        CANNERY_TRY(stepper.wait());
        elapsed = systemClock().steadyTime() - begin;
        total += elapsed;
        measured.count += steps;
        measured.low = std::min(measured.low, elapsed / steps);
        measured.high = std::max(measured.high, elapsed / steps);
    }
    measured.seconds = total / measured.count;
    measured.gradients = probe.model.lastStep().gradientSizes();
    return measured;
}

Result<double> measureEvaluation(plan::Model& model, const features::EncodedDataset& rows)
{
    features::EncodedRows batch;
    const std::int64_t count = std::min<std::int64_t>(rows.rowCount(), 1024);
    CANNERY_TRY(rows.gatherRange(0, count, batch));
    const std::unique_ptr<metrics::MetricSet> metrics = model.head().createMetrics();
    model.inference().evaluate(batch, *metrics);
    const double begin = systemClock().steadyTime();
    model.inference().evaluate(batch, *metrics);
    return (systemClock().steadyTime() - begin) / static_cast<double>(count);
}

} // namespace cannery::train
