// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/in_memory_evaluator_hook.h"

#include "core/train/loop/training_loop.h"
#include "core/train/records/eval_history.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <utility>

namespace cannery::train {

InMemoryEvaluatorHook::InMemoryEvaluatorHook(Options options)
    : m_options(std::move(options)),
      m_timer(Cadence::everySteps(m_options.everySteps), *m_options.request.clock)
{}

Result<void> InMemoryEvaluatorHook::begin(TrainingLoop& loop)
{
    // TensorFlow evaluates once before the first step, too.
    return evaluateNow(loop);
}

Result<void> InMemoryEvaluatorHook::afterStep(TrainingLoop& loop, const StepResult& /*result*/)
{
    ++m_iterations;
    // By iterations of this start, not by the global step: as in TensorFlow.
    return m_timer.isDue(m_iterations) ? evaluateNow(loop) : Result<void>();
}

std::int64_t InMemoryEvaluatorHook::stepsAhead(const TrainingLoop& /*loop*/) const
{
    return m_timer.stepsUntilDue(m_iterations);
}

Result<void> InMemoryEvaluatorHook::end(TrainingLoop& loop)
{
    // The last step may have been due.
    return m_evaluatedStep == loop.globalStep() ? Result<void>() : evaluateNow(loop);
}

Result<void> InMemoryEvaluatorHook::evaluateNow(TrainingLoop& loop)
{
    m_timer.mark(m_iterations);
    m_options.request.globalStep = loop.globalStep();
    // The time of an evaluation must not lower the rates of training.
    loop.progress().pause();
    loop.observer().activityChanged("Evaluating");
    CANNERY_TRY_ASSIGN(const std::optional<EvaluationResult> result,
                       evaluate(loop.model(), *m_options.rows, m_options.request));
    loop.observer().activityChanged("");
    loop.progress().resume();
    // Training was stopped during the evaluation, which then has no result.
    if (!result) {
        return {};
    }
    if (!result->note.empty()) {
        loop.observer().logged(LogLevel::Info, result->note);
    }
    m_evaluatedStep = loop.globalStep();
    if (!m_summaries) {
        CANNERY_TRY_ASSIGN(
            m_summaries, SummaryRecorder::create({.modelDir = m_options.modelDir,
                                                  .folder = storage::baseName(
                                                      evalFolder(m_options.modelDir, result->name)),
                                                  .clock = m_options.request.clock,
                                                  .observer = m_options.observer,
                                                  .system = m_options.system}));
    }
    loop.observer().logged(LogLevel::Info, fmt::format("Evaluated the live weights at step {}: {}",
                                                       result->globalStep, describe(*result)));
    return m_summaries->evaluation(*result);
}

} // namespace cannery::train
