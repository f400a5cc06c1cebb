// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"

namespace cannery::train {

/// Logs the loss every so many steps of this training, including the first; from the second time on
/// with the seconds since the previous one.
class LoggingHook : public Hook
{
public:
    LoggingHook(std::int64_t everySteps, const Clock& clock);

    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;

private:
    SecondOrStepTimer m_timer;
    std::int64_t m_iteration = 0;
};

} // namespace cannery::train
