// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/table_look.h"

#include "core/advice/suggested_reading.h"
#include "core/spec/text/spec_override.h"
#include "core/survey/column_report.h"
#include "core/survey/table_settings.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::app {

namespace {

constexpr std::size_t kMostBadRowLines = 8;

bool isExperiment(const std::string& file)
{
    return std::filesystem::path(file).extension() == ".cannery";
}

} // namespace

Suggestions suggestionsFor(const std::string& file)
{
    return isExperiment(file) ? Suggestions::Ignored : Suggestions::Followed;
}

Result<std::unique_ptr<data::DataSource>>
openLeniently(const spec::Data& data, const std::string& folder, Suggestions suggestions)
{
    data::SourceOptions options{.folder = folder,
                                .columns = {data.column().begin(), data.column().end()},
                                .badRows = spec::BadRows::SKIP};
    Result<std::unique_ptr<data::DataSource>> opened = data::openDataSource(data.train(), options);
    // A change of the dialect may have renamed every column; the rows must be seen all the same.
    if (!opened && opened.error().id == "data.no_such_column") {
        options.columns.clear();
        opened = data::openDataSource(data.train(), options);
    }
    if (opened && suggestions == Suggestions::Followed) {
        if (advice::followSuggestions((*opened)->schema(), options.columns)) {
            opened = data::openDataSource(data.train(), options);
        }
    }
    return opened;
}

Result<TableLook> lookAtTable(const spec::Data& data, const std::string& folder, std::uint64_t rows,
                              Suggestions suggestions)
{
    // Twice: the settings are the file's own, the columns those with what is suggested.
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::DataSource> plain,
                       openLeniently(data, folder, Suggestions::Ignored));
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::DataSource> source,
                       openLeniently(data, folder, suggestions));
    TableLook look{
        .files = source->files(), .settings = plain->settings(), .schema = source->schema()};
    CANNERY_TRY_ASSIGN(look.texts, source->preview(static_cast<std::size_t>(rows)));
    data::ChunkRequest request{.maxRows = rows};
    for (const std::string& column : look.schema.names()) {
        request.columns.push_back({.column = column});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source->read(request));
    // Only for the report of bad rows: the texts come from preview().
    for (bool isOver = false; !isOver;) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        isOver = !chunk;
    }
    data::ReadReport report = stream->report();
    look.badRowCount = report.badRowCount;
    look.badRows = std::move(report.badRows);
    return look;
}

Result<ExperimentReport> readTableInput(const std::string& file,
                                        const std::vector<std::string>& overrides,
                                        const TableReading& reading)
{
    ExperimentReport report;
    if (isExperiment(file)) {
        report = checkExperimentFile(file, overrides);
    } else {
        report.experiment = experimentOfTable(file);
        for (const std::string& assignment : overrides) {
            if (Result<void> applied = spec::applyOverride(report.experiment, assignment);
                !applied) {
                return tl::make_unexpected(std::move(applied).error().with("--set " + assignment));
            }
        }
    }
    for (const spec::Problem& problem : report.problems) {
        // Problems elsewhere in the experiment do not prevent a look at the table.
        const bool isOfTable =
            problem.fieldPath.starts_with("data.train") || !report.experiment.data().has_train();
        const bool isOverride =
            std::ranges::any_of(problem.error.notes,
                                [](const std::string& note) { return note.starts_with("--set "); });
        if ((isOfTable || isOverride) && problem.severity == spec::Severity::Error) {
            return tl::make_unexpected(problem.error);
        }
    }
    CANNERY_TRY(reading.apply(*report.experiment.mutable_data()->mutable_train(), file));
    return report;
}

spec::Experiment experimentOfTable(const std::filesystem::path& table)
{
    spec::Experiment experiment;
    *experiment.mutable_data()->mutable_train() =
        survey::sourceOfTable(std::filesystem::absolute(table).string());
    return experiment;
}

std::vector<std::string> badRowLines(const TableLook& look)
{
    const std::size_t shown = std::min(look.badRows.size(), kMostBadRowLines);
    std::vector<std::string> lines(look.badRows.begin(),
                                   look.badRows.begin() + static_cast<std::ptrdiff_t>(shown));
    if (look.badRowCount > shown) {
        lines.push_back(fmt::format("and {} more bad rows", look.badRowCount - shown));
    }
    return lines;
}

reports::FirstRows lookReport(const TableLook& look)
{
    reports::FirstRows report;
    report.mutable_files()->Assign(look.files.begin(), look.files.end());
    *report.mutable_settings() = survey::settingsReport(look.settings);
    *report.mutable_columns() = survey::columnsReport(look.schema, nullptr, {});
    *report.mutable_texts() = survey::textsReport(look.schema, look.texts);
    report.mutable_bad_rows()->set_count(look.badRowCount);
    report.mutable_bad_rows()->mutable_sentences()->Assign(look.badRows.begin(),
                                                           look.badRows.end());
    return report;
}

} // namespace cannery::app
