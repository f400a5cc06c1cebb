// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/browse_json.h"

#include "core/data/pipeline/feature_maker.h"
#include "core/survey/column_report.h"
#include "core/survey/table_settings.h"

#include <algorithm>

namespace cannery::app {

reports::BrowsedTable tableReport(const data::DataSource& source,
                                  const std::vector<std::string>& uses)
{
    reports::BrowsedTable table;
    table.mutable_files()->Assign(source.files().begin(), source.files().end());
    *table.mutable_settings() = survey::settingsReport(source.settings());
    *table.mutable_columns() = survey::columnsReport(source.schema(), nullptr, uses);
    return table;
}

reports::RowsPage pageReport(const data::TableSchema& schema, const data::RowsPage& page)
{
    reports::RowsPage report;
    report.set_first(page.first);
    report.set_total(page.total);
    report.set_so_far(page.isSoFar);
    for (const std::uint64_t number : page.numbers) {
        // People count rows from 1.
        report.add_numbers(number + 1);
    }
    *report.mutable_texts() = survey::textsReport(schema, page.texts);
    return report;
}

reports::RowsStatistics statisticsReport(const data::TableSchema& schema,
                                         const data::TableStatistics& statistics,
                                         const std::vector<std::string>& uses, bool isSoFar)
{
    reports::RowsStatistics report;
    report.set_so_far(isSoFar);
    report.set_rows(statistics.rows);
    report.set_other_rows(statistics.otherRows);
    *report.mutable_columns() = survey::columnsReport(schema, &statistics, uses);
    return report;
}

reports::RefusedRows refusedReport(const data::TableBrowser& browser, std::size_t first,
                                   std::size_t count)
{
    const data::BrowseExtent extent = browser.extent();
    reports::RefusedRows report;
    report.set_first(first);
    report.set_total(extent.refused);
    report.set_so_far(!extent.isWhole);
    for (const data::RefusedRow& refused : browser.refused(first, count)) {
        // The text is read again from the file, which may have changed: then it is empty.
        const Result<std::string> text = browser.textOf(refused);
        reports::RefusedRow& row = *report.add_rows();
        row.set_file(browser.source().files()[refused.file]);
        row.set_line(refused.line);
        row.set_message(refused.sentence);
        row.set_text(text ? *text : std::string());
    }
    return report;
}

reports::TableExtent extentReport(const data::BrowseExtent& extent)
{
    reports::TableExtent report;
    report.set_rows(extent.rows);
    report.set_bad_rows(extent.refused);
    report.set_so_far(!extent.isWhole);
    return report;
}

reports::BrowseStep stepReport(const data::BrowseProgress& progress)
{
    reports::BrowseStep report;
    report.set_doing(std::string(name(progress.step)));
    report.set_done(progress.done);
    report.set_total(progress.total);
    return report;
}

reports::BrowseError errorReport(const Error& error)
{
    reports::BrowseError report;
    report.set_id(error.id);
    report.set_sentence(error.sentence);
    report.set_path(error.path);
    report.mutable_notes()->Assign(error.notes.begin(), error.notes.end());
    report.mutable_arguments()->Assign(error.arguments.begin(), error.arguments.end());
    return report;
}

reports::BrowseError problemReport(const data::FilterProblem& problem)
{
    reports::BrowseError report = errorReport(problem.error);
    report.set_position(problem.position);
    report.set_length(problem.length);
    return report;
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
