// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/inspection.h"
#include "app/cannery/tables/table_look.h"
#include "core/base/catalog.h"
#include "core/base/counted.h"
#include "core/base/text_table.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/reports/inspection.pb.h"
#include "core/reports/report_json.h"
#include "core/survey/table_settings.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace cannery::app {

namespace {

constexpr ErrorKind kUnknownKind{
    "inspect.unknown_kind",
    "{} is not a checkpoint, event file, SavedModel, TFRecord file or table: {}"};
constexpr ErrorKind kIsAnExperiment{
    "inspect.experiment", "{0} is an experiment: 'cannery check {0}' judges it, and 'cannery "
                          "preview {0}' shows what its model reads."};

constexpr std::uint64_t kShownRows = 3;

/// As many as are counted; "?" for a view that cannot be read.
std::string rowsText(const Result<std::uint64_t>& rows)
{
    return !rows                            ? "?"
           : *rows > data::kMostRowsCounted ? fmt::format("> {}", data::kMostRowsCounted)
                                            : fmt::format("{}", *rows);
}

Inspection tablesOf(const std::string& path, const std::vector<data::NamedTable>& tables,
                    const data::DataSourceRow& row)
{
    Inspection result{
        .lines = {fmt::format(
            "Database {}: {}; --table of 'cannery browse' and 'cannery new' names one", path,
            tables.size() == 1 ? "1 table or view"
                               : fmt::format("{} tables and views", tables.size()))}};
    reports::InspectedDatabase report;
    report.set_kind("database");
    report.set_path(path);
    std::vector<std::vector<std::string>> rows;
    for (const data::NamedTable& table : tables) {
        std::string columns;
        for (const std::string& column : table.columns) {
            columns += (columns.empty() ? "" : ", ") + column;
        }
        const Result<std::uint64_t> count = row.countRows(path, table.name);
        rows.push_back({table.name, rowsText(count), columns});
        reports::DatabaseTable& entry = *report.add_tables();
        entry.set_name(table.name);
        entry.mutable_columns()->Assign(table.columns.begin(), table.columns.end());
        if (count) {
            entry.set_rows(std::min(*count, data::kMostRowsCounted));
            entry.set_has_more_rows(*count > data::kMostRowsCounted);
        }
    }
    for (std::string& line : alignedTable({"table", "rows", "columns"}, rows)) {
        result.lines.push_back("  " + std::move(line));
    }
    result.json = reports::reportJson(report, 2);
    return result;
}

Inspection columnsOf(const std::string& path, const TableLook& look, std::string_view kind)
{
    const auto columns = static_cast<std::int64_t>(look.schema.columns.size());
    Inspection result{.lines = {fmt::format("Table {} ({}): {}; 'cannery browse {}' shows its rows",
                                            path, kind, counted(columns, "column"), path)}};
    reports::InspectedTable report;
    report.set_kind("table");
    report.set_path(path);
    report.set_format(std::string(kind));
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < look.schema.columns.size(); ++i) {
        const data::ColumnSchema& column = look.schema.columns[i];
        std::string first;
        for (const std::vector<std::string>& cells : look.texts) {
            first += (&cells == &look.texts.front() ? "" : " | ") + cells[i];
        }
        rows.push_back({column.name, std::string(name(column.dtype)), first});
        reports::InspectedColumn& entry = *report.add_columns();
        entry.set_name(column.name);
        entry.set_dtype(std::string(name(column.dtype)));
    }
    for (std::string& line : alignedTable({"column", "dtype", "first rows"}, rows)) {
        result.lines.push_back("  " + std::move(line));
    }
    result.json = reports::reportJson(report, 2);
    return result;
}

} // namespace

Result<Inspection> inspectTable(const std::string& path)
{
    if (std::filesystem::path(path).extension() == ".cannery") {
        return fail(ErrorCode::InvalidArgument, kIsAnExperiment, path);
    }
    const spec::Experiment experiment = experimentOfTable(path);
    const spec::DataSource& source = experiment.data().train();
    const data::DataSourceRow* row = findRow(data::dataSourceCatalog(), source.kind_case());
    if (row->tables != nullptr) {
        CANNERY_TRY_ASSIGN(const std::vector<data::NamedTable> tables, row->tables(path));
        if (tables.size() != 1) {
            return tablesOf(path, tables, *row);
        }
    }
    // Types are those that a whole reading finds, so all of the beginning is inspected.
    const Result<std::unique_ptr<data::DataSource>> opened =
        openLeniently(experiment.data(), {}, Suggestions::Followed);
    if (!opened && opened.error().id.starts_with("io.")) {
        return tl::make_unexpected(opened.error());
    }
    if (!opened) {
        return fail(opened.error().code, kUnknownKind, path, opened.error().sentence);
    }
    TableLook look{.schema = (*opened)->schema()};
    CANNERY_TRY_ASSIGN(look.texts, (*opened)->preview(kShownRows));
    return columnsOf(path, look, row->name);
}

} // namespace cannery::app
