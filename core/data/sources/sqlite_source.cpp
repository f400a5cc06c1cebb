// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/sqlite_source.h"

#include "core/base/catalog.h"
#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "core/data/data_errors.h"
#include "core/data/data_fingerprint.h"
#include "core/data/rows/row_reader.h"
#include "core/data/sources/refused_rows.h"
#include "core/data/sources/sqlite_rows.h"
#include "core/data/sources/sqlite_tables.h"
#include "core/data/typing/column_settlement.h"
#include "core/data/typing/schema_index.h"
#include "core/data/typing/schema_inference.h"
#include "storage/io/cached_files.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kNoSqliteRows{"sqlite_source.no_rows", "{}: {} has no rows to learn from."};
constexpr ErrorKind kTwoColumns{
    "sqlite_source.two_columns",
    "{}: two columns of the query are called \"{}\". Give one another name with AS."};
constexpr ErrorKind kUnusableRow{
    "sqlite_source.unusable_row",
    "{}: row {}: the value of column {} {}. Correct it, or set bad_rows to SKIP."};
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kChunkRows = 4096;
constexpr std::uint64_t kInferredBytes = std::uint64_t{16} << 20U;

struct SqliteTable
{
    std::string file;
    std::string query;
    std::string found; ///< the table, if the message names none
    TableSchema schema;
    bool skipBadRows = false;
    std::vector<std::string> files;                   ///< with the log
    std::shared_ptr<const storage::CachedFiles> kept; ///< of those
};

class SqliteStream final : public ChunkStream
{
public:
    struct Wanted
    {
        int index = 0;
        TypedColumn column;
    };

    SqliteStream(const SqliteTable& table, SqliteRows rows, std::vector<Wanted> columns,
                 ChunkRequest request)
        : m_table(table), m_rows(std::move(rows)), m_columns(std::move(columns)),
          m_request(std::move(request)), m_refused(m_request.maxRefused)
    {}

    Result<std::optional<storage::TableChunk>> next() override
    {
        return m_guard.run(m_table.file, [this] { return read(); });
    }

    ReadReport report() const override { return m_refused.report(m_made); }

    std::vector<RefusedRow> refused(std::size_t from) const override
    {
        return m_refused.from(from);
    }

private:
    Result<std::optional<storage::TableChunk>> read()
    {
        storage::TableChunk chunk;
        // A chunk without a good row is not the end.
        while (!m_ended && chunk.rows == 0) {
            CANNERY_TRY_ASSIGN(chunk, readChunk());
        }
        if (chunk.rows == 0) {
            return std::optional<storage::TableChunk>();
        }
        chunk.firstRow = m_made;
        m_made += chunk.rows;
        // By whole chunks: a few rows more do no harm.
        m_ended = m_ended || (m_request.maxRows > 0 && m_made >= m_request.maxRows);
        return std::optional(std::move(chunk));
    }

    Result<storage::TableChunk> readChunk()
    {
        for (Wanted& wanted : m_columns) {
            // Room for a full chunk, of which only what was read is kept.
            wanted.column.start(kChunkRows);
        }
        storage::TableChunk chunk;
        std::vector<std::uint32_t> good;
        std::size_t row = 0;
        for (; row < kChunkRows; ++row) {
            CANNERY_TRY_ASSIGN(const bool isThere, m_rows.step());
            if (!isThere) {
                m_ended = true;
                break;
            }
            ++m_number;
            CANNERY_TRY_ASSIGN(const bool isGood, readRow(row));
            if (isGood) {
                good.push_back(static_cast<std::uint32_t>(row));
                chunk.lines.push_back(m_number);
                // A row has no place in the file; its number stands for it.
                if (m_request.keepOffsets) {
                    chunk.offsets.push_back(m_number - 1);
                }
            }
        }
        chunk.rows = good.size();
        chunk.textEnd = m_number;
        for (Wanted& wanted : m_columns) {
            storage::TableColumn whole = wanted.column.finish(row);
            // Usually all rows are good, and nothing is copied.
            chunk.columns.push_back(good.size() == row ? std::move(whole)
                                                       : storage::gather(whole, good));
        }
        return chunk;
    }

