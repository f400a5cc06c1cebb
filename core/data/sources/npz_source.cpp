// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/npz_source.h"

#include "core/base/catalog.h"
#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "core/data/data_errors.h"
#include "core/data/data_fingerprint.h"
#include "core/data/rows/row_reader.h"
#include "core/data/sources/npz_rows.h"
#include "core/data/sources/refused_rows.h"
#include "core/data/typing/column_settlement.h"
#include "core/data/typing/kind_guess.h"
#include "core/data/typing/schema_index.h"
#include "core/data/typing/schema_inference.h"
#include "core/data/typing/type_evidence.h"
#include "storage/io/cached_files.h"
#include "storage/io/files.h"
#include "storage/io/zip_archive.h"
#include "storage/tabular/file_patterns.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cannery::data {

namespace {

using storage::NpyKind;

constexpr ErrorKind kNoNpzRows{"npz.no_rows", "The arrays of {} are empty. Name an archive that "
                                              "has at least one example."};
constexpr ErrorKind kOtherArrays{
    "npz.other_arrays",
    "{} has other arrays than {}. All files of a source need the same names and dtypes."};
constexpr ErrorKind kUnusableElement{
    "npz.unusable_row",
    "{}: example {}: the value of column {} {}. Correct it, or set bad_rows to SKIP."};
constexpr std::size_t kMostChunkRows = 4096;
constexpr std::size_t kChunkBytes = std::size_t{8} << 20U;
constexpr std::uint64_t kInferredBytes = std::uint64_t{16} << 20U;

struct NpzTable
{
    std::vector<std::string> paths;
    NpzLayout layout; ///< of the first file; rows: of all
    TableSchema schema;
    bool skipBadRows = false;
    std::shared_ptr<const storage::CachedFiles> kept;

    /// So that a block of rows stays small.
    std::size_t chunkRows() const
    {
        // One byte, so that the sum is never 0.
        std::size_t bytes = 1;
        for (const NpzPlace& place : layout.places) {
            bytes += place.itemBytes;
        }
        // At least one row, however large it is.
        return std::clamp<std::size_t>(kChunkBytes / bytes, 1, kMostChunkRows);
    }
};

class NpzStream final : public ChunkStream
{
public:
    NpzStream(const NpzTable& table, std::vector<NpzPlace> places, std::vector<TypedColumn> columns,
              ChunkRequest request)
        : m_table(table), m_places(std::move(places)), m_columns(std::move(columns)),
          m_request(std::move(request)), m_refused(m_request.maxRefused)
    {}

    Result<std::optional<storage::TableChunk>> next() override
    {
        return m_guard.run(m_table.paths.front(), [this] { return read(); });
    }

    ReadReport report() const override { return m_refused.report(m_made); }

    std::vector<RefusedRow> refused(std::size_t from) const override
    {
        return m_refused.from(from);
    }

private:
    Result<std::optional<storage::TableChunk>> read()
    {
        // No more rows than were asked for, by whole blocks.
        const bool isOver = m_request.maxRows > 0 && m_made >= m_request.maxRows;
        while (!isOver && m_file < m_table.paths.size()) {
            if (!m_rows) {
                CANNERY_TRY_ASSIGN(NpzRows rows, NpzRows::open(m_table.paths[m_file], m_places));
                m_rows.emplace(std::move(rows));
                m_number = 0;
            }
            CANNERY_TRY_ASSIGN(const std::size_t count, m_rows->next(m_table.chunkRows()));
            if (count == 0) {
                // The next file begins with the next call of open().
                m_rows.reset();
                ++m_file;
                continue;
            }
            CANNERY_TRY_ASSIGN(storage::TableChunk chunk, convert(count));
            // A block of rows that are all left out makes no chunk: an empty one would mean the
            // end.
            if (chunk.rows > 0) {
                chunk.firstRow = m_made;
                m_made += chunk.rows;
                return std::optional(std::move(chunk));
            }
        }
        return std::optional<storage::TableChunk>();
    }

