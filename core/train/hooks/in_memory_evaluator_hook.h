// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/evaluation/evaluator.h"
#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"
#include "core/train/records/summary_recorder.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::train {

/// TensorFlow's InMemoryEvaluatorHook: evaluates the live weights before the first step, every so
/// many steps of this training, and at the end unless that step is already evaluated (TensorFlow
/// evaluates it again). Writes the event file of an evaluation, without a checkpoint_path, and a
/// line of the log. It is not an evaluation of the eval_spec: nothing is exported or kept for it.
///
/// An evaluation overwrites the buffers of the step: to be added after the hooks that read them.
class InMemoryEvaluatorHook : public Hook
{
public:
    struct Options
    {
        std::string modelDir;
        EvaluationRequest request; ///< without a step
        const features::EncodedDataset* rows = nullptr;
        std::int64_t everySteps = 100;
        TrainingObserver* observer = nullptr;
        storage::FileSystem* system = &storage::realFileSystem();
    };

    explicit InMemoryEvaluatorHook(Options options);

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;
    Result<void> end(TrainingLoop& loop) override;

private:
    Result<void> evaluateNow(TrainingLoop& loop);

    Options m_options;
    std::optional<SummaryRecorder> m_summaries;
    SecondOrStepTimer m_timer;
    std::int64_t m_iterations = 0;
    std::optional<std::int64_t> m_evaluatedStep;
};

} // namespace cannery::train
