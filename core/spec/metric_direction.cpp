// SPDX-License-Identifier: Apache-2.0
#include "core/spec/metric_direction.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/metric_kinds.h"

#include <algorithm>
#include <array>

namespace cannery::spec {

namespace {

// What heads measure by themselves; behind a '/' they name a head or a threshold.
constexpr std::array<std::string_view, 5> kMoreIsBetter{"accuracy", "auc", "auc_precision_recall",
                                                        "precision", "recall"};
constexpr std::array<std::string_view, 3> kLessIsBetter{"average_loss", "loss", "score"};

bool isAmong(std::span<const std::string_view> names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

template <typename Choice>
bool prefersMoreOf(const Experiment& experiment, const Choice& choice)
{
    return choice.has_higher_is_better()
               ? choice.higher_is_better()
               : isMoreBetter(experiment, choice.metric()).value_or(false);
}

} // namespace

std::optional<bool> isMoreBetter(const Experiment& experiment, std::string_view metric)
{
    for (const Metric& chosen : experiment.eval_spec().metric()) {
        if (metricName(chosen) == metric) {
            const MetricKind* kind = findMetricKind(chosen);
            return kind == nullptr ? std::nullopt : kind->isMoreBetter;
        }
    }
    const std::string_view name = metric.substr(0, metric.find('/'));
    if (isAmong(kMoreIsBetter, name)) {
        return true;
    }
    return isAmong(kLessIsBetter, name) ? std::optional(false) : std::nullopt;
}

bool prefersMore(const Experiment& experiment, const Sweep& sweep)
{
    return prefersMoreOf(experiment, sweep);
}

bool prefersMore(const Experiment& experiment, const BestExporter& exporter)
{
    return prefersMoreOf(experiment, exporter);
}

} // namespace cannery::spec
