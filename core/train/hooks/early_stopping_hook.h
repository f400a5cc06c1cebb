// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"
#include "core/train/records/eval_history.h"

#include <functional>
#include <string>

namespace cannery::train {

/// Returns the reason if the evaluations so far call for stopping; an empty text continues.
using StopPredicate = std::function<Result<std::string>(const EvalHistory&)>;

/// TensorFlow's make_early_stopping_hook on a single machine: at its cadence it applies the
/// predicate to the evaluations in a folder's event files, and sets the variable
/// `signal_early_stopping/STOP`, which is stored in every checkpoint.
class EarlyStoppingHook : public Hook
{
public:
    /// `stopVariable` is set to 1 when training is stopped; it must outlive the hook.
    EarlyStoppingHook(std::string evalDir, StopPredicate predicate, const Cadence& cadence,
                      const Clock& clock, std::byte& stopVariable);

    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;

private:
    std::string m_evalDir;
    StopPredicate m_predicate;
    SecondOrStepTimer m_timer;
    std::byte* m_stopVariable;
};

} // namespace cannery::train
