// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/csv_source.h"

#include "core/base/catalog.h"
#include "core/base/memory_guard.h"
#include "core/data/data_errors.h"
#include "core/data/data_fingerprint.h"
#include "core/data/rows/row_reader.h"
#include "core/data/typing/column_settlement.h"
#include "core/data/typing/quote_settings.h"
#include "core/data/typing/schema_index.h"
#include "core/data/typing/schema_inference.h"
#include "storage/io/files.h"
#include "storage/tabular/csv/csv_discovery.h"
#include "storage/tabular/csv/csv_reader.h"
#include "storage/tabular/csv/csv_row_reader.h"
#include "storage/tabular/encoding_guess.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace cannery::data {

namespace {

class CsvChunkStream : public ChunkStream
{
public:
    CsvChunkStream(storage::CsvFiles files, storage::CsvReadOptions options, bool fingerprint)
        : m_paths(files.paths),
          m_reader(std::move(files), observed(std::move(options), fingerprint))
    {}

    Result<std::optional<storage::TableChunk>> next() override { return m_reader.next(); }

    ReadReport report() const override
    {
        const storage::CsvReport& met = m_reader.report();
        ReadReport report{.rows = met.rows, .badRowCount = met.badRowCount};
        for (const storage::BadRow& row : met.badRows) {
            report.badRows.push_back(row.error.sentence);
        }
        // One warning for all values, with the first of them.
        if (met.warnings.outOfRange > 0) {
            report.warnings.push_back(
                fmt::format("{} values are out of range and read as infinity, the first is {} at "
                            "{}:{}",
                            met.warnings.outOfRange, met.warnings.firstOutOfRange,
                            m_paths[met.outOfRangeFile], met.warnings.firstOutOfRangeLine));
        }
        report.warnings.insert(report.warnings.end(), met.remarks.begin(), met.remarks.end());
        return report;
    }

    std::vector<RefusedRow> refused(std::size_t from) const override
    {
        const std::vector<storage::BadRow>& met = m_reader.report().badRows;
        std::vector<RefusedRow> rows;
        for (std::size_t i = from; i < met.size(); ++i) {
            rows.push_back({met[i].file, met[i].line, met[i].offset, met[i].error.sentence});
        }
        return rows;
    }

    std::optional<std::string> fingerprint() const override
    {
        // Only a pass that has read every file to its end knows it; one that was stopped does not.
        const bool isWhole = m_fingerprint && m_fingerprint->files() == m_paths.size();
        return isWhole ? std::optional(m_fingerprint->text()) : std::nullopt;
    }

private:
    storage::CsvReadOptions observed(storage::CsvReadOptions options, bool fingerprint)
    {
        options.observer = fingerprint ? &m_fingerprint.emplace() : nullptr;
        return options;
    }

    std::vector<std::string> m_paths;
    std::optional<DataFingerprint> m_fingerprint;
    storage::CsvReader m_reader;
};

class CsvRows : public RowReader
{
public:
    /// `columns`: those with a name, in file order.
    CsvRows(storage::CsvFiles files, std::vector<storage::CsvColumn> columns)
        : m_columns(columns), m_reader(std::move(files), std::move(columns))
    {}

    Result<std::vector<std::vector<std::string>>> read(const RowRange& range) const override
    {
        CANNERY_TRY_ASSIGN(std::vector<std::vector<std::string>> rows,
                           m_reader.read({range.file, range.begin, range.end}));
        // The reader gives all cells of a row. Columns are in file order, so each moves towards the
        // front.
        for (std::vector<std::string>& cells : rows) {
            for (std::size_t i = 0; i < m_columns.size(); ++i) {
                if (m_columns[i].index != i) {
                    cells[i] = std::move(cells[m_columns[i].index]);
                }
            }
            // Cells behind the last column with a name are dropped.
            cells.resize(m_columns.size());
        }
        return rows;
    }

    Result<std::string> rowText(std::size_t file, std::uint64_t offset) const override
    {
        return m_reader.recordAt(file, offset);
    }

    std::optional<std::string> cellOfRefused(std::size_t file, std::uint64_t offset,
                                             const std::string& column) const override
    {
        const auto known =
            std::find_if(m_columns.begin(), m_columns.end(),
                         [&](const storage::CsvColumn& one) { return one.name == column; });
        // A refused row may have fewer cells than the table has columns.
        const Result<std::vector<std::string>> cells = m_reader.cellsAt(file, offset);
        const bool isThere = known != m_columns.end() && cells && known->index < cells->size();
        // A text that can be read is shown as the user knows it.
        return isThere ? std::optional((*cells)[known->index]) : std::nullopt;
    }

