// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/second_or_step_timer.h"
#include "core/train/summary_recorder.h"

#include <cstdint>

namespace cannery::train {

/// What TensorFlow does not write, beside its summaries and under a name of ours, so that whoever
/// compares with TensorFlow can leave it out:
///
/// - `cannery/gradient_norm`: the L2 norm of all gradients of the step together, before clipping;
/// - `cannery/rows_per_second`, `cannery/input_wait`, `cannery/device_busy`: rate of the last
///   seconds, and the shares of it that waited for rows and that the model calculated, 0 … 1;
/// - `cannery/memory_mb`: resident memory of the process, in millions of bytes;
/// - `cannery/train/<metric>`: the head's metrics over the last rows before the summary (about
///   512 at most, at least one batch), with dropout and before each step's update.
///
/// Measures, never changes: the bits of a training are the same with and without it.
class InsightHook : public Hook
{
public:
    /// `everySteps` at least 1; `batchSize` says how many steps make the rows to be judged.
    InsightHook(SummaryRecorder& recorder, std::int64_t everySteps, std::int64_t batchSize,
                const Clock& clock);

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;

private:
    Result<void> write(TrainingLoop& loop, std::int64_t step);

    SummaryRecorder* m_recorder;
    SecondOrStepTimer m_timer;
    std::int64_t m_judgedSteps; ///< so many before each summary
    std::int64_t m_nextDue = 0; ///< 0: the first step
};

} // namespace cannery::train
