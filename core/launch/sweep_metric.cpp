// SPDX-License-Identifier: Apache-2.0
#include "core/launch/sweep_metric.h"

#include "core/estimators/estimator_catalog.h"
#include "core/features/feature_encoder.h"
#include "core/heads/head_catalog.h"
#include "core/spec/canned_head.h"
#include "core/spec/spec_resolver.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

namespace cannery::launch {

namespace {

constexpr ErrorKind kNoMetric{"sweep.no_metric",
                              "No evaluation has the metric '{}' by which the sweep compares its "
                              "runs: set sweep.metric to one of {}."};

/// The estimator's own, as one that learns without a label has it.
Result<std::unique_ptr<heads::Head>> ownHead(const spec::Experiment& experiment,
                                             const std::string& folder)
{
    // How large the numbers of the columns are changes no name.
    const spec::Experiment resolved = spec::resolve(
        experiment,
        {.statistics = [](std::string_view) { return std::optional(spec::ColumnStatistics{}); }});
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(resolved, folder));
    CANNERY_TRY_ASSIGN(const graph::LoweredModel lowered,
                       estimators::lower(resolved, encoder.layout()));
    return heads::makeHead(lowered);
}

} // namespace

Error noSuchMetric(const std::string& metric, const std::vector<std::string>& names)
{
    return error(ErrorCode::NotFound, kNoMetric, metric, fmt::format("{}", fmt::join(names, ", ")))
        .at("sweep.metric");
}

Result<void> checkSweepMetric(const spec::Experiment& experiment, const std::string& metric,
                              const std::string& folder)
{
    const spec::Head described = spec::headOf(experiment.estimator());
    CANNERY_TRY_ASSIGN(const std::unique_ptr<heads::Head> head,
                       described.kind_case() == spec::Head::KIND_NOT_SET
                           ? ownHead(experiment, folder)
                           : heads::makeHead(described));
    const auto& chosen = experiment.eval_spec().metric();
    const std::vector<spec::Metric> wanted(chosen.begin(), chosen.end());
    CANNERY_TRY_ASSIGN(const std::unique_ptr<metrics::MetricSet> set,
                       head->createEvaluationMetrics(wanted));
    std::vector<std::string> names;
    for (const metrics::MetricValue& value : set->results()) {
        names.push_back(value.name);
    }
    if (std::find(names.begin(), names.end(), metric) == names.end()) {
        return tl::make_unexpected(noSuchMetric(metric, names));
    }
    return {};
}

} // namespace cannery::launch
