// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/loop/training_observer.h"
#include "core/train/records/eval_history.h"

#include <cstdint>

namespace cannery::train {

/// Ends a training after some evaluations in a row whose loss was not lower than every loss before
/// (`early_stopping_evals` of boosted trees). Counts evaluations, not steps, also those before a
/// resume.
class PatienceHook : public Hook
{
public:
    /// `evaluations` is positive; `known`: those of the run so far.
    PatienceHook(std::int64_t evaluations, EvalHistory known);

    /// To be called with each evaluation.
    void evaluated(const EvaluationResult& evaluation);

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;

private:
    void stopIfDue(TrainingLoop& loop) const;

    std::int64_t m_evaluations;
    EvalHistory m_history;
};

} // namespace cannery::train
