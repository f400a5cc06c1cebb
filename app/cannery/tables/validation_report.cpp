// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/validation_report.h"

#include "core/base/json_text.h"
#include "core/base/text_table.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace cannery::app {

namespace {

using Json = nlohmann::ordered_json;

std::string typeText(const data::ColumnSchema& column)
{
    return column.listOf ? fmt::format("list of {}", name(*column.listOf))
                         : std::string(name(column.dtype));
}

/// A row of the table of columns.
std::vector<std::string> cellsOf(const data::ColumnSchema& column,
                                 const data::ColumnStatistics& one, std::uint64_t rows)
{
    // A text has no mean, and a column without values no numbers.
    const bool isNumber = column.dtype != DType::String && one.count > 0;
    const auto number = [&](double value) {
        return isNumber ? fmt::format("{:.6g}", value) : std::string();
    };
    const double present =
        rows == 0 ? 0.0 : 100.0 * static_cast<double>(one.count) / static_cast<double>(rows);
    return {column.name,
            typeText(column),
            fmt::format("{:.4g} %", present),
            fmt::format("{}{}", one.distinctIsExact ? "" : "about ", one.distinct),
            number(one.min),
            number(one.mean),
            number(one.max)};
}

/// The smaller of two thresholds of the schema.
std::optional<double> smallest(const std::optional<double>& a, const std::optional<double>& b)
{
    return a && b ? std::min(*a, *b) : a ? a : b;
}

/// What the schema allows a distance to be.
struct Allowed
{
    std::optional<double> infinityNorm;
    std::optional<double> jensenShannon;
};

Allowed allowedFor(const storage::MetadataSchema& schema, const std::string& feature)
{
    const storage::MetadataFeature* found = schema.find(feature);
    return found == nullptr
               ? Allowed{}
               : Allowed{smallest(found->skewInfinityNorm, found->driftInfinityNorm),
                         smallest(found->skewJensenShannon, found->driftJensenShannon)};
}

std::string distanceText(const std::optional<double>& value)
{
    return value ? fmt::format("{:.4g}", *value) : std::string();
}

void addDistances(const ValidationReport& report, std::vector<std::string>& lines)
{
    std::vector<std::vector<std::string>> cells;
    for (const data::Distance& distance : report.distances) {
        const Allowed allowed = allowedFor(report.schema, distance.feature);
        cells.push_back({distance.feature, distanceText(distance.infinityNorm),
                         distanceText(allowed.infinityNorm), distanceText(distance.jensenShannon),
                         distanceText(allowed.jensenShannon)});
    }
    const std::vector<std::string> table = alignedTable(
        {"training and evaluation", "L-infinity", "allowed", "Jensen-Shannon", "allowed"}, cells);
    lines.insert(lines.end(), table.begin(), table.end());
}

std::string verdict(const ValidationReport& report)
{
    if (report.schemaFile.empty()) {
        return "Compared with no schema: none is named, and none was found with the rows. Name one "
               "with --schema.";
    }
    const auto found =
        static_cast<std::int64_t>(report.anomalies.size() + report.evalAnomalies.size());
    if (found == 0) {
        return fmt::format("No anomalies: the rows are as {} says.", report.schemaFile);
    }
    return fmt::format("{}: the rows are not as {} says.",
                       found == 1 ? "1 anomaly" : fmt::format("{} anomalies", found),
                       report.schemaFile);
}

Json columnsOf(const DescribedTable& table)
{
    Json columns = Json::array();
    for (std::size_t i = 0; i < table.schema.columns.size(); ++i) {
        const data::ColumnSchema& column = table.schema.columns[i];
        const data::ColumnStatistics& one = table.statistics.columns[i];
        columns.push_back({{"feature", column.name},
                           {"type", typeText(column)},
                           {"present", one.count},
                           {"missing", one.missing},
                           {"distinct", one.distinct},
                           {"min", one.min},
                           {"mean", one.mean},
                           {"max", one.max}});
    }
    return columns;
}

void addAnomalies(const std::vector<data::Anomaly>& anomalies, const char* part, Json& list)
{
    for (const data::Anomaly& anomaly : anomalies) {
        list.push_back({{"feature", anomaly.feature},
                        {"kind", anomaly.kind},
                        {"part", part},
                        {"sentence", anomaly.sentence}});
    }
}

Json distanceJson(const data::Distance& distance, const Allowed& allowed)
{
    Json one{{"feature", distance.feature}};
    const auto add = [&](const char* key, const std::optional<double>& value) {
        if (value) {
            one[key] = *value;
        }
    };
    add("l_infinity", distance.infinityNorm);
    add("l_infinity_allowed", allowed.infinityNorm);
    add("jensen_shannon", distance.jensenShannon);
    add("jensen_shannon_allowed", allowed.jensenShannon);
    return one;
}

} // namespace

std::vector<std::string> validationLines(const ValidationReport& report)
{
    const DescribedTable& train = report.train;
    const std::uint64_t rows = train.statistics.rows;
    std::vector<std::string> lines{fmt::format("{} rows, {} columns, {} left out", rows,
                                               train.schema.columns.size(), train.badRows)};
    if (report.eval) {
        lines.push_back(fmt::format("{} rows for evaluation, {} left out",
                                    report.eval->statistics.rows, report.eval->badRows));
    }
    std::vector<std::vector<std::string>> cells;
    for (std::size_t i = 0; i < train.schema.columns.size(); ++i) {
        cells.push_back(cellsOf(train.schema.columns[i], train.statistics.columns[i], rows));
    }
    const std::vector<std::string> table =
        alignedTable({"feature", "type", "present", "distinct", "min", "mean", "max"}, cells);
    lines.insert(lines.end(), table.begin(), table.end());
    if (!report.distances.empty()) {
        addDistances(report, lines);
    }
    for (const data::Anomaly& anomaly : report.anomalies) {
        lines.push_back(fmt::format("anomaly {}: {}", anomaly.kind, anomaly.sentence));
    }
    for (const data::Anomaly& anomaly : report.evalAnomalies) {
        lines.push_back(fmt::format("anomaly {}: evaluation: {}", anomaly.kind, anomaly.sentence));
    }
    lines.push_back(verdict(report));
    return lines;
}

std::string validationJson(const ValidationReport& report)
{
    Json anomalies = Json::array();
    addAnomalies(report.anomalies, "train", anomalies);
    addAnomalies(report.evalAnomalies, "eval", anomalies);
    Json distances = Json::array();
    for (const data::Distance& distance : report.distances) {
        distances.push_back(distanceJson(distance, allowedFor(report.schema, distance.feature)));
    }
    const Json evalRows = report.eval ? Json(report.eval->statistics.rows) : Json();
    const Json schema = report.schemaFile.empty() ? Json() : Json(report.schemaFile);
    return jsonText(Json{{"rows", report.train.statistics.rows},
                         {"eval_rows", evalRows},
                         {"left_out", report.train.badRows},
                         {"schema", schema},
                         {"columns", columnsOf(report.train)},
                         {"distances", std::move(distances)},
                         {"anomalies", std::move(anomalies)}},
                    2);
}

} // namespace cannery::app
