// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/step_counter_hook.h"

#include "core/train/loop/training_loop.h"

namespace cannery::train {

StepCounterHook::StepCounterHook(SummaryRecorder& recorder, std::int64_t everySteps,
                                 const Clock& clock)
    : m_recorder(&recorder), m_timer(Cadence::thinningSteps(everySteps), clock)
{}

Result<void> StepCounterHook::afterStep(TrainingLoop& loop, const StepResult& result)
{
    if (!m_timer.isDue(result.globalStep)) {
        return {};
    }
    const std::optional<SecondOrStepTimer::Elapsed> elapsed = m_timer.mark(result.globalStep);
    if (!elapsed || elapsed->seconds <= 0) {
        return {};
    }
    const double rate = static_cast<double>(elapsed->steps) / elapsed->seconds;
    loop.observer().logged(LogLevel::Info, fmt::format("global_step/sec: {:.6g}", rate));
    return m_recorder->scalar(result.globalStep, "global_step/sec", static_cast<float>(rate));
}

std::int64_t StepCounterHook::stepsAhead(const TrainingLoop& loop) const
{
    return m_timer.stepsUntilDue(loop.globalStep());
}

} // namespace cannery::train
