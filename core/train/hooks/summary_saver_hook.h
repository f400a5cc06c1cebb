// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/second_or_step_timer.h"
#include "core/train/summary_recorder.h"

namespace cannery::train {

/// Writes the model's summaries after the first step, then every so many steps, with the session
/// log's START before the first. For a slow model, also `loss` alone once a second in between.
class SummarySaverHook : public Hook
{
public:
    SummarySaverHook(SummaryRecorder& recorder, std::int64_t everySteps, const Clock& clock);

    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;

private:
    SummaryRecorder* m_recorder;
    const Clock* m_clock;
    SecondOrStepTimer m_timer;
    double m_lastLossTime = 0;
};

} // namespace cannery::train
