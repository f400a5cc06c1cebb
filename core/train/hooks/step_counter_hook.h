// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"
#include "core/train/records/summary_recorder.h"

namespace cannery::train {

/// `global_step/sec` every so many steps, as a summary and in the log; not at the first step.
class StepCounterHook : public Hook
{
public:
    StepCounterHook(SummaryRecorder& recorder, std::int64_t everySteps, const Clock& clock);

    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;

private:
    SummaryRecorder* m_recorder;
    SecondOrStepTimer m_timer;
};

} // namespace cannery::train
