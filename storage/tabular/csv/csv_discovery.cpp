// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_discovery.h"

#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "storage/io/cached_files.h"
#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/csv/csv_layout.h"
#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/csv/csv_parser.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/file_patterns.h"
#include "storage/tabular/sample_records.h"
#include "storage/tabular/text_bytes.h"
#include "storage/tabular/text_stream.h"

#include <algorithm>
#include <map>

namespace cannery::storage {

namespace {

constexpr std::size_t kSampleBytes = 256U << 10U;

/// The first bytes of a file, without the byte order mark, with padding on both sides.
class FileStart
{
public:
    static Result<FileStart> read(const CsvFiles& files, std::size_t file, std::size_t bytes)
    {
        CANNERY_TRY_ASSIGN(ByteSource source, files.kept->open(file));
        CANNERY_TRY_ASSIGN(
            TextStream reader,
            TextStream::open(std::move(source), files.dialect.encoding, files.paths[file]));
        FileStart start;
        start.m_buffer.resize(bytes + 2 * kTextPadding);
        const std::span<char> room(start.m_buffer.data() + kTextPadding, bytes);
        CANNERY_TRY_ASSIGN(const std::size_t got, reader.read(std::as_writable_bytes(room)));
        start.m_isWhole = got < bytes;
        std::fill(start.m_buffer.begin() + static_cast<std::ptrdiff_t>(kTextPadding + got),
                  start.m_buffer.end(), '\0');
        std::string_view text(start.m_buffer.data() + kTextPadding, got);
        text = start.m_isWhole ? withoutEndMark(text) : text;
        start.m_encoding = reader.encoding();
        start.m_mark = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
        start.m_length = text.size() - start.m_mark;
        return start;
    }

    std::string_view text() const { return {m_buffer.data() + kTextPadding + m_mark, m_length}; }
    /// Bytes before the text.
    std::size_t markBytes() const { return m_mark; }
    bool isWhole() const { return m_isWhole; }
    /// The encoding of the file's own mark, or else the dialect's.
    TextEncoding encoding() const { return m_encoding; }

private:
    std::vector<char> m_buffer;
    std::size_t m_mark = 0;
    std::size_t m_length = 0;
    bool m_isWhole = false;
    TextEncoding m_encoding = TextEncoding::Utf8;
};

/// The beginning of a file with two whole records at least, unless it has fewer.
Result<FileStart> readStart(const CsvFiles& files, std::size_t file)
{
    const std::string& path = files.paths[file];
    const std::size_t most = kCsvRecordBytes.value();
    // Larger samples only for files whose first records are longer; each attempt reads from the
    // start.
    for (std::size_t bytes = kSampleBytes;; bytes = std::min(bytes * 4, most)) {
        CANNERY_TRY_ASSIGN(FileStart start, FileStart::read(files, file, bytes));
        if (start.text().empty()) {
            return fail(ErrorCode::InvalidArgument, kEmptyFile, path);
        }
        const std::size_t whole = recordsOf(start.text(), start.isWhole(), files.dialect, 2).size();
        if (start.isWhole() || whole > 1 || (whole > 0 && bytes == most)) {
            return start;
        }
        if (bytes == most) {
            return fail(ErrorCode::ResourceExhausted, kRecordTooLong, path, 1, most,
                        kCsvRecordBytes.variable);
        }
    }
}

/// Why no table was found in the beginning of a file, or one with too many columns.
Result<void> checkLayout(const CsvLayout& layout, const FileStart& start, const CsvFiles& files,
                         std::size_t file, const DialectHints& hints)
{
    const std::string& path = files.paths[file];
    if (layout.columns > kCsvColumns.value()) {
        return fail(ErrorCode::InvalidArgument, kTooManyColumns, path, layout.columns,
                    kCsvColumns.value(), kCsvColumns.variable);
    }
    if (layout.columns > 0) {
        return {};
    }
    if (hints.skipRows.value_or(0) > 0) {
        return fail(ErrorCode::InvalidArgument, kSkipsAll, path, *hints.skipRows);
    }
    // Scanned once more, only to find out why.
    CellTable table;
    scanCells(start.text(), files.dialect, table);
    if (table.problems.empty()) {
        return fail(ErrorCode::InvalidArgument, kEmptyFile, path);
    }
    return tl::make_unexpected(rowError(table.problems.front(), {path, 1, {}, {}}));
}

Result<void> checkNames(const std::string& path, std::uint64_t line,
                        std::vector<std::string>& names, TextEncoding encoding)
{
    std::map<std::string, std::size_t> seen;
    std::optional<Error> first;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (encoding == TextEncoding::Latin1) {
            names[i] = utf8FromLatin1(names[i]);
        }
        if (const std::size_t at = findInvalidUtf8(names[i]); at != std::string::npos) {
            if (const auto fault = describeFault(std::string_view(names[i]).substr(at))) {
                return fail(ErrorCode::InvalidArgument, kInvalidText, path, line, *fault, i + 1);
            }
            return fail(ErrorCode::InvalidArgument, kNameNotUtf8, path, line, i + 1);
        }
        const auto [place, isNew] = seen.emplace(names[i], i);
        if (!isNew && !names[i].empty()) {
            // All repeated names in one error, so that they can be mended at once.
            Error twice = error(ErrorCode::InvalidArgument, kDuplicateColumn, path, line, names[i],
                                place->second + 1, i + 1);
            if (first) {
                first->notes.push_back(twice.sentence);
            } else {
                first = std::move(twice);
            }
        }
    }
    return first ? Result<void>(tl::make_unexpected(std::move(*first))) : Result<void>();
}

std::string firstDifference(const std::vector<std::string>& expected,
                            const std::vector<std::string>& got)
{
    if (expected.size() != got.size()) {
        return fmt::format("{} columns instead of {}", got.size(), expected.size());
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i] != expected[i]) {
            return fmt::format("column {} is \"{}\" instead of \"{}\"", i + 1, printable(got[i]),
                               printable(expected[i]));
        }
    }
    return {};
}

