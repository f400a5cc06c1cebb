// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/early_stopping_hook.h"

#include "core/train/loop/training_loop.h"

namespace cannery::train {

EarlyStoppingHook::EarlyStoppingHook(std::string evalDir, StopPredicate predicate,
                                     const Cadence& cadence, const Clock& clock,
                                     std::byte& stopVariable)
    : m_evalDir(std::move(evalDir)), m_predicate(std::move(predicate)), m_timer(cadence, clock),
      m_stopVariable(&stopVariable)
{}

Result<void> EarlyStoppingHook::afterStep(TrainingLoop& loop, const StepResult& result)
{
    // TensorFlow queries its timer with the step that was read before the update.
    const std::int64_t step = result.globalStep - 1;
    if (!result.isLatest || !m_timer.isDue(step)) {
        return {};
    }
    m_timer.mark(step);
    CANNERY_TRY_ASSIGN(const EvalHistory history, readEvalHistory(m_evalDir));
    CANNERY_TRY_ASSIGN(std::string reason, m_predicate(history));
    if (!reason.empty()) {
        *m_stopVariable = std::byte{1};
        loop.observer().logged(LogLevel::Info, reason);
        loop.requestStop(StopReason::EarlyStopping, std::move(reason));
    }
    return {};
}

std::int64_t EarlyStoppingHook::stepsAhead(const TrainingLoop& loop) const
{
    return m_timer.stepsUntilDue(loop.globalStep() - 1);
}

} // namespace cannery::train
