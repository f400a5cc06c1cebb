// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/decision_metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace cannery::storage {
namespace {

// Parts of names. Whatever has none of them, such as auc or accuracy, is better if it is higher.
constexpr std::array<std::string_view, 8> kLowerIsBetter{
    "loss", "error", "brier_score", "global_norm", "sec/", "wait", "cannery/rmse", "cannery/mae"};
constexpr std::array<std::string_view, 4> kUsual{"auc", "accuracy", "average_loss", "loss"};

/// "\"auc\"" → "auc".
std::string_view unquoted(std::string_view text)
{
    const bool isQuoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return isQuoted ? text.substr(1, text.size() - 2) : text;
}

bool isWatched(std::string_view path)
{
    return (path.find(".stop_if_") != std::string_view::npos && path.ends_with(".metric_name")) ||
           path.ends_with(".best_exporter.metric");
}

const MetricValue* find(const RunEvaluation& evaluation, std::string_view metric)
{
    for (const MetricValue& value : evaluation.metrics) {
        if (value.name == metric) {
            return &value;
        }
    }
    return nullptr;
}

/// The name whose evaluations count.
std::string evaluationName(std::span<const RunEvaluation> evaluations)
{
    const bool hasUnnamed =
        std::any_of(evaluations.begin(), evaluations.end(),
                    [](const RunEvaluation& evaluation) { return evaluation.name.empty(); });
    return hasUnnamed || evaluations.empty() ? std::string() : evaluations.back().name;
}

} // namespace

bool DecisionMetric::isBetter(double value, double than) const
{
    if (std::isnan(value) || std::isnan(than)) {
        return !std::isnan(value);
    }
    return higherIsBetter ? value > than : value < than;
}

bool higherIsBetter(std::string_view metric)
{
    return std::none_of(kLowerIsBetter.begin(), kLowerIsBetter.end(), [&](std::string_view part) {
        return metric.find(part) != std::string_view::npos;
    });
}

std::vector<DecisionMetric> decisionMetrics(std::span<const RunParameter> parameters)
{
    std::vector<DecisionMetric> metrics;
    const auto add = [&](std::string_view name) {
        const auto isSame = [&](const DecisionMetric& known) { return known.name == name; };
        if (std::none_of(metrics.begin(), metrics.end(), isSame)) {
            metrics.push_back({std::string(name), higherIsBetter(name)});
        }
    };
    for (const RunParameter& parameter : parameters) {
        const std::string_view metric = unquoted(parameter.value);
        // What hooks and exporters watch if nothing else was chosen says nothing about the user's
        // aim.
        if (isWatched(parameter.path) && metric != "loss") {
            add(metric);
        }
    }
    for (const std::string_view usual : kUsual) {
        add(usual);
    }
    return metrics;
}

std::optional<DecisionMetric> chooseMetric(std::span<const DecisionMetric> metrics,
                                           const RunEvaluation& evaluation)
{
    for (const DecisionMetric& metric : metrics) {
        if (find(evaluation, metric.name) != nullptr) {
            return metric;
        }
    }
    return std::nullopt;
}

std::optional<BestEvaluation> bestEvaluation(std::span<const RunParameter> parameters,
                                             std::span<const RunEvaluation> evaluations,
                                             const std::function<bool(std::int64_t)>& counts)
{
    const std::string name = evaluationName(evaluations);
    std::map<std::int64_t, const RunEvaluation*> bySteps;
    for (const RunEvaluation& evaluation : evaluations) {
        if (evaluation.name == name) {
            bySteps[evaluation.globalStep] = &evaluation;
        }
    }
    if (bySteps.empty()) {
        return std::nullopt;
    }
    // The newest evaluation has the metrics that the run is evaluated by now.
    const std::optional<DecisionMetric> metric =
        chooseMetric(decisionMetrics(parameters), *bySteps.rbegin()->second);
    std::optional<BestEvaluation> best;
    for (const auto& [step, evaluation] : bySteps) {
        const MetricValue* value = metric ? find(*evaluation, metric->name) : nullptr;
        if (value == nullptr || std::isnan(value->value) || (counts && !counts(step))) {
            continue;
        }
        if (!best || metric->isBetter(value->value, best->value)) {
            best = BestEvaluation{
                .metric = *metric, .evaluation = name, .globalStep = step, .value = value->value};
        }
    }
    return best;
}

std::optional<BestEvaluation> bestCheckpoint(const RunDetails& run)
{
    return bestEvaluation(run.info.parameters, run.evaluations, [&](std::int64_t step) {
        return std::any_of(
            run.checkpoints.begin(), run.checkpoints.end(),
            [&](const RunCheckpoint& checkpoint) { return checkpoint.globalStep == step; });
    });
}

} // namespace cannery::storage
