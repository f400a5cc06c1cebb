// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/stop_at_step_hook.h"

#include "core/train/loop/training_loop.h"

#include <algorithm>

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

std::int64_t StopAtStepHook::stepsAhead(const TrainingLoop& loop) const
{
    return std::max<std::int64_t>(1, m_lastStep - loop.globalStep());
}

void StopAtStepHook::check(TrainingLoop& loop) const
{
    if (loop.globalStep() >= m_lastStep) {
        loop.requestStop(StopReason::MaxSteps, fmt::format("Reached step {}.", m_lastStep));
    }
}

} // namespace cannery::train