    Result<void> reach(std::size_t file, std::uint64_t end) const override
    {
        return m_reader.reach(file, end);
    }

private:
    std::vector<storage::CsvColumn> m_columns; ///< in file order
    storage::CsvRowReader m_reader;
};

storage::BadRowPolicy policyOf(spec::BadRows::Policy badRows)
{
    return badRows == spec::BadRows::SKIP ? storage::BadRowPolicy::Skip
                                          : storage::BadRowPolicy::Fail;
}

class CsvSource : public DataSource
{
public:
    CsvSource(storage::CsvFiles files, TableSchema schema, storage::BadRowPolicy badRows,
              std::vector<SourceSetting> settings)
        : m_files(std::move(files)), m_schema(std::move(schema)), m_badRows(badRows),
          m_settings(std::move(settings))
    {}

    const TableSchema& schema() const override { return m_schema; }
    const std::vector<std::string>& files() const override { return m_files.paths; }
    std::vector<SourceSetting> settings() const override { return m_settings; }
    void pin(spec::DataSource& message) const override
    {
        // Other files of the same kind have a header if these have: a file of few rows may not show
        // it.
        // An experiment that states it itself is not changed.
        if (!message.csv().has_header()) {
            message.mutable_csv()->set_header(m_files.dialect.hasHeader);
        }
    }
    Result<std::string> fingerprint() const override
    {
        return fingerprintOf(*m_files.kept, m_files.paths.size());
    }

    Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const override
    {
        storage::CsvReadOptions options;
        options.badRows = m_badRows;
        options.keepLines = request.keepLines;
        options.keepOffsets = request.keepOffsets;
        options.maxBadRows = request.maxRefused;
        options.threads = request.threads;
        options.maxRows = request.maxRows;
        // An index, since requests of wide tables name thousands of columns.
        const SchemaIndex known(m_schema);
        for (const ColumnRequest& wanted : request.columns) {
            const ColumnSchema* column = known.find(wanted.column);
            if (column == nullptr) {
                return fail(ErrorCode::NotFound, kNoSuchColumn, m_files.paths.front(),
                            wanted.column, suggestion(wanted.column, m_schema.names()));
            }
            options.columns.push_back(readingOf(*column,
                                                wanted.as.empty() ? column->name : wanted.as,
                                                wanted.dtype.value_or(column->dtype)));
        }
        return std::unique_ptr<ChunkStream>(
            std::make_unique<CsvChunkStream>(m_files, std::move(options), request.fingerprint));
    }

    Result<std::unique_ptr<RowReader>> rowReader() const override
    {
        std::vector<storage::CsvColumn> columns;
        for (const ColumnSchema& column : m_schema.columns) {
            columns.push_back(readingOf(column, column.name, column.dtype));
        }
        return std::unique_ptr<RowReader>(std::make_unique<CsvRows>(m_files, std::move(columns)));
    }

    Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const override
    {
        return guardMemory("the first rows of a table", [&] { return firstRows(maxRows); });
    }

private:
    Result<std::vector<std::vector<std::string>>> firstRows(std::size_t maxRows) const
    {
        CANNERY_TRY_ASSIGN(storage::RawRows raw, storage::readRawRows(m_files, maxRows));
        std::vector<std::vector<std::string>> rows;
        for (const std::vector<std::string>& cells : raw.rows) {
            std::vector<std::string>& row = rows.emplace_back();
            for (const ColumnSchema& column : m_schema.columns) {
                row.push_back(cells[column.index]);
            }
        }
        return rows;
    }

    static storage::CsvColumn readingOf(const ColumnSchema& column, std::string as, DType dtype)
    {
        return {.name = std::move(as),
                .index = column.index,
                .dtype = dtype,
                .missingTokens = column.missingTokens,
                .notation = column.notation};
    }