    /// Returns false if the row is left out.
    Result<bool> readRow(std::size_t row)
    {
        bool isGood = true;
        for (Wanted& wanted : m_columns) {
            const CellFault fault = m_rows.copyCell(wanted.index, row, wanted.column);
            if (fault == CellFault::None) {
                continue;
            }
            // Strings are appended, so a column with a fault still needs something for the row.
            wanted.column.setMissing(row);
            // The other columns go on, as each needs a value for the row.
            if (!std::exchange(isGood, false)) {
                continue;
            }
            Error error = cannery::error(ErrorCode::InvalidArgument, kUnusableRow, m_table.file,
                                         m_number, wanted.column.name(), describe(fault));
            if (!m_table.skipBadRows) {
                return tl::make_unexpected(std::move(error));
            }
            m_refused.add({0, m_number, m_number - 1, std::move(error.sentence)});
        }
        return isGood;
    }

    const SqliteTable& m_table;
    SqliteRows m_rows;
    std::vector<Wanted> m_columns;
    ChunkRequest m_request;
    ReadGuard m_guard;          ///< a row that was stepped over is not read again
    std::uint64_t m_number = 0; ///< rows stepped over
    std::uint64_t m_made = 0;
    RefusedRows m_refused;
    bool m_ended = false;
};

/// Columns as their schema reads them, to find out which rows a pass leaves out.
std::vector<SqliteStream::Wanted> typedColumns(const TableSchema& schema)
{
    std::vector<SqliteStream::Wanted> columns;
    for (const ColumnSchema& column : schema.columns) {
        columns.push_back(
            {static_cast<int>(column.index),
             TypedColumn(column.name, column.dtype, column.missingTokens, column.notation)});
    }
    return columns;
}

bool fits(const SqliteRows& rows, std::vector<SqliteStream::Wanted>& columns)
{
    return std::all_of(columns.begin(), columns.end(), [&](SqliteStream::Wanted& wanted) {
        // One row at a time, only to see whether it fits.
        wanted.column.start(1);
        return rows.copyCell(wanted.index, 0, wanted.column) == CellFault::None;
    });
}

/// The texts of up to `most` rows from `first` on, without those that fit no pass.
Result<std::vector<std::vector<std::string>>>
rowTexts(const SqliteTable& table, std::uint64_t first, std::uint64_t most, bool isPass)
{
    std::vector<SqliteStream::Wanted> columns = typedColumns(table.schema);
    // The line break ends a comment at the end of the user's query, which would hide the bracket.
    CANNERY_TRY_ASSIGN(SqliteRows rows,
                       SqliteRows::open(table.file, fmt::format("SELECT * FROM ({}\n) LIMIT {} "
                                                                "OFFSET {}",
                                                                table.query, most, first)));
    std::vector<std::vector<std::string>> texts;
    std::string text;
    while (true) {
        CANNERY_TRY_ASSIGN(const bool isThere, rows.step());
        if (!isThere) {
            return texts;
        }
        // Pages count rows as a pass does.
        if (isPass && !fits(rows, columns)) {
            continue;
        }
        std::vector<std::string>& cells = texts.emplace_back();
        for (const ColumnSchema& column : table.schema.columns) {
            rows.cellText(static_cast<int>(column.index), text);
            cells.push_back(toUtf8(text));
        }
    }
}

class SqliteRowReader final : public RowReader
{
public:
    explicit SqliteRowReader(const SqliteTable& table) : m_table(table) {}

    Result<std::vector<std::vector<std::string>>> read(const RowRange& range) const override
    {
        return guardMemory(m_table.file, [&] {
            return rowTexts(m_table, range.begin, range.end - range.begin, true);
        });
    }

    Result<std::string> rowText(std::size_t /*file*/, std::uint64_t offset) const override
    {
        CANNERY_TRY_ASSIGN(const auto rows, rowTexts(m_table, offset, 1, false));
        std::string text;
        for (const std::string& cell : rows.empty() ? std::vector<std::string>() : rows.front()) {
            text += (text.empty() ? "" : ", ") + cell;
        }
        return text;
    }

    std::optional<std::string> cellOfRefused(std::size_t /*file*/, std::uint64_t offset,
                                             const std::string& column) const override
    {
        const auto rows = rowTexts(m_table, offset, 1, false);
        const std::vector<std::string> names = m_table.schema.names();
        const auto at =
            static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin());
        // The row may be gone meanwhile.
        const bool isThere = rows && !rows->empty() && at < rows->front().size();
        return isThere ? std::optional(rows->front()[at]) : std::nullopt;
    }

    Result<void> reach(std::size_t /*file*/, std::uint64_t /*end*/) const override { return {}; }