/// Finds the table in the files after the first one, which must have the same header.
Result<void> lookAtOtherFiles(CsvFiles& files, const CsvLayout& first, DialectHints hints,
                              std::vector<std::string>& remarks)
{
    // The first file decides whether there is a header; a short later one might look otherwise.
    hints.hasHeader = files.dialect.hasHeader;
    for (std::size_t i = 1; i < files.paths.size(); ++i) {
        CANNERY_TRY_ASSIGN(const FileStart start, readStart(files, i));
        const CsvLayout other = findLayout(start.text(), start.isWhole(), files.dialect, hints);
        CANNERY_TRY(checkLayout(other, start, files, i, hints));
        const std::string difference =
            files.dialect.hasHeader ? firstDifference(first.names, other.names)
            : other.columns != first.columns
                ? fmt::format("{} columns instead of {}", other.columns, first.columns)
                : std::string();
        if (!difference.empty()) {
            return fail(ErrorCode::InvalidArgument, kOtherHeader, files.paths[i],
                        files.paths.front(), difference);
        }
        files.rowsBegin.push_back(start.markBytes() + other.rowsBegin);
        for (const std::string& remark : other.remarks) {
            remarks.push_back(files.paths[i] + ": " + remark);
        }
    }
    return {};
}

Result<std::vector<std::string>> nameColumns(const CsvOpenOptions& options, const CsvFiles& files,
                                             const CsvLayout& layout)
{
    const std::vector<std::string>& given = options.hints.columnNames;
    if (!given.empty()) {
        if (given.size() != layout.columns) {
            return fail(ErrorCode::InvalidArgument, kColumnNameCount, given.size(),
                        files.paths.front(), layout.columns);
        }
        return given;
    }
    // A header that cannot be decoded has no names.
    if (layout.hasHeader && layout.names.size() == layout.columns) {
        return layout.names;
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < layout.columns; ++i) {
        names.push_back(fmt::format("c{}", i));
    }
    return names;
}

