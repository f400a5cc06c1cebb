// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/insight_hook.h"

#include "core/base/byte_text.h"
#include "core/train/loop/training_loop.h"
#include "core/train/preparation/process_memory.h"

#include <algorithm>

namespace cannery::train {
namespace {

/// Evaluating a row costs some tens of nanoseconds; this many stay far below the cost of a summary.
constexpr std::int64_t kEvaluatedRows = 512;

/// The mean training loss over batches is already in `loss`.
constexpr std::string_view kBatchLoss = "loss";

plan::ModelSummary scalar(const std::string& tag, double value)
{
    return {.tag = "cannery/" + tag, .scalar = static_cast<float>(value)};
}

} // namespace

InsightHook::InsightHook(SummaryRecorder& recorder, std::int64_t everySteps, std::int64_t batchSize,
                         const Clock& clock)
    : m_recorder(&recorder), m_timer(Cadence::thinningSteps(everySteps), clock),
      m_evaluatedSteps(
          std::max<std::int64_t>(1, kEvaluatedRows / std::max<std::int64_t>(1, batchSize)))
{}

Result<void> InsightHook::begin(TrainingLoop& loop)
{
    // The first step is always written, and its norm must be computed with it.
    loop.model().wantGradientNorm(true);
    return {};
}

Result<void> InsightHook::afterStep(TrainingLoop& loop, const StepResult& result)
{
    // Only the last steps before a summary count: others would cost without being shown.
    if (result.globalStep > m_nextDue - m_evaluatedSteps) {
        CANNERY_TRY_ASSIGN(const features::EncodedRows* const batch, loop.batch());
        loop.model().addToMetrics(*batch);
    }
    if (m_timer.isDue(result.globalStep)) {
        CANNERY_TRY(write(loop, result.globalStep));
        m_timer.mark(result.globalStep);
        m_nextDue = result.globalStep + m_timer.stepsAfter(result.globalStep);
    }
    // Norms cost a pass over all gradients, so they are computed for the step of a summary only.
    loop.model().wantGradientNorm(result.globalStep + 1 >= m_nextDue);
    return {};
}

std::int64_t InsightHook::stepsAhead(const TrainingLoop& loop) const
{
    // The step of a summary is measured, and of the evaluated ones all but the first come alone.
    const std::int64_t last = m_nextDue - std::max<std::int64_t>(m_evaluatedSteps - 1, 1);
    return std::max<std::int64_t>(1, last - loop.globalStep());
}

Result<void> InsightHook::write(TrainingLoop& loop, std::int64_t step)
{
    std::vector<plan::ModelSummary> values;
    if (const std::optional<double> norm = loop.model().gradientNorm()) {
        values.push_back(scalar("gradient_norm", *norm));
    }
    const Progress progress = loop.progress().report();
    // Before the first measured step rates are unknown, not 0.
    if (progress.stepsPerSecond > 0) {
        values.push_back(scalar("rows_per_second", progress.rowsPerSecond));
        values.push_back(scalar("input_wait", progress.inputWait));
        values.push_back(scalar("device_busy", progress.deviceBusy));
    }
    // Not every system reports it.
    if (const std::int64_t bytes = residentBytes(); bytes > 0) {
        values.push_back(scalar("memory_mb", static_cast<double>(bytes) / kBytesPerMegabyte));
    }
    for (const metrics::MetricValue& metric : loop.model().takeBatchMetrics()) {
        if (metric.name != kBatchLoss) {
            values.push_back(scalar("train/" + metric.name, metric.value));
        }
    }
    return m_recorder->summaries(step, values);
}

} // namespace cannery::train
