// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/stop_at_step_hook.h"

#include "core/train/training_loop.h"

namespace cannery::train {

Result<void> StopAtStepHook::begin(TrainingLoop& loop)
{
    check(loop);
    return {};
}

Result<void> StopAtStepHook::afterStep(TrainingLoop& loop, const StepResult&)
{
    check(loop);
    return {};
}

void StopAtStepHook::check(TrainingLoop& loop) const
{
    if (loop.globalStep() >= m_lastStep) {
        loop.requestStop(StopReason::MaxSteps, fmt::format("Reached step {}.", m_lastStep));
    }
}

} // namespace cannery::train
