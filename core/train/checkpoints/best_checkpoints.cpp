// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/best_checkpoints.h"

#include "core/train/checkpoints/checkpoint_store.h"
#include "core/train/loop/flat_parameters.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cannery::train {
namespace {

/// The earliest of the best.
std::optional<std::int64_t> bestStep(const EvalHistory& history,
                                     const storage::DecisionMetric& metric)
{
    std::optional<std::int64_t> step;
    double best = std::nan("");
    for (const auto& [candidate, metrics] : history) {
        const auto value = metrics.find(metric.name);
        // The comparison with NaN, the first "best", holds for any number; a tie leaves the earlier
        // step.
        if (value != metrics.end() && metric.isBetter(value->second, best)) {
            step = candidate;
            best = value->second;
        }
    }
    return step;
}

/// Hooks and exporters name them, and no field of the data or the model does.
std::vector<storage::DecisionMetric> decidingMetrics(const spec::Experiment& experiment)
{
    // An experiment with only these two messages has no other metric fields to be mistaken for
    // them.
    spec::Experiment naming;
    *naming.mutable_train_spec() = experiment.train_spec();
    *naming.mutable_eval_spec() = experiment.eval_spec();
    return storage::decisionMetrics(flatParameters(naming));
}

} // namespace

BestCheckpoints::BestCheckpoints(std::string modelDir, const spec::Experiment& experiment)
    : m_modelDir(std::move(modelDir)), m_deciding(decidingMetrics(experiment))
{
    for (const spec::Exporter& exporter : experiment.eval_spec().exporter()) {
        if (exporter.has_best_exporter()) {
            m_exporting.push_back(
                {exporter.best_exporter().metric(), exporter.best_exporter().higher_is_better()});
        }
    }
}

Result<BestCheckpoints> BestCheckpoints::open(const std::string& modelDir,
                                              const spec::Experiment& experiment)
{
    BestCheckpoints best(modelDir, experiment);
    CANNERY_TRY_ASSIGN(best.m_history, readRunEvaluations(modelDir, experiment.eval_spec().name()));
    return best;
}

void BestCheckpoints::add(const EvaluationResult& evaluation)
{
    EvalMetrics& metrics = m_history[evaluation.globalStep];
    // A step that is evaluated again, such as after a restart, has its new values only.
    metrics.clear();
    for (const metrics::MetricValue& metric : evaluation.metrics) {
        metrics[metric.name] = metric.value;
    }
}

std::vector<storage::DecisionMetric> BestCheckpoints::metrics() const
{
    std::vector<storage::DecisionMetric> all;
    const EvalMetrics& known = m_history.rbegin()->second;
    const auto isKnown = [&](const storage::DecisionMetric& metric) {
        return known.find(metric.name) != known.end();
    };
    // The first that the evaluations have decides, as for a run's best evaluation elsewhere.
    const auto decides = std::find_if(m_deciding.begin(), m_deciding.end(), isKnown);
    if (decides != m_deciding.end()) {
        all.push_back(*decides);
    }
    for (const storage::DecisionMetric& metric : m_exporting) {
        // One name for each: exporters often watch the metric that decides.
        if (isKnown(metric) && std::find(all.begin(), all.end(), metric) == all.end()) {
            all.push_back(metric);
        }
    }
    return all;
}

std::map<std::int64_t, std::string> BestCheckpoints::best()
{
    // Evaluations whose checkpoint was deleted are dropped.
    std::erase_if(m_history, [&](const auto& entry) {
        return !storage::checkpointExists(checkpointPrefix(m_modelDir, entry.first));
    });
    std::map<std::int64_t, std::string> best;
    if (m_history.empty()) {
        return best;
    }
    for (const storage::DecisionMetric& metric : metrics()) {
        if (const std::optional<std::int64_t> step = bestStep(m_history, metric)) {
            std::string& names = best[*step];
            names += (names.empty() ? "" : ", ") + metric.name;
        }
    }
    return best;
}

} // namespace cannery::train
