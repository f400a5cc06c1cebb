// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/browse_json.h"

#include "core/base/error_json.h"
#include "core/base/json_text.h"
#include "core/data/pipeline/feature_maker.h"
#include "core/survey/column_report.h"
#include "core/survey/table_settings.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace cannery::app {

using Json = nlohmann::ordered_json;

std::string tableInfoJson(const data::DataSource& source, const std::vector<std::string>& uses)
{
    return jsonText(
        Json{{"files", source.files()},
             {"settings", Json::parse(survey::settingsJson(source.settings()))},
             {"columns", Json::parse(survey::columnsJson(source.schema(), nullptr, uses))}});
}

std::string pageJson(const data::TableSchema& schema, const data::RowsPage& page)
{
    Json numbers = Json::array();
    for (const std::uint64_t number : page.numbers) {
        // People count rows from 1.
        numbers.push_back(number + 1);
    }
    return jsonText(Json{{"first", page.first},
                         {"total", page.total},
                         {"so_far", page.isSoFar},
                         {"numbers", std::move(numbers)},
                         {"texts", Json::parse(survey::textsJson(schema, page.texts))}});
}

std::string statisticsJson(const data::TableSchema& schema, const data::TableStatistics& statistics,
                           const std::vector<std::string>& uses, bool isSoFar)
{
    return jsonText(Json{{"so_far", isSoFar},
                         {"rows", statistics.rows},
                         {"other_rows", statistics.otherRows},
                         {"columns", Json::parse(survey::columnsJson(schema, &statistics, uses))}});
}

std::string refusedJson(const data::TableBrowser& browser, std::size_t first, std::size_t count)
{
    const data::BrowseExtent extent = browser.extent();
    Json rows = Json::array();
    for (const data::RefusedRow& row : browser.refused(first, count)) {
        // The text is read again from the file, which may have changed: then it is empty.
        const Result<std::string> text = browser.textOf(row);
        rows.push_back({{"file", browser.source().files()[row.file]},
                        {"line", row.line},
                        {"message", row.sentence},
                        {"text", text ? *text : std::string()}});
    }
    return jsonText(Json{{"first", first},
                         {"total", extent.refused},
                         {"so_far", !extent.isWhole},
                         {"rows", std::move(rows)}});
}

std::string extentJson(const data::BrowseExtent& extent)
{
    return jsonText(
        Json{{"rows", extent.rows}, {"bad_rows", extent.refused}, {"so_far", !extent.isWhole}});
}

std::string stepJson(const data::BrowseProgress& progress)
{
    return jsonText(Json{{"doing", std::string(name(progress.step))},
                         {"done", progress.done},
                         {"total", progress.total}});
}

std::string problemJson(const data::FilterProblem& problem)
{
    Json json = Json::parse(errorObjectJson(problem.error));
    json["position"] = problem.position;
    json["length"] = problem.length;
    return jsonText(json);
}

std::vector<std::string> usesOfTable(const spec::Data& data, const data::TableSchema& schema)
{
    const std::vector<std::string> labels = data::labelColumns(data);
    std::vector<std::string> uses;
    for (const data::ColumnSchema& column : schema.columns) {
        const auto isIn = [&](const auto& names) {
            return std::find(names.begin(), names.end(), column.name) != names.end();
        };
        uses.emplace_back(isIn(labels) ? "label" : isIn(data.key_column()) ? "key" : "");
    }
    return uses;
}

} // namespace cannery::app
