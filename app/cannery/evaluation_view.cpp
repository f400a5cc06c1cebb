// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/evaluation_view.h"

#include "app/cannery/console.h"
#include "core/base/json_text.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace cannery::app {

std::vector<std::string> metricLines(const train::EvaluationResult& result)
{
    std::vector<std::vector<std::string>> rows;
    for (const metrics::MetricValue& metric : result.metrics) {
        rows.push_back({metric.name, fmt::format("{:.6f}", metric.value)});
    }
    return alignedTable({"metric", "value"}, rows);
}

std::string metricsJson(const std::vector<metrics::MetricValue>& metrics)
{
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const metrics::MetricValue& metric : metrics) {
        if (std::isfinite(metric.value)) {
            json[metric.name] = metric.value;
        } else {
            json[metric.name] = std::isnan(metric.value) ? "NaN"
                                : metric.value > 0       ? "Infinity"
                                                         : "-Infinity";
        }
    }
    return jsonText(json);
}

} // namespace cannery::app