private:
    const SqliteTable& m_table;
};

class SqliteSource final : public DataSource
{
public:
    explicit SqliteSource(SqliteTable table) : m_table(std::move(table)) {}

    const TableSchema& schema() const override { return m_table.schema; }
    const std::vector<std::string>& files() const override { return m_table.files; }
    std::vector<SourceSetting> settings() const override
    {
        // A table that is named was not found out.
        if (m_table.found.empty()) {
            return {};
        }
        return {{.field = "table",
                 .value = m_table.found,
                 .reason = "the only table of the database",
                 .isDetected = true,
                 .belongsInExperiment = true}};
    }
    Result<std::string> fingerprint() const override
    {
        return fingerprintOf(*m_table.kept, m_table.files.size());
    }

    Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const override
    {
        std::vector<SqliteStream::Wanted> columns;
        const SchemaIndex known(m_table.schema);
        for (const ColumnRequest& wanted : request.columns) {
            const ColumnSchema* column = known.find(wanted.column);
            if (column == nullptr) {
                return fail(ErrorCode::NotFound, kNoSuchColumn, m_table.file, wanted.column,
                            suggestion(wanted.column, m_table.schema.names()));
            }
            columns.push_back({static_cast<int>(column->index),
                               TypedColumn(wanted.as.empty() ? column->name : wanted.as,
                                           wanted.dtype.value_or(column->dtype),
                                           column->missingTokens, column->notation)});
        }
        CANNERY_TRY_ASSIGN(SqliteRows rows, SqliteRows::open(m_table.file, m_table.query));
        return std::unique_ptr<ChunkStream>(
            std::make_unique<SqliteStream>(m_table, std::move(rows), std::move(columns), request));
    }

    Result<std::unique_ptr<RowReader>> rowReader() const override
    {
        return std::unique_ptr<RowReader>(std::make_unique<SqliteRowReader>(m_table));
    }

    Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const override
    {
        return rowTexts(m_table, 0, maxRows, false);
    }

private:
    SqliteTable m_table;
};

/// What the first rows have shown of the columns.
struct SqliteEvidence
{
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> tokens;
    std::vector<storage::NotationReader> notations;
    std::vector<TypeEvidence> types;
    std::vector<bool> holdsBytes; ///< that are not text
    std::uint64_t bytes = 0;
    std::uint64_t rows = 0;

    void observe(const SqliteRows& from)
    {
        ++rows;
        std::string text;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool isNull = !from.cellText(static_cast<int>(i), text);
            // One byte more, so that empty cells come to an end, too.
            bytes += text.size() + 1;
            if (isNull || text.empty() || isToken(i, text)) {
                types[i].observeMissing();
            } else if (mayBeToken(i, text)) {
                types[i].observePerhapsMissing(text, rows);
            } else if (!isUtf8(text) || text.find('\0') != std::string::npos) {
                holdsBytes[i] = true;
                // A number in SQLite's own type is written with a point, whatever notation the
                // column's texts have.
            } else if (from.isNumber(static_cast<int>(i))) {
                types[i].observe(text, storage::PaddedText(text).view(), rows);
            } else {
                types[i].observeWritten(text, notations[i], rows);
            }
        }
    }

    bool isToken(std::size_t column, std::string_view text) const
    {
        return std::find(tokens[column].begin(), tokens[column].end(), text) !=
               tokens[column].end();
    }

    /// Without the blanks around both, as among numbers.
    bool mayBeToken(std::size_t column, std::string_view text) const
    {
        return std::any_of(tokens[column].begin(), tokens[column].end(),
                           [bare = storage::trimmed(text)](const std::string& token) {
                               return storage::trimmed(token) == bare;
                           });
    }
};

