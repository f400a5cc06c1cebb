// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/logging_hook.h"

#include "core/train/loop/training_loop.h"

namespace cannery::train {

LoggingHook::LoggingHook(std::int64_t everySteps, const Clock& clock)
    : m_timer(Cadence::thinningSteps(everySteps), clock)
{}

Result<void> LoggingHook::afterStep(TrainingLoop& loop, const StepResult& result)
{
    const std::int64_t iteration = m_iteration++;
    if (!m_timer.isDue(iteration)) {
        return {};
    }
    std::string line = fmt::format("loss = {:.8g}, step = {}", result.loss, result.globalStep);
    if (const auto elapsed = m_timer.mark(iteration)) {
        line += fmt::format(" ({:.3f} sec)", elapsed->seconds);
    }
    loop.observer().logged(LogLevel::Info, line);
    return {};
}

std::int64_t LoggingHook::stepsAhead(const TrainingLoop& /*loop*/) const
{
    return m_timer.stepsUntilDue(m_iteration - 1);
}

} // namespace cannery::train
