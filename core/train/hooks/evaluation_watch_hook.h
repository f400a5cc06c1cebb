// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"
#include "core/train/loop/training_observer.h"
#include "storage/runs/run_files.h"

#include <cstddef>
#include <functional>
#include <string>

namespace cannery::train {

/// In a cluster with an evaluator: reports to the process that trains, and whoever observes it,
/// what the evaluator has recorded in the run's folder meanwhile. Looks about once a second and at
/// the end. A list that cannot be read is looked at again.
class EvaluationWatchHook : public Hook
{
public:
    /// `evalDir`: the folder of the evaluator's event files. `evaluated`: called with each
    /// evaluation.
    EvaluationWatchHook(const std::string& modelDir, std::string evalDir,
                        std::function<void(const EvaluationResult&)> evaluated, const Clock& clock);

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& /*loop*/) const override { return kAnySteps; }
    Result<void> end(TrainingLoop& loop) override;

private:
    void look(TrainingObserver& observer);
    void publish(TrainingObserver& observer, const storage::RunEvaluation& evaluation);

    storage::RunFiles m_files;
    std::string m_evalDir;
    std::function<void(const EvaluationResult&)> m_evaluated;
    SecondOrStepTimer m_timer;
    std::uint64_t m_bytes = 0; ///< of the list when it was last read
    std::size_t m_known = 0;   ///< evaluations in it
};

} // namespace cannery::train
