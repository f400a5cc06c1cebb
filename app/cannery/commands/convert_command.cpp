// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/convert_command.h"

#include "app/cannery/tables/converted_columns.h"
#include "app/cannery/tables/converted_table.h"
#include "core/base/json_text.h"
#include "core/launch/stop_signals.h"
#include "core/survey/table_settings.h"
#include "storage/io/files.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace cannery::app {

namespace {

constexpr ErrorKind kConvertStopped{
    "convert.stopped", "Stopped: {} is not written. Run the command again to convert the table."};

} // namespace

void ConvertCommand::declare(OptionSet& options)
{
    options.argument(
        "IN", m_input,
        "a table: CSV, TSV, TFRecord (a file or folder), SQLite, .npz, JSON lines, ARFF, LIBSVM, "
        "fixed width");
    options.argument("OUT", m_output,
                     "a new file: .csv, .tfrecord or .tfrecord.gz; missing folders are created");
    options.option("--schema", "FILE", m_schema,
                   "for TFRecord: where to write the schema (default: schema.pbtxt next to OUT)");
    m_reading.declare(options);
    options.flag("--skip-bad-rows", m_skipBadRows,
                 "leave out rows that cannot be read, instead of stopping at the first");
    options.flag("--json", m_json, "print one JSON object");
}

Result<std::unique_ptr<data::DataSource>> ConvertCommand::openInput() const
{
    spec::DataSource message = survey::sourceOfTable(m_input);
    CANNERY_TRY(m_reading.apply(message, m_input));
    if (m_skipBadRows) {
        survey::setField(message, "corrupt", spec::BadRows::Policy_Name(spec::BadRows::SKIP));
    }
    return data::openDataSource(
        message, {.badRows = m_skipBadRows ? spec::BadRows::SKIP : spec::BadRows::FAIL});
}

Result<void> ConvertCommand::convert(Console& console, const std::atomic<bool>& stop) const
{
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::DataSource> source, openInput());
    const bool isText = survey::readsText(survey::sourceOfTable(m_input));
    data::TableSchema schema = columnsForCsv(*source, isText);
    // Records have a type for each column, which only a pass through all rows can tell.
    if (ConvertedTable::areRecords(m_output)) {
        CANNERY_TRY_ASSIGN(schema, columnsForRecords(*source, isText, stop));
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<ConvertedTable> table,
                       ConvertedTable::create(m_output, m_schema, schema));
    for (const std::string& warning : schema.warnings) {
        console.note("warning: " + warning);
    }
    data::ChunkRequest request;
    for (const data::ColumnSchema& column : schema.columns) {
        request.columns.push_back({.column = column.name, .dtype = column.dtype});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source->read(request));
    std::uint64_t rows = 0;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        // Nothing is published, so nothing half written is left.
        if (stop) {
            return fail(ErrorCode::Cancelled, kConvertStopped, m_output);
        }
        rows += chunk->rows;
        CANNERY_TRY(table->append(*chunk));
        console.advance(-1, fmt::format("{} rows", rows));
    }
    // Only now is there a file of that name.
    CANNERY_TRY(table->publish());
    console.clearProgress();
    const data::ReadReport report = stream->report();
    std::vector<std::string> remarks = report.warnings;
    for (const std::string& remark : table->remarks()) {
        remarks.push_back(remark);
    }
    for (const std::string& remark : remarks) {
        console.note("warning: " + remark);
    }
    for (const std::string& sentence : report.badRows) {
        console.note(sentence);
    }
    if (m_json) {
        console.document(jsonText(nlohmann::ordered_json({{"rows", rows},
                                                          {"left_out", report.badRowCount},
                                                          {"columns", schema.names()},
                                                          {"warnings", remarks},
                                                          {"files", table->files()}}),
                                  2));
        return {};
    }
    console.note(fmt::format("{} rows of {} columns; {} left out", rows, schema.columns.size(),
                             report.badRowCount));
    for (const std::string& file : table->files()) {
        console.result(file);
    }
    return {};
}

ExitCode ConvertCommand::run(Console& console)
{
    const launch::StopSignals signals;
    const Result<void> converted = convert(console, signals.flag());
    if (converted) {
        return ExitCode::Done;
    }
    const ExitCode code = reportFailure(console, withTableOptions(converted.error()));
    // Stopped by a signal, the program ends as others do that are killed by it.
    return converted.error().code == ErrorCode::Cancelled ? signals.exitCode() : code;
}

} // namespace cannery::app