    Result<storage::TableChunk> convert(std::size_t count)
    {
        for (TypedColumn& column : m_columns) {
            column.start(count);
        }
        storage::TableChunk chunk{.file = m_file};
        std::vector<std::uint32_t> good;
        for (std::size_t row = 0; row < count; ++row) {
            ++m_number;
            CANNERY_TRY_ASSIGN(const bool isGood, convertRow(row));
            if (isGood) {
                good.push_back(static_cast<std::uint32_t>(row));
                chunk.lines.push_back(m_number);
                // Rows of an archive have no bytes of their own: the offset is the row's number,
                // from 0.
                chunk.offsets.push_back(m_number - 1);
            }
        }
        chunk.rows = good.size();
        chunk.textEnd = m_number;
        for (TypedColumn& column : m_columns) {
            storage::TableColumn whole = column.finish(count);
            // Usually all rows are good, and nothing is copied.
            chunk.columns.push_back(good.size() == count ? std::move(whole)
                                                         : storage::gather(whole, good));
        }
        return chunk;
    }

    /// Returns false if the row is left out.
    Result<bool> convertRow(std::size_t row)
    {
        bool isGood = true;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const CellFault fault = m_rows->copyCell(i, row, row, m_columns[i]);
            if (fault == CellFault::None) {
                continue;
            }
            // Strings are appended, so a column with a fault still needs something for the row.
            m_columns[i].setMissing(row);
            // One sentence a row. The other columns go on, as each must have a value in every row.
            if (!std::exchange(isGood, false)) {
                continue;
            }
            Error error =
                cannery::error(ErrorCode::InvalidArgument, kUnusableElement, m_table.paths[m_file],
                               m_number, m_columns[i].name(), describe(fault));
            if (!m_table.skipBadRows) {
                return tl::make_unexpected(std::move(error));
            }
            m_refused.add({m_file, m_number, m_number - 1, std::move(error.sentence)});
        }
        return isGood;
    }

    const NpzTable& m_table;
    std::vector<NpzPlace> m_places;
    std::vector<TypedColumn> m_columns;
    ChunkRequest m_request;
    ReadGuard m_guard; ///< rows taken from the arrays are not read again
    std::optional<NpzRows> m_rows;
    std::size_t m_file = 0;
    std::uint64_t m_number = 0; ///< rows of this file so far
    std::uint64_t m_made = 0;
    RefusedRows m_refused;
};

/// Columns as their schema reads them, to find out which rows a pass leaves out.
std::vector<TypedColumn> columnsToFit(const TableSchema& schema)
{
    std::vector<TypedColumn> columns;
    for (const ColumnSchema& column : schema.columns) {
        columns.emplace_back(column.name, column.dtype, column.missingTokens, column.notation);
    }
    return columns;
}

bool fitsColumns(NpzRows& rows, std::size_t row, const TableSchema& schema,
                 std::vector<TypedColumn>& columns)
{
    for (std::size_t i = 0; i < columns.size(); ++i) {
        // One row at a time, only to see whether it fits.
        columns[i].start(1);
        if (rows.copyCell(schema.columns[i].index, row, 0, columns[i]) != CellFault::None) {
            return false;
        }
    }
    return true;
}

/// The texts of up to `most` rows of a file from `first` on, without those that fit no pass.
Result<std::vector<std::vector<std::string>>> elementTexts(const NpzTable& table, std::size_t file,
                                                           std::uint64_t first, std::uint64_t most,
                                                           bool isPass)
{
    std::vector<TypedColumn> columns = columnsToFit(table.schema);
    CANNERY_TRY_ASSIGN(NpzRows rows, NpzRows::open(table.paths[file], table.layout.places, first));
    std::vector<std::vector<std::string>> texts;
    for (std::uint64_t seen = 0; seen < most;) {
        CANNERY_TRY_ASSIGN(const std::size_t count,
                           rows.next(static_cast<std::size_t>(
                               std::min<std::uint64_t>(most - seen, table.chunkRows()))));
        if (count == 0) {
            break;
        }
        seen += count;
        for (std::size_t row = 0; row < count; ++row) {
            // Rows are counted as a pass counts them, so that pages of the browser agree with its
            // numbers.
            if (isPass && !fitsColumns(rows, row, table.schema, columns)) {
                continue;
            }
            std::vector<std::string>& cells = texts.emplace_back();
            for (const ColumnSchema& column : table.schema.columns) {
                // A text of bytes may be in any encoding, and must be shown.
                cells.push_back(toUtf8(rows.cellText(column.index, row)));
            }
        }
    }
    return texts;
}

class NpzRowReader final : public RowReader
{
public:
    explicit NpzRowReader(const NpzTable& table) : m_table(table) {}

