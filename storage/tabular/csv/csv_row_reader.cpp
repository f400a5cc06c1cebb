// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_row_reader.h"

#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "storage/io/cached_files.h"
#include "storage/io/readable_file.h"
#include "storage/io/zipped_table.h"
#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/sample_records.h"
#include "storage/tabular/text_conversion.h"
#include "storage/tabular/text_stream.h"

#include <algorithm>
#include <array>

namespace cannery::storage {

namespace {

constexpr ErrorKind kTableChanged{"csv.changed",
                                  "{} has changed since it was read. Read the table again."};

/// How much of a refused record is shown.
constexpr std::size_t kShownBytes = 1000;
/// Of a record whose cells are looked at.
constexpr std::size_t kReadBytes = std::size_t{1} << 20U;

} // namespace

/// How the text of a file is read: in place, or from a copy.
struct CsvRowReader::Opened
{
    std::unique_ptr<TextSpool> spool; ///< null if in place
};

CsvRowReader::CsvRowReader(CsvFiles files, std::vector<CsvColumn> columns)
    : m_files(std::move(files)), m_columns(std::move(columns)), m_opened(m_files.paths.size())
{
    for (const std::string& path : m_files.paths) {
        m_stamps.push_back(stampOf(path));
    }
}

CsvRowReader::~CsvRowReader() = default;

Result<CsvRowReader::Opened*> CsvRowReader::open(std::size_t file) const
{
    const std::lock_guard lock(m_mutex);
    if (m_opened[file]) {
        return m_opened[file].get();
    }
    const std::string& path = m_files.paths[file];
    CANNERY_TRY_ASSIGN(ByteSource bytes, m_files.kept->open(file));
    std::array<std::byte, 64> start{};
    CANNERY_TRY_ASSIGN(const std::size_t got, bytes(start));
    const bool isPacked =
        sniffCompression(std::span(start).first(got)) != Compression::None || beginsAsZip(path);
    CANNERY_TRY_ASSIGN(ByteSource whole, m_files.kept->open(file));
    // Opened only to learn the encoding, which the first bytes decide.
    CANNERY_TRY_ASSIGN(TextStream probe,
                       TextStream::open(std::move(whole), m_files.dialect.encoding, path));
    const bool isConverted = m_files.conversion != nullptr;
    if (!isConverted) {
        CANNERY_TRY(probe.read(start));
    }
    auto opened = std::make_unique<Opened>();
    // Offsets of rows are those of the decoded text. Only if that is the file byte for byte can it
    // be read in place.
    if (isPacked || isConverted || isDecoded(probe.encoding())) {
        CANNERY_TRY_ASSIGN(ByteSource again, m_files.kept->open(file));
        CANNERY_TRY_ASSIGN(ByteSource text, openText(m_files, file, std::move(again)));
        CANNERY_TRY_ASSIGN(opened->spool, TextSpool::create(std::move(text), path));
    }
    m_opened[file] = std::move(opened);
    return m_opened[file].get();
}

Result<void> CsvRowReader::reach(std::size_t file, std::uint64_t end) const
{
    CANNERY_TRY_ASSIGN(const Opened* opened, open(file));
    return opened->spool ? opened->spool->reach(end) : Result<void>();
}

Result<std::size_t> CsvRowReader::readText(const TextRange& range, std::span<char> room) const
{
    const std::string& path = m_files.paths[range.file];
    const std::span<std::byte> bytes = std::as_writable_bytes(room);
    CANNERY_TRY_ASSIGN(const Opened* opened, open(range.file));
    if (opened->spool) {
        return opened->spool->readAt(range.begin, bytes);
    }
    // Offsets of another content would show other rows without a word.
    if (stampOf(path) != m_stamps[range.file]) {
        return fail(ErrorCode::FailedPrecondition, kTableChanged, path);
    }
    CANNERY_TRY_ASSIGN(const ReadableFile file, ReadableFile::open(path));
    return file.readAt(range.begin, bytes);
}

std::string CsvRowReader::shown(std::string_view cell) const
{
    return m_files.dialect.encoding == TextEncoding::Latin1 ? utf8FromLatin1(cell)
                                                            : withoutMarks(cell);
}

Result<std::vector<std::vector<std::string>>> CsvRowReader::read(const TextRange& range) const
{
    using Rows = std::vector<std::vector<std::string>>;
    return guardMemory(m_files.paths[range.file], [&]() -> Result<Rows> {
        const auto length = static_cast<std::size_t>(range.end - range.begin);
        std::vector<char> buffer(length + 2 * kTextPadding);
        const std::span<char> room(buffer.data() + kTextPadding, length);
        CANNERY_TRY_ASSIGN(const std::size_t got, readText(range, room));
        if (got < length) {
            return fail(ErrorCode::FailedPrecondition, kTableChanged, m_files.paths[range.file]);
        }
        CellTable table;
        table.columns = m_files.columnNames.size();
        scanCells(std::string_view(room.data(), length), m_files.dialect, table);
        const std::vector<std::uint32_t> begins = table.rowBegins;
        ParseWarnings warnings;
        parseCells(table, m_files.dialect, m_columns, warnings);
        Rows rows;
        rows.reserve(table.rowCount());
        std::string scratch;
        for (std::size_t row = 0; row < begins.size(); ++row) {
            // parseCells() takes out the rows that it refuses; those that are left are found again
            // by where they begin.
            if (rows.size() == table.rowCount() || begins[row] != table.rowBegins[rows.size()]) {
                continue; // refused because of a cell
            }
            std::vector<std::string>& cells = rows.emplace_back();
            cells.reserve(table.columns);
            for (std::size_t column = 0; column < table.columns; ++column) {
                cells.push_back(
                    shown(table.value(table.cell(row, column), m_files.dialect.quote, scratch)));
            }
        }
        return rows;
    });
}

Result<std::pair<std::string, bool>> CsvRowReader::textAt(std::size_t file, std::uint64_t offset,
                                                          std::size_t most) const
{
    std::vector<char> buffer(most + 2 * kTextPadding);
    const std::span<char> room(buffer.data() + kTextPadding, most);
    // Only the beginning counts: where the record ends is to be found.
    CANNERY_TRY_ASSIGN(const std::size_t got,
                       readText({.file = file, .begin = offset, .end = offset}, room));
    const std::string_view text(room.data(), got);
    std::size_t end = firstRecordEnd(text, m_files.dialect, got < room.size());
    const bool isCut = end == std::string_view::npos && got == room.size();
    end = std::min(end, got);
    while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == '\r')) {
        --end;
    }
    return std::pair(std::string(text.substr(0, end)), !isCut);
}

Result<std::string> CsvRowReader::recordAt(std::size_t file, std::uint64_t offset) const
{
    CANNERY_TRY_ASSIGN(const auto record, textAt(file, offset, kShownBytes));
    return printable(shown(record.first)) + (record.second ? "" : "…");
}

Result<std::vector<std::string>> CsvRowReader::cellsAt(std::size_t file, std::uint64_t offset) const
{
    CANNERY_TRY_ASSIGN(const auto record, textAt(file, offset, kReadBytes));
    std::string padded(kTextPadding, '\0');
    padded.append(record.first).append(kTextPadding, '\0');
    std::vector<std::string> cells = cellsOf(
        std::string_view(padded).substr(kTextPadding, record.first.size()), m_files.dialect);
    // The last one may be only half.
    if (!record.second && !cells.empty()) {
        cells.pop_back();
    }
    for (std::string& cell : cells) {
        cell = m_files.dialect.encoding == TextEncoding::Latin1 ? utf8FromLatin1(cell)
               : isUtf8(cell)                                   ? cell
                                                                : std::string();
    }
    return cells;
}

} // namespace cannery::storage
