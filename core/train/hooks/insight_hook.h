// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"
#include "core/train/records/summary_recorder.h"

#include <cstdint>

namespace cannery::train {

/// Summaries that TensorFlow does not write, under names of our own so that comparisons with
/// TensorFlow can leave them out:
///
/// - `cannery/gradient_norm`: the L2 norm of all gradients of the step together, before clipping;
/// - `cannery/rows_per_second`, `cannery/input_wait`, `cannery/device_busy`: the rate over the last
///   seconds, and the fractions of them spent waiting for rows and computing, 0 … 1;
/// - `cannery/memory_mb`: resident memory of the process, in millions of bytes;
/// - `cannery/train/<metric>`: the head's metrics over the last rows before the summary (about 512
///   at most, at least one batch), with dropout and before each step's update.
///
/// Only measures: the bits of a training are the same with and without it.
class InsightHook : public Hook
{
public:
    /// `everySteps` at least 1; `batchSize` determines how many steps provide the rows to evaluate.
    InsightHook(SummaryRecorder& recorder, std::int64_t everySteps, std::int64_t batchSize,
                const Clock& clock);

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;

private:
    Result<void> write(TrainingLoop& loop, std::int64_t step);

    SummaryRecorder* m_recorder;
    SecondOrStepTimer m_timer;
    std::int64_t m_evaluatedSteps; ///< number of steps evaluated before each summary
    std::int64_t m_nextDue = 0;    ///< the first step if 0
};

} // namespace cannery::train
