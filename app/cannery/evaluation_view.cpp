// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/evaluation_view.h"

#include "app/cannery/console.h"
#include "core/base/json_text.h"
#include "core/plan/learner.h"

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

std::vector<ColumnImportance> importancesOf(plan::Model& model)
{
    std::vector<ColumnImportance> importances;
    if (model.learner() == nullptr) {
        return importances;
    }
    double all = 0;
    for (const auto& [column, gain] : model.learner()->importances()) {
        importances.push_back({.column = column, .gain = gain});
        all += gain;
    }
    for (ColumnImportance& importance : importances) {
        importance.fraction = all > 0 ? importance.gain / all : 0;
    }
    return importances;
}

std::vector<std::string> importanceLines(const std::vector<ColumnImportance>& importances)
{
    std::vector<std::vector<std::string>> rows;
    for (const ColumnImportance& importance : importances) {
        rows.push_back({importance.column, fmt::format("{:.6f}", importance.gain),
                        fmt::format("{:.1f} %", 100 * importance.fraction)});
    }
    return alignedTable({"column", "gain", "of all"}, rows);
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