    storage::CsvFiles m_files;
    TableSchema m_schema;
    storage::BadRowPolicy m_badRows;
    std::vector<SourceSetting> m_settings;
};

struct EncodingRow
{
    spec::TextEncoding::Name name;
    storage::TextEncoding encoding;
};

constexpr auto kEncodings = std::to_array<EncodingRow>({
    {spec::TextEncoding::utf8, storage::TextEncoding::Utf8},
    {spec::TextEncoding::latin1, storage::TextEncoding::Latin1},
    {spec::TextEncoding::windows1252, storage::TextEncoding::Windows1252},
    {spec::TextEncoding::utf16, storage::TextEncoding::Utf16},
    {spec::TextEncoding::cp949, storage::TextEncoding::Cp949},
    {spec::TextEncoding::gb18030, storage::TextEncoding::Gb18030},
});
// A new encoding of the schema must get a row.
static_assert(kEncodings.size() == spec::TextEncoding::Name_ARRAYSIZE);

spec::TextEncoding::Name nameOf(storage::TextEncoding encoding)
{
    // The schema names the encodings that can be chosen; others are guessed only.
    const auto row = std::find_if(kEncodings.begin(), kEncodings.end(),
                                  [&](const EncodingRow& one) { return one.encoding == encoding; });
    return row == kEncodings.end() ? spec::TextEncoding::utf8 : row->name;
}

constexpr const char* kAsInExperiment = "as the experiment says";

Result<storage::CsvOpenOptions> openOptions(const spec::CsvSource& csv, const std::string& folder)
{
    storage::CsvOpenOptions options;
    for (const std::string& file : csv.files()) {
        options.patterns.push_back(storage::joinPath(folder, file));
    }
    if (!csv.field_delim().empty()) {
        // An experiment may contain the two characters \t, as they are written in other programs.
        const std::string delimiter = csv.field_delim() == "\\t" ? "\t" : csv.field_delim();
        // These bytes have a meaning of their own in a CSV file.
        if (delimiter.size() != 1 || delimiter == "\n" || delimiter == "\r" || delimiter == "\"") {
            return fail(ErrorCode::InvalidArgument, kBadDelimiter, csv.field_delim());
        }
        options.hints.delimiter = delimiter.front();
    }
    if (csv.has_header()) {
        options.hints.hasHeader = csv.header();
    }
    CANNERY_TRY(takeQuotes(csv, options.hints));
    options.hints.encoding = encodingOf(csv.encoding());
    options.hints.decimalComma = csv.decimal_mark() == spec::DecimalMark::comma;
    if (csv.has_skip_rows()) {
        // A number below 0 is refused by the checks.
        options.hints.skipRows =
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, csv.skip_rows()));
    }
    options.hints.comment = csv.comment();
    options.hints.columnNames.assign(csv.column_names().begin(), csv.column_names().end());
    return options;
}

/// How the files are read; `schema` may suggest another decimal mark.
std::vector<SourceSetting> settingsOf(const spec::CsvSource& csv,
                                      const storage::DialectGuess& guess, const TableSchema& schema)
{
    const storage::CsvDialect& dialect = guess.dialect;
    const bool hasMark = !guess.encodingReason.empty();
    // Suggested only if the experiment leaves it open.
    const bool isComma = !schema.suggestedDecimalComma.empty() && !csv.has_decimal_mark();
    std::vector<SourceSetting> settings{
        {.field = "field_delim",
         .value = dialect.delimiter == '\t' ? "\\t" : std::string(1, dialect.delimiter),
         .reason = guess.delimiterReason,
         .isDetected = csv.field_delim().empty()},
        {.field = "header",
         .value = dialect.hasHeader ? "true" : "false",
         .reason = guess.layout.headerReason,
         .isDetected = !csv.has_header(),
         // A single row, or one of texts, looks like a header.
         .belongsInExperiment = !csv.has_header() && !dialect.hasHeader},
        {.field = "encoding",
         .value = spec::TextEncoding::Name_Name(nameOf(guess.encoding)),
         .reason = hasMark              ? guess.encodingReason
                   : csv.has_encoding() ? kAsInExperiment
                                        : "no byte order mark says otherwise",
         .isDetected = hasMark,
         .belongsInExperiment = hasMark && guess.encoding != storage::TextEncoding::Utf8},
        {.field = "decimal_mark",
         .value = isComma || dialect.decimalComma ? "comma" : "point",
         .reason = isComma ? fmt::format("\"{}\" is a number only with a decimal comma",
                                         schema.suggestedDecimalComma)
                   : csv.has_decimal_mark() ? kAsInExperiment
                                            : "no column needs a comma",
         .isDetected = isComma,
         .belongsInExperiment = isComma},
    };
    // Lines above the table are shown only if there are any.
    if (csv.has_skip_rows() || guess.layout.headerLine > 1) {
        settings.push_back(
            {.field = "skip_rows",
             .value =
                 fmt::format("{}", csv.has_skip_rows() ? static_cast<std::uint64_t>(csv.skip_rows())
                                                       : guess.layout.headerLine - 1),
             .reason = csv.has_skip_rows() ? kAsInExperiment : "the table begins below them",
             .isDetected = !csv.has_skip_rows()});
    }
    addQuoteSettings(csv, guess, settings);
    return settings;
}

/// Takes the blanks around names away, unless two names become equal or a name with blanks is
/// known.
void trimNames(const SourceOptions& options, std::vector<std::string>& names)
{
    const auto isKnown = [&](const std::string& name) {
        return (options.like != nullptr && options.like->find(name) != nullptr) ||
               std::any_of(options.columns.begin(), options.columns.end(),
                           [&](const spec::Column& column) { return column.name() == name; });
    };
    std::vector<std::string> trimmed;
    for (const std::string& name : names) {
        trimmed.emplace_back(storage::withoutBlanks(name));
    }
    // A blank after the comma is usual, and no part of the name.
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (trimmed[i] != names[i] && !trimmed[i].empty() && !isKnown(names[i]) &&
            std::count(trimmed.begin(), trimmed.end(), trimmed[i]) == 1) {
            names[i] = trimmed[i];
        }
    }
}

