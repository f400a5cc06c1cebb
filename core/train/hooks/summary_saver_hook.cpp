// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/summary_saver_hook.h"

#include "core/train/training_loop.h"

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
    if (!m_timer.isDue(result.globalStep)) {
        if (now < m_lastLossTime + kLossSeconds) {
            return {};
        }
        m_lastLossTime = now;
        return m_recorder->scalar(result.globalStep, "loss", static_cast<float>(result.loss));
    }
    if (!m_timer.lastStep()) {
        CANNERY_TRY(m_recorder->sessionLog(result.globalStep, storage::SessionStatus::Start));
    }
    m_timer.mark(result.globalStep);
    m_lastLossTime = now;
    return m_recorder->summaries(result.globalStep, loop.model().summaries());
}

std::int64_t SummarySaverHook::stepsAhead(const TrainingLoop& loop) const
{
    return m_timer.stepsUntilDue(loop.globalStep());
}

} // namespace cannery::train
