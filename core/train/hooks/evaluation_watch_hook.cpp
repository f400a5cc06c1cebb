// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/evaluation_watch_hook.h"

#include "core/train/checkpoints/checkpoint_store.h"
#include "core/train/loop/training_loop.h"
#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"

#include <utility>

namespace cannery::train {

EvaluationWatchHook::EvaluationWatchHook(const std::string& modelDir, std::string evalDir,
                                         std::function<void(const EvaluationResult&)> evaluated,
                                         const Clock& clock)
    : m_files(modelDir), m_evalDir(std::move(evalDir)), m_evaluated(std::move(evaluated)),
      m_timer(Cadence::everySeconds(1), clock)
{}

/// An earlier training has already reported what is there.
Result<void> EvaluationWatchHook::begin(TrainingLoop& loop)
{
    m_timer.mark(loop.globalStep());
    // A list that cannot be read yet counts as empty: all of it is then reported.
    m_known = m_files.readEvaluations().value_or(std::vector<storage::RunEvaluation>()).size();
    return {};
}

Result<void> EvaluationWatchHook::afterStep(TrainingLoop& loop, const StepResult& result)
{
    if (m_timer.isDue(result.globalStep)) {
        m_timer.mark(result.globalStep);
        look(loop.observer());
    }
    return {};
}

Result<void> EvaluationWatchHook::end(TrainingLoop& loop)
{
    // Evaluations may have come since the last look.
    look(loop.observer());
    return {};
}

void EvaluationWatchHook::look(TrainingObserver& observer)
{
    const std::uint64_t bytes =
        storage::fileSize(storage::joinPath(m_files.folder(), storage::kRunEvaluationsFile))
            .value_or(0);
    // The list only grows, so an equal size means nothing new.
    if (bytes == m_bytes) {
        return;
    }
    const Result<std::vector<storage::RunEvaluation>> all = m_files.readEvaluations();
    if (!all) {
        // It may be half written; the next look finds the rest.
        return;
    }
    m_bytes = bytes;
    for (; m_known < all->size(); ++m_known) {
        publish(observer, (*all)[m_known]);
    }
    // The evaluator writes event files in its own process: their growth is seen here only.
    const Result<std::vector<std::string>> files = storage::listEventFiles(m_evalDir);
    for (const std::string& file : files.value_or(std::vector<std::string>())) {
        observer.fileGrew(file, storage::fileSize(file).value_or(0));
    }
}

void EvaluationWatchHook::publish(TrainingObserver& observer,
                                  const storage::RunEvaluation& evaluation)
{
    EvaluationResult result{.name = evaluation.name,
                            .globalStep = evaluation.globalStep,
                            .checkpoint = checkpointPrefix(m_files.folder(), evaluation.globalStep),
                            // The evaluator has written it to the list already.
                            .isRecorded = true};
    for (const storage::MetricValue& metric : evaluation.metrics) {
        result.metrics.push_back({metric.name, metric.value});
    }
    observer.evaluated(result);
    m_evaluated(result);
}

} // namespace cannery::train
