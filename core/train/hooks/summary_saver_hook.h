// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"
#include "core/train/records/summary_recorder.h"

#include <optional>

namespace cannery::train {

/// Writes the model's summaries after the first step, then every so many steps, with the session
/// log's START before the first. A batch that is not a step counts as one, as in TensorFlow. For a
/// slow model, also `loss` alone once a second in between.
class SummarySaverHook : public Hook
{
public:
    SummarySaverHook(SummaryRecorder& recorder, std::int64_t everySteps, const Clock& clock);

    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    Result<void> afterPreparation(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;

private:
    Result<void> write(TrainingLoop& loop, std::int64_t step);

    SummaryRecorder* m_recorder;
    const Clock* m_clock;
    SecondOrStepTimer m_timer;
    double m_lastLossTime = 0;
    /// The step that TensorFlow's hook takes the next batch for, where it errs: it does not know
    /// that the last one was not a step.
    std::optional<std::int64_t> m_nextStep;
};

} // namespace cannery::train
