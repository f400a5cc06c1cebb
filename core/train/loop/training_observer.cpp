// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/training_observer.h"

namespace cannery::train {

std::optional<double> EvaluationResult::find(std::string_view metric) const
{
    for (const metrics::MetricValue& value : metrics) {
        if (value.name == metric) {
            return value.value;
        }
    }
    return std::nullopt;
}

storage::RunEvaluation EvaluationResult::record(double wallTime) const
{
    storage::RunEvaluation evaluation{.name = name,
                                      .globalStep = globalStep,
                                      .wallTime = wallTime,
                                      .tables = tables,
                                      .slices = slices};
    for (const metrics::MetricValue& metric : metrics) {
        evaluation.metrics.push_back({metric.name, metric.value});
    }
    return evaluation;
}

void ObserverList::opened(const std::string& modelDir)
{
    for (TrainingObserver* observer : m_observers) {
        observer->opened(modelDir);
    }
}

void ObserverList::dataLoaded(const DataSummary& data)
{
    for (TrainingObserver* observer : m_observers) {
        observer->dataLoaded(data);
    }
}

void ObserverList::stateChanged(storage::RunState state, const std::string& reason)
{
    for (TrainingObserver* observer : m_observers) {
        observer->stateChanged(state, reason);
    }
}

void ObserverList::started(std::int64_t globalStep, std::optional<std::int64_t> maxSteps)
{
    for (TrainingObserver* observer : m_observers) {
        observer->started(globalStep, maxSteps);
    }
}

void ObserverList::stepDone(std::int64_t globalStep, double loss)
{
    for (TrainingObserver* observer : m_observers) {
        observer->stepDone(globalStep, loss);
    }
}

void ObserverList::progressed(const Progress& progress)
{
    for (TrainingObserver* observer : m_observers) {
        observer->progressed(progress);
    }
}

void ObserverList::workersSeen(const std::vector<reports::TaskStatus>& workers)
{
    for (TrainingObserver* observer : m_observers) {
        observer->workersSeen(workers);
    }
}

void ObserverList::checkpointSaved(std::int64_t globalStep, const std::string& prefix)
{
    for (TrainingObserver* observer : m_observers) {
        observer->checkpointSaved(globalStep, prefix);
    }
}

void ObserverList::checkpointsChanged(const std::vector<storage::RunCheckpoint>& checkpoints)
{
    for (TrainingObserver* observer : m_observers) {
        observer->checkpointsChanged(checkpoints);
    }
}

void ObserverList::evaluated(const EvaluationResult& result)
{
    for (TrainingObserver* observer : m_observers) {
        observer->evaluated(result);
    }
}

void ObserverList::exported(const ExportResult& result)
{
    for (TrainingObserver* observer : m_observers) {
        observer->exported(result);
    }
}

void ObserverList::exportsChanged(const std::vector<storage::RunExport>& exports)
{
    for (TrainingObserver* observer : m_observers) {
        observer->exportsChanged(exports);
    }
}

void ObserverList::scalarLogged(std::string_view folder, std::string_view tag, std::int64_t step,
                                double value)
{
    for (TrainingObserver* observer : m_observers) {
        observer->scalarLogged(folder, tag, step, value);
    }
}

void ObserverList::fileGrew(const std::string& path, std::uint64_t bytes)
{
    for (TrainingObserver* observer : m_observers) {
        observer->fileGrew(path, bytes);
    }
}

void ObserverList::activityChanged(std::string_view activity)
{
    for (TrainingObserver* observer : m_observers) {
        observer->activityChanged(activity);
    }
}

void ObserverList::logged(LogLevel level, std::string_view sentence)
{
    for (TrainingObserver* observer : m_observers) {
        observer->logged(level, sentence);
    }
}

void ObserverList::noted(LogLevel level, std::string_view id, std::string_view sentence)
{
    for (TrainingObserver* observer : m_observers) {
        observer->noted(level, id, sentence);
    }
}

} // namespace cannery::train