    Result<std::vector<std::vector<std::string>>> read(const RowRange& range) const override
    {
        return guardMemory(m_table.paths[range.file], [&] {
            return elementTexts(m_table, range.file, range.begin, range.end - range.begin, true);
        });
    }

    Result<std::string> rowText(std::size_t file, std::uint64_t offset) const override
    {
        CANNERY_TRY_ASSIGN(const auto rows, elementTexts(m_table, file, offset, 1, false));
        std::string text;
        for (const std::string& cell : rows.empty() ? std::vector<std::string>() : rows.front()) {
            // An example as a line of its cells.
            text += (text.empty() ? "" : ", ") + cell;
        }
        return text;
    }

    Result<void> reach(std::size_t /*file*/, std::uint64_t /*end*/) const override { return {}; }

private:
    const NpzTable& m_table;
};

class NpzSource final : public DataSource
{
public:
    explicit NpzSource(NpzTable table) : m_table(std::move(table)) {}

    const TableSchema& schema() const override { return m_table.schema; }
    const std::vector<std::string>& files() const override { return m_table.paths; }
    Result<std::string> fingerprint() const override
    {
        return fingerprintOf(*m_table.kept, m_table.paths.size());
    }

    Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const override
    {
        std::vector<NpzPlace> places;
        std::vector<TypedColumn> columns;
        const SchemaIndex known(m_table.schema);
        for (const ColumnRequest& wanted : request.columns) {
            const ColumnSchema* column = known.find(wanted.column);
            if (column == nullptr) {
                return fail(ErrorCode::NotFound, kNoSuchColumn, m_table.paths.front(),
                            wanted.column, suggestion(wanted.column, m_table.schema.names()));
            }
            places.push_back(m_table.layout.places[column->index]);
            columns.emplace_back(wanted.as.empty() ? column->name : wanted.as,
                                 wanted.dtype.value_or(column->dtype), column->missingTokens,
                                 column->notation);
        }
        return std::unique_ptr<ChunkStream>(
            std::make_unique<NpzStream>(m_table, std::move(places), std::move(columns), request));
    }

    Result<std::unique_ptr<RowReader>> rowReader() const override
    {
        return std::unique_ptr<RowReader>(std::make_unique<NpzRowReader>(m_table));
    }

    Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const override
    {
        return elementTexts(m_table, 0, 0, maxRows, false);
    }

private:
    NpzTable m_table;
};

DType dtypeOf(const NpzPlace& place, const TypeEvidence& evidence)
{
    constexpr std::size_t kNarrow = 4;
    switch (place.kind) {
    case NpyKind::Float:
        // Values beyond float32 were seen.
        return evidence.doubles > 0 ? DType::Float64 : DType::Float32;
    case NpyKind::Integer:
    case NpyKind::Boolean:
        return place.itemBytes <= kNarrow ? DType::Int32 : DType::Int64;
    case NpyKind::Unsigned:
        // uint32 needs an int64: half of its values are beyond int32.
        return place.itemBytes < kNarrow ? DType::Int32 : DType::Int64;
    case NpyKind::Bytes:
    case NpyKind::Unicode:
        break;
    }
    return DType::String;
}

