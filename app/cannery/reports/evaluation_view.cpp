// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/evaluation_view.h"

#include "app/cannery/reports/metric_uncertainty.h"
#include "core/base/text_table.h"
#include "core/plan/learners/learner.h"
#include "storage/runs/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

namespace cannery::app {

namespace {

/// Of a line with the metrics of a group.
constexpr std::size_t kWidth = 100;

/// "per_class/busy/recall" is in the table "per_class".
bool isInTable(const train::EvaluationResult& result, std::string_view metric)
{
    return std::any_of(result.tables.begin(), result.tables.end(),
                       [metric](const storage::ResultTable& table) {
                           return metric.starts_with(table.name + "/");
                       });
}

void addLines(std::vector<std::string>& lines, const std::vector<std::string>& header,
              const std::vector<std::vector<std::string>>& rows)
{
    lines.emplace_back();
    for (std::string& line : alignedTable(header, rows)) {
        lines.push_back(std::move(line));
    }
}

/// Counts of rows as such.
std::string numberText(double value)
{
    return value == std::floor(value) && std::fabs(value) >= 2 ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.6f}", value);
}

/// Metrics of a slice from `first` on that fit into a line beside its groups.
std::size_t fittingMetrics(const std::vector<std::size_t>& shown, std::size_t first,
                           const storage::EvaluationSlice& slice)
{
    std::size_t width = fmt::format("{}", fmt::join(slice.columns, ", ")).size();
    for (const storage::SliceGroup& group : slice.groups) {
        width = std::max(width, storage::describe(group).size());
    }
    std::size_t end = first;
    while (end < shown.size()) {
        // Two blanks and a number of eight characters, or the name if it is longer.
        width += 2 + std::max<std::size_t>(8, slice.groups[0].metrics[shown[end]].name.size());
        // At least one metric a line, however long its name.
        if (width > kWidth && end > first) {
            break;
        }
        ++end;
    }
    return end;
}

void addMetric(const std::string& name, double value, reports::ReportList<reports::Metric>& list)
{
    reports::Metric& metric = *list.Add();
    metric.set_key(name);
    metric.set_value(value);
}

void addGroup(const storage::SliceGroup& group, reports::SliceGroup& row)
{
    if (group.merged > 0) {
        row.set_merged(group.merged);
    }
    for (const std::optional<std::string>& value : group.values) {
        reports::Cell& cell = *row.add_values();
        if (value) {
            cell.set_text(*value);
        }
    }
    row.set_rows(group.rows);
    for (const storage::MetricValue& metric : group.metrics) {
        addMetric(metric.name, metric.value, *row.mutable_metrics());
    }
}

} // namespace

std::vector<std::string> metricLines(const train::EvaluationResult& result)
{
    std::vector<std::vector<std::string>> rows;
    for (const metrics::MetricValue& metric : result.metrics) {
        if (!isInTable(result, metric.name)) {
            const std::optional<double> within = uncertaintyOf(result, metric.name);
            rows.push_back({metric.name, fmt::format("{:.6f}", metric.value),
                            within ? fmt::format("± {:.2g}", *within) : std::string()});
        }
    }
    return alignedTable({"metric", "value", "95 %"}, rows);
}

std::vector<std::string> tableLines(const train::EvaluationResult& result)
{
    std::vector<std::string> lines;
    for (const storage::ResultTable& table : result.tables) {
        std::vector<std::string> header{table.name};
        header.insert(header.end(), table.columns.begin(), table.columns.end());
        std::vector<std::vector<std::string>> rows;
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            std::vector<std::string>& cells = rows.emplace_back(1, table.rows[row]);
            for (std::size_t column = 0; column < table.columns.size(); ++column) {
                cells.push_back(numberText(table.values[row * table.columns.size() + column]));
            }
        }
        addLines(lines, header, rows);
    }
    return lines;
}

std::vector<std::string> sliceLines(const train::EvaluationResult& result)
{
    std::vector<std::string> lines;
    for (const storage::EvaluationSlice& slice : result.slices) {
        std::vector<std::size_t> shown;
        for (std::size_t i = 0; !slice.groups.empty() && i < slice.groups[0].metrics.size(); ++i) {
            if (!isInTable(result, slice.groups[0].metrics[i].name)) {
                shown.push_back(i);
            }
        }
        for (std::size_t first = 0; first < shown.size();) {
            const std::size_t end = fittingMetrics(shown, first, slice);
            std::vector<std::string> header{fmt::format("{}", fmt::join(slice.columns, ", ")),
                                            "rows"};
            for (std::size_t i = first; i < end; ++i) {
                header.push_back(slice.groups[0].metrics[shown[i]].name);
            }
            std::vector<std::vector<std::string>> rows;
            for (const storage::SliceGroup& group : slice.groups) {
                std::vector<std::string>& cells = rows.emplace_back();
                cells.push_back(storage::describe(group));
                cells.push_back(std::to_string(group.rows));
                for (std::size_t i = first; i < end; ++i) {
                    cells.push_back(fmt::format("{:.6f}", group.metrics[shown[i]].value));
                }
            }
            addLines(lines, header, rows);
            first = end;
        }
    }
    return lines;
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

reports::ReportList<reports::Metric> metricsReport(const std::vector<metrics::MetricValue>& metrics)
{
    reports::ReportList<reports::Metric> list;
    for (const metrics::MetricValue& metric : metrics) {
        addMetric(metric.name, metric.value, list);
    }
    return list;
}

reports::ReportList<reports::ResultTable>
tablesReport(const std::vector<storage::ResultTable>& tables)
{
    reports::ReportList<reports::ResultTable> list;
    for (const storage::ResultTable& table : tables) {
        reports::ResultTable& written = *list.Add();
        written.set_name(table.name);
        written.mutable_rows()->Assign(table.rows.begin(), table.rows.end());
        written.mutable_columns()->Assign(table.columns.begin(), table.columns.end());
        const auto width = static_cast<std::ptrdiff_t>(table.columns.size());
        auto number = table.values.begin();
        for (std::size_t row = 0; row < table.rows.size(); ++row, number += width) {
            written.add_values()->mutable_numbers()->Assign(number, number + width);
        }
    }
    return list;
}

reports::ReportList<reports::EvaluationSlice>
slicesReport(const std::vector<storage::EvaluationSlice>& slices)
{
    reports::ReportList<reports::EvaluationSlice> list;
    for (const storage::EvaluationSlice& slice : slices) {
        reports::EvaluationSlice& written = *list.Add();
        written.mutable_columns()->Assign(slice.columns.begin(), slice.columns.end());
        for (const storage::SliceGroup& group : slice.groups) {
            addGroup(group, *written.add_groups());
        }
    }
    return list;
}

reports::Evaluation evaluationReport(const train::EvaluationResult& result,
                                     const std::vector<ColumnImportance>& importances)
{
    reports::Evaluation report;
    report.set_checkpoint(result.checkpoint);
    report.set_global_step(result.globalStep);
    report.set_rows(result.rows);
    *report.mutable_metrics() = metricsReport(result.metrics);
    *report.mutable_tables() = tablesReport(result.tables);
    *report.mutable_slices() = slicesReport(result.slices);
    for (const ColumnImportance& importance : importances) {
        reports::ColumnImportance& row = *report.add_importances();
        row.set_column(importance.column);
        row.set_gain(importance.gain);
        row.set_fraction(importance.fraction);
    }
    return report;
}

} // namespace cannery::app
