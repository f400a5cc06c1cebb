// SPDX-License-Identifier: Apache-2.0
#include "core/export/export_modes.h"
#include "core/export/graph_runner/graph_runner.h"
#include "core/export/served_rows.h"
#include "core/export/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace cannery::exporting {

namespace {

constexpr ErrorKind kEvaluationDisagrees{
    "export.evaluation_disagrees",
    "The evaluation graph of the SavedModel disagrees with the model: over {} rows it returns {} = "
    "{} instead of {}. Nothing was exported."};
constexpr ErrorKind kLacksMetric{
    "export.lacks_metric",
    "The evaluation graph of the SavedModel returns {}, which the model does not have. Nothing was "
    "exported."};

/// Streaming metrics add up in float32 in TensorFlow's graph and in double here.
constexpr double kMetricTolerance = 1e-5;
constexpr std::string_view kMetrics = "metrics/";
constexpr std::string_view kValue = "/value";
constexpr std::string_view kUpdate = "/update_op";

/// The labels as further inputs, by the keys of the receiver.
data::FeatureBatch withLabels(data::FeatureBatch rows)
{
    const bool isOnly = rows.labels.size() == 1;
    for (data::FeatureValues& label : rows.labels) {
        label.name = isOnly ? "label" : label.name;
        rows.features.push_back(std::move(label));
    }
    rows.labels.clear();
    return rows;
}

/// Close enough relative to the larger of the two, or to 1 for values near 0.
bool isSame(double wanted, double got)
{
    if (!std::isfinite(wanted) || !std::isfinite(got)) {
        return wanted == got || (std::isnan(wanted) && std::isnan(got));
    }
    return std::abs(wanted - got) <=
           kMetricTolerance * std::max({1.0, std::abs(wanted), std::abs(got)});
}

/// "auc" of "metrics/auc/value"; "loss" is itself.
std::string metricName(const std::string& output)
{
    if (!output.starts_with(kMetrics)) {
        return output;
    }
    return output.substr(kMetrics.size(), output.size() - kMetrics.size() - kValue.size());
}

Result<void> compareValues(const EvaluationCheck& check, const NamedTensors& values)
{
    for (const auto& [output, tensor] : values) {
        const std::string name = metricName(output);
        const auto expected = std::ranges::find(check.expected, name, &metrics::MetricValue::name);
        if (expected == check.expected.end() || tensor.dtype != DType::Float32 ||
            tensor.shape.elementCount() != 1) {
            return fail(ErrorCode::DataLoss, kLacksMetric, output);
        }
        const auto got = static_cast<double>(tensor.values<float>()[0]);
        if (!isSame(expected->value, got)) {
            return fail(ErrorCode::DataLoss, kEvaluationDisagrees, check.rows.rowCount, name,
                        fmt::format("{:.8g}", got), fmt::format("{:.8g}", expected->value));
        }
    }
    return {};
}

} // namespace

Result<std::int64_t> verifyEvaluation(const std::string& folder, const EvaluationCheck& check)
{
    CANNERY_TRY_ASSIGN(GraphRunner runner, GraphRunner::load(folder, kEvaluationTag));
    const auto signature = runner.signatures().find(kEvaluationTag);
    if (signature == runner.signatures().end()) {
        return 0;
    }
    // The rows are fed once to the updates, then once more for the values: as in TensorFlow, a
    // value reads what the updates have accumulated and does not add the batch itself.
    const data::FeatureBatch rows = withLabels(check.rows);
    const std::optional<ServedRows> served =
        servedTensors(rows, signature->second.inputs, check.numbers);
    if (!served || static_cast<std::int64_t>(served->rows.size()) != rows.rowCount) {
        return 0;
    }
    std::vector<std::string> updates;
    std::vector<std::string> values{"loss"};
    for (const auto& [key, info] : signature->second.outputs) {
        if (key.starts_with(kMetrics)) {
            (key.ends_with(kUpdate) ? updates : values).push_back(key);
        }
    }
    CANNERY_TRY(runner.run(kEvaluationTag, served->inputs, updates));
    CANNERY_TRY_ASSIGN(const NamedTensors results,
                       runner.run(kEvaluationTag, served->inputs, values));
    CANNERY_TRY(compareValues(check, results));
    return static_cast<std::int64_t>(results.size());
}

} // namespace cannery::exporting