Result<CsvDiscovery> discover(const CsvOpenOptions& options)
{
    CsvDiscovery discovery;
    CsvFiles& files = discovery.files;
    DialectGuess& guess = discovery.guess;
    CANNERY_TRY_ASSIGN(files.paths, expandToFiles(options.patterns));
    files.kept = std::make_shared<const CachedFiles>(files.paths, CachedFiles::kKeptBytes,
                                                     CachedFiles::Archives::TheirTable);
    files.dialect.encoding = options.hints.encoding;
    files.dialect.quote = options.hints.quote.value_or(files.dialect.quote);
    const std::string& path = files.paths.front();
    CANNERY_TRY_ASSIGN(const FileStart start, readStart(files, 0));
    DialectHints hints = options.hints;
    hints.fileName = path;
    guess = detectDialect(start.text(), start.isWhole(), hints);
    guess.encoding = start.encoding();
    if (start.encoding() != options.hints.encoding) {
        guess.encodingReason =
            fmt::format("the byte order mark of {}", encodingName(start.encoding()));
    }
    files.dialect = guess.dialect;
    CANNERY_TRY(checkLayout(guess.layout, start, files, 0, hints));
    files.rowsBegin.push_back(start.markBytes() + guess.layout.rowsBegin);
    for (const std::string& remark : guess.layout.remarks) {
        discovery.warnings.push_back(path + ": " + remark);
    }
    CANNERY_TRY_ASSIGN(files.columnNames, nameColumns(options, files, guess.layout));
    CANNERY_TRY(
        checkNames(path, guess.layout.headerLine, files.columnNames, files.dialect.encoding));
    CANNERY_TRY(lookAtOtherFiles(files, guess.layout, hints, discovery.warnings));
    // The first column of R's tables holds names of rows, and is left out without a warning.
    for (std::size_t i = guess.layout.hasRowNames ? 1 : 0; i < files.columnNames.size(); ++i) {
        if (files.columnNames[i].empty()) {
            discovery.warnings.push_back(fmt::format("{}:{}: column {} has no name and is ignored",
                                                     path, guess.layout.headerLine, i + 1));
        }
    }
    return discovery;
}

Result<RawRows> readFirstRows(const CsvFiles& files, std::size_t maxRows, std::size_t maxBytes)
{
    RawRows sample;
    CsvBlockReader reader(files, std::min<std::size_t>(maxBytes, kSampleBytes));
    CsvBlock block;
    CellTable table;
    std::string scratch;
    while (true) {
        CANNERY_TRY_ASSIGN(const bool more, reader.next(block));
        if (!more) {
            sample.isWhole = true;
            return sample;
        }
        table.clear();
        table.columns = files.columnNames.size();
        scanCells(block.text(), files.dialect, table);
        for (std::size_t row = 0; row < table.rowCount(); ++row) {
            if (sample.rows.size() == maxRows) {
                return sample;
            }
            std::vector<std::string>& cells = sample.rows.emplace_back();
            for (std::size_t column = 0; column < table.columns; ++column) {
                const std::string_view cell =
                    table.value(table.cell(row, column), files.dialect.quote, scratch);
                cells.push_back(files.dialect.encoding == TextEncoding::Latin1
                                    ? utf8FromLatin1(cell)
                                    : withoutMarks(cell));
            }
        }
        if (reader.bytesRead() >= maxBytes) {
            return sample;
        }
    }
}

} // namespace

Result<CsvDiscovery> discoverCsv(const CsvOpenOptions& options)
{
    return guardMemory("the header of a table", [&] { return discover(options); });
}

Result<RawRows> readRawRows(const CsvFiles& files, std::size_t maxRows, std::size_t maxBytes)
{
    return guardMemory(files.paths.front(),
                       [&] { return readFirstRows(files, maxRows, maxBytes); });
}

} // namespace cannery::storage
