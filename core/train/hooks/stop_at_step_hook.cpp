// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/stop_at_step_hook.h"

#include "core/train/session.h"

namespace cannery::train {

Result<void> StopAtStepHook::begin(Session& session)
{
    check(session);
    return {};
}

Result<void> StopAtStepHook::afterStep(Session& session, const StepResult&)
{
    check(session);
    return {};
}

void StopAtStepHook::check(Session& session) const
{
    if (session.globalStep() >= m_lastStep) {
        session.requestStop(StopReason::MaxSteps, fmt::format("Reached step {}.", m_lastStep));
    }
}

} // namespace cannery::train
