// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/summary_saver_hook.h"

#include "core/train/loop/training_loop.h"

#include <utility>

namespace cannery::train {
namespace {

constexpr double kLossSeconds = 1.0;

} // namespace

SummarySaverHook::SummarySaverHook(SummaryRecorder& recorder, std::int64_t everySteps,
                                   const Clock& clock)
    : m_recorder(&recorder), m_clock(&clock), m_timer(Cadence::thinningSteps(everySteps), clock)
{}

Result<void> SummarySaverHook::afterStep(TrainingLoop& loop, const StepResult& result)
{
    const double now = m_clock->steadyTime();
    if (!m_timer.isDue(std::exchange(m_nextStep, {}).value_or(result.globalStep))) {
        if (now < m_lastLossTime + kLossSeconds) {
            return {};
        }
        m_lastLossTime = now;
        return m_recorder->scalar(result.globalStep, "loss", static_cast<float>(result.loss));
    }
    return write(loop, result.globalStep);
}

Result<void> SummarySaverHook::afterPreparation(TrainingLoop& loop, const StepResult& result)
{
    const bool isDue = m_timer.isDue(m_nextStep.value_or(result.globalStep + 1));
    m_nextStep = result.globalStep + (isDue ? 1 : 2);
    return isDue ? write(loop, result.globalStep) : Result<void>();
}

Result<void> SummarySaverHook::write(TrainingLoop& loop, std::int64_t step)
{
    if (!m_timer.lastStep()) {
        CANNERY_TRY(m_recorder->sessionLog(step, storage::SessionStatus::Start));
    }
    m_timer.mark(step);
    m_lastLossTime = m_clock->steadyTime();
    return m_recorder->summaries(step, loop.model().summaries());
}

std::int64_t SummarySaverHook::stepsAhead(const TrainingLoop& loop) const
{
    return m_timer.stepsUntilDue(loop.globalStep());
}

} // namespace cannery::train