Result<std::unique_ptr<DataSource>> openUnguarded(const spec::DataSource& source,
                                                  const SourceOptions& options)
{
    const spec::CsvSource& csv = source.csv();
    CANNERY_TRY_ASSIGN(const storage::CsvOpenOptions open, openOptions(csv, options.folder));
    CANNERY_TRY_ASSIGN(storage::CsvDiscovery found, storage::discoverCsv(open));
    trimNames(options, found.files.columnNames);
    // The tokens of the source hold for all columns.
    CANNERY_TRY_ASSIGN(TableSchema schema,
                       textSchema(found.files, csvMissingTokens(source), options, {}));
    // Warnings of finding the table come before those of its columns.
    schema.warnings.insert(schema.warnings.begin(), found.warnings.begin(), found.warnings.end());
    schema.decimalComma = found.files.dialect.decimalComma;
    std::vector<SourceSetting> settings = settingsOf(csv, found.guess, schema);
    return textSource(std::move(found.files), std::move(schema), options.badRows,
                      std::move(settings));
}

} // namespace

Result<TableSchema> textSchema(const storage::CsvFiles& files,
                               const std::vector<std::string>& tokens, const SourceOptions& options,
                               const std::function<void(TableSchema&)>& declare)
{
    // Before the files are read: a wrong name is an error of the experiment, found without rows.
    CANNERY_TRY(checkDescribedColumns(options, files.columnNames, files.paths.front()));
    TableSchema schema;
    InferenceOptions inference;
    inference.badRows = policyOf(options.badRows);
    inference.kinds = options.kinds;
    bool isSettled = true;
    for (std::size_t i = 0; i < files.columnNames.size(); ++i) {
        ColumnSchema column{.name = files.columnNames[i], .index = i};
        column.missingTokens = missingTokensOf(tokens, options, column.name);
        column.notation =
            notationOf(options, column.name, usualNotation(files.dialect).decimalMark);
        inference.missingTokens.push_back(column.missingTokens);
        inference.notations.push_back(column.notation);
        // Columns without a name have a place in the lists of the inference, which counts all
        // columns.
        if (!column.name.empty()) {
            isSettled = settle(options, column) && isSettled;
            schema.columns.push_back(std::move(column));
        }
    }
    // Rows are looked at only if a column lacks something: a run's frozen schema costs no reading.
    if (!isSettled) {
        CANNERY_TRY_ASSIGN(schema, inferSchema(files, inference));
        if (declare) {
            declare(schema);
        }
        // Again, as the inferred schema knows nothing of what the experiment has set.
        for (ColumnSchema& column : schema.columns) {
            column.missingTokens = inference.missingTokens[column.index];
            column.notation = inference.notations[column.index];
            settle(options, column);
        }
    }
    return schema;
}

std::unique_ptr<DataSource> textSource(storage::CsvFiles files, TableSchema schema,
                                       spec::BadRows::Policy badRows,
                                       std::vector<SourceSetting> settings)
{
    return std::make_unique<CsvSource>(std::move(files), std::move(schema), policyOf(badRows),
                                       std::move(settings));
}

storage::TextEncoding encodingOf(spec::TextEncoding::Name encoding)
{
    const auto row = std::find_if(kEncodings.begin(), kEncodings.end(),
                                  [&](const EncodingRow& one) { return one.name == encoding; });
    return row == kEncodings.end() ? storage::TextEncoding::Utf8 : row->encoding;
}

Result<std::unique_ptr<DataSource>> openCsvSource(const spec::DataSource& source,
                                                  const SourceOptions& options)
{
    return guardMemory("a table", [&] { return openUnguarded(source, options); });
}

std::string csvEncodingOf(const std::string& path)
{
    const std::optional<storage::TextEncoding> guess = storage::guessEncodingOf(path);
    // The guess may be an encoding that the schema has no name for.
    const bool hasName = guess && encodingOf(nameOf(*guess)) == *guess;
    return hasName ? spec::TextEncoding::Name_Name(nameOf(*guess)) : std::string();
}

std::vector<std::string> csvMissingTokens(const spec::DataSource& source)
{
    return {source.csv().na_value().begin(), source.csv().na_value().end()};
}

char csvDecimalMark(const spec::DataSource& source)
{
    return source.csv().decimal_mark() == spec::DecimalMark::comma ? ',' : '.';
}

void setCsvFiles(spec::DataSource& source, const std::vector<std::string>& files)
{
    source.mutable_csv()->clear_files();
    for (const std::string& file : files) {
        source.mutable_csv()->add_files(file);
    }
}

} // namespace cannery::data