Result<SqliteEvidence> evidenceFor(const SqliteTable& table, const SqliteRows& rows,
                                   const SourceOptions& options)
{
    SqliteEvidence evidence{.names = rows.columnNames()};
    std::set<std::string> seen;
    for (const std::string& name : evidence.names) {
        // Columns are found by name from here on.
        if (!seen.insert(name).second) {
            return fail(ErrorCode::InvalidArgument, kTwoColumns, table.file, name);
        }
        evidence.tokens.push_back(missingTokensOf({}, options, name));
        // Texts with numbers are read as in a CSV file.
        evidence.notations.emplace_back(notationOf(options, name, '.'));
    }
    evidence.types.resize(evidence.names.size(), TypeEvidence(options.kinds));
    evidence.holdsBytes.resize(evidence.names.size());
    return evidence;
}

/// Looks at the first rows and infers the columns as those of a CSV file.
Result<TableSchema> inferSqlite(const SqliteTable& table, const SourceOptions& options)
{
    CANNERY_TRY_ASSIGN(SqliteRows rows, SqliteRows::open(table.file, table.query));
    CANNERY_TRY_ASSIGN(SqliteEvidence evidence, evidenceFor(table, rows, options));
    TableSchema schema;
    // By bytes, as cells may be long.
    while (evidence.bytes < kInferredBytes) {
        CANNERY_TRY_ASSIGN(const bool isThere, rows.step());
        if (!isThere) {
            schema.sawAllRows = true;
            break;
        }
        evidence.observe(rows);
    }
    // A table without rows has no types either.
    if (evidence.rows == 0) {
        return fail(ErrorCode::InvalidArgument, kNoSqliteRows, table.file, table.query);
    }
    schema.rowsSeen = evidence.rows;
    FingerprintSet spare;
    for (std::size_t i = 0; i < evidence.names.size(); ++i) {
        evidence.types[i].finish(spare);
        // A warning, not an error: a table with pictures can be trained on its other columns.
        if (evidence.holdsBytes[i] || !isUtf8(evidence.names[i])) {
            // By its name, which may be bytes as well.
            schema.warnings.push_back(
                fmt::format("column {} holds bytes that are no text; it is left out",
                            toUtf8(evidence.names[i])));
        } else {
            schema.columns.push_back(describeColumn(evidence.types[i], evidence.names[i], i));
            schema.columns.back().missingTokens = evidence.tokens[i];
            schema.columns.back().notation = notationOf(options, evidence.names[i], '.');
        }
    }
    return schema;
}

Result<std::unique_ptr<DataSource>> openDatabase(const spec::DataSource& source,
                                                 const SourceOptions& options)
{
    const spec::SqliteSource& message = source.sqlite();
    SqliteTable table{.file = storage::joinPath(options.folder, message.file()),
                      .skipBadRows = options.badRows == spec::BadRows::SKIP};
    // The library would create a file that is missing.
    CANNERY_TRY(storage::ReadableFile::open(table.file)); // says why a file cannot be read
    CANNERY_TRY_ASSIGN(const SqliteChoice choice, chosenRows(message, table.file));
    table.query = choice.query;
    table.found = choice.found;
    table.files = {table.file};
    // Rows that are committed but not yet in the main file are in the log, so both are the data.
    const std::string log = table.file + "-wal";
    if (storage::exists(log) && storage::fileSize(log).value_or(0) > 0) {
        table.files.push_back(log);
    }
    table.kept = std::make_shared<const storage::CachedFiles>(table.files);
    CANNERY_TRY_ASSIGN(table.schema, inferSqlite(table, options));
    for (ColumnSchema& column : table.schema.columns) {
        settle(options, column);
    }
    // After the schema, which has the columns.
    CANNERY_TRY(checkDescribedColumns(options, table.schema.names(), table.file));
    return std::unique_ptr<DataSource>(std::make_unique<SqliteSource>(std::move(table)));
}

} // namespace

Result<std::unique_ptr<DataSource>> openSqliteSource(const spec::DataSource& source,
                                                     const SourceOptions& options)
{
    return guardMemory("a database", [&] { return openDatabase(source, options); });
}

void setSqliteFiles(spec::DataSource& source, const std::vector<std::string>& files)
{
    source.mutable_sqlite()->set_file(files.front());
}

bool isSqlite(const std::string& path)
{
    const Result<storage::ReadableFile> file = storage::ReadableFile::open(path);
    std::string start(kMagic.size(), '\0');
    // A file shorter than this is none.
    return file && file->readAt(0, std::as_writable_bytes(std::span(start))) == start.size() &&
           start == kMagic;
}

} // namespace cannery::data