/// The columns by their dtypes; their purposes by the first rows of the first file.
Result<TableSchema> inferNpz(const NpzTable& table, const SourceOptions& options)
{
    CANNERY_TRY_ASSIGN(NpzRows rows, NpzRows::open(table.paths.front(), table.layout.places));
    const std::size_t columns = table.layout.names.size();
    std::vector<TypeEvidence> evidences(columns, TypeEvidence(options.kinds));
    TableSchema schema;
    std::uint64_t bytes = 0;
    // By the text that the values take, so that long texts are not looked at for minutes.
    while (bytes < kInferredBytes) {
        CANNERY_TRY_ASSIGN(const std::size_t count, rows.next(table.chunkRows()));
        if (count == 0) {
            // Only the first file is looked at, so it must be the only one.
            schema.sawAllRows = table.paths.size() == 1;
            break;
        }
        for (std::size_t row = 0; row < count; ++row) {
            ++schema.rowsSeen;
            for (std::size_t i = 0; i < columns; ++i) {
                const std::string text = rows.cellText(i, row);
                bytes += text.size() + 1;
                // An empty text is missing, as in a CSV file.
                if (text.empty()) {
                    evidences[i].observeMissing();
                } else {
                    evidences[i].observe(text, storage::PaddedText(text).view(), schema.rowsSeen);
                }
            }
        }
    }
    FingerprintSet spare;
    for (std::size_t i = 0; i < columns; ++i) {
        evidences[i].finish(spare);
        ColumnSchema column = describeColumn(evidences[i], table.layout.names[i], i);
        // The archive states its types; what the texts of its values look like must not change
        // them.
        column.dtype = dtypeOf(table.layout.places[i], evidences[i]);
        column.reason = fmt::format("as the dtype of array {} says", table.layout.places[i].array);
        column.suggestedMissingTokens = evidences[i].infiniteTexts();
        column.suggestedNotation.reset();
        column.notationDoubt.clear();
        guessKind(evidences[i], column);
        column.missingTokens = missingTokensOf({}, options, column.name);
        column.notation = notationOf(options, column.name, '.');
        schema.columns.push_back(std::move(column));
    }
    for (const std::string& name : table.layout.leftOut) {
        schema.warnings.push_back(
            fmt::format("array {} is one value, not one per example; it is left out", name));
    }
    return schema;
}

Result<NpzTable> findArchives(const spec::NpzSource& message, const SourceOptions& options)
{
    std::vector<std::string> patterns;
    for (const std::string& file : message.files()) {
        patterns.push_back(storage::joinPath(options.folder, file));
    }
    NpzTable table{.skipBadRows = options.badRows == spec::BadRows::SKIP};
    CANNERY_TRY_ASSIGN(table.paths, storage::expandToFiles(patterns));
    // All headers are read now, so that a pass over many files does not fail in the last one.
    for (const std::string& path : table.paths) {
        CANNERY_TRY_ASSIGN(NpzLayout layout, npzLayout(path));
        // The first file says what the others must be like.
        if (&path == &table.paths.front()) {
            table.layout = std::move(layout);
            continue;
        }
        const auto isSame = [](const NpzPlace& a, const NpzPlace& b) {
            return a.array == b.array && a.width == b.width && a.kind == b.kind &&
                   a.itemBytes == b.itemBytes;
        };
        if (!std::equal(layout.places.begin(), layout.places.end(), table.layout.places.begin(),
                        table.layout.places.end(), isSame)) {
            return fail(ErrorCode::InvalidArgument, kOtherArrays, path, table.paths.front());
        }
        // Of all files, for the progress.
        table.layout.rows += layout.rows;
    }
    if (table.layout.rows == 0) {
        return fail(ErrorCode::InvalidArgument, kNoNpzRows, table.paths.front());
    }
    table.kept = std::make_shared<const storage::CachedFiles>(table.paths);
    return table;
}

Result<std::unique_ptr<DataSource>> openArchives(const spec::DataSource& source,
                                                 const SourceOptions& options)
{
    CANNERY_TRY_ASSIGN(NpzTable table, findArchives(source.npz(), options));
    CANNERY_TRY_ASSIGN(table.schema, inferNpz(table, options));
    for (ColumnSchema& column : table.schema.columns) {
        // What the experiment says comes last, and wins.
        settle(options, column);
    }
    CANNERY_TRY(checkDescribedColumns(options, table.schema.names(), table.paths.front()));
    return std::unique_ptr<DataSource>(std::make_unique<NpzSource>(std::move(table)));
}

} // namespace

Result<std::unique_ptr<DataSource>> openNpzSource(const spec::DataSource& source,
                                                  const SourceOptions& options)
{
    return guardMemory("a NumPy archive", [&] { return openArchives(source, options); });
}

void setNpzFiles(spec::DataSource& source, const std::vector<std::string>& files)
{
    source.mutable_npz()->clear_files();
    for (const std::string& file : files) {
        source.mutable_npz()->add_files(file);
    }
}

bool isNpz(const std::string& path)
{
    if (!storage::isZipArchive(path)) {
        return false;
    }
    const Result<storage::ZipArchive> archive = storage::ZipArchive::open(path);
    return archive && !archive->entries().empty() &&
           // An Excel workbook or a model is a zip archive, too.
           std::all_of(archive->entries().begin(), archive->entries().end(),
                       [](const storage::ZipEntry& entry) { return entry.name.ends_with(".npy"); });
}

} // namespace cannery::data
