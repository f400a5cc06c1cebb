// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv_discovery.h"

#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "storage/io/kept_files.h"
#include "storage/tabular/csv_errors.h"
#include "storage/tabular/csv_limits.h"
#include "storage/tabular/csv_parser.h"
#include "storage/tabular/csv_scanner.h"
#include "storage/tabular/file_patterns.h"
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
        const std::string_view text(start.m_buffer.data() + kTextPadding, got);
        start.m_encoding = reader.encoding();
        start.m_begin = kTextPadding + (text.starts_with(kByteOrderMark) ? 3 : 0);
        start.m_length = got - (start.m_begin - kTextPadding);
        return start;
    }

    std::string_view text() const { return {m_buffer.data() + m_begin, m_length}; }
    bool isWhole() const { return m_isWhole; }
    /// What the file's own mark says, or else the dialect.
    TextEncoding encoding() const { return m_encoding; }

private:
    std::vector<char> m_buffer;
    std::size_t m_begin = 0;
    std::size_t m_length = 0;
    bool m_isWhole = false;
    TextEncoding m_encoding = TextEncoding::Utf8;
};

/// The cells of a file's first record.
Result<std::vector<std::string>> readFirstRecord(const CsvFiles& files, std::size_t file)
{
    const std::string& path = files.paths[file];
    const CsvDialect& dialect = files.dialect;
    const std::size_t most = kCsvRecordBytes.value();
    for (std::size_t bytes = kSampleBytes;; bytes = std::min(bytes * 4, most)) {
        CANNERY_TRY_ASSIGN(const FileStart start, FileStart::read(files, file, bytes));
        if (start.text().empty()) {
            return fail(ErrorCode::InvalidArgument, kEmptyFile, path);
        }
        const std::size_t end = firstRecordEnd(start.text(), dialect, start.isWhole());
        if (end == std::string_view::npos && !start.isWhole() && bytes < most) {
            continue;
        }
        if (end == std::string_view::npos && !start.isWhole()) {
            return fail(ErrorCode::ResourceExhausted, kRecordTooLong, path, 1, most,
                        kCsvRecordBytes.variable);
        }
        CellTable table;
        scanCells(start.text().substr(0, end), dialect, table);
        if (table.columns > kCsvColumns.value()) {
            return fail(ErrorCode::InvalidArgument, kTooManyColumns, path, table.columns,
                        kCsvColumns.value(), kCsvColumns.variable);
        }
        if (table.rowCount() == 0) {
            if (table.problems.empty()) {
                return fail(ErrorCode::InvalidArgument, kEmptyFile, path);
            }
            return tl::make_unexpected(rowError(table.problems.front(), {path, 1, {}, {}}));
        }
        std::vector<std::string> cells;
        std::string scratch;
        for (std::size_t i = 0; i < table.columns; ++i) {
            cells.emplace_back(table.value(table.cell(0, i), dialect.quote, scratch));
        }
        return cells;
    }
}

Result<void> checkNames(const std::string& path, std::vector<std::string>& names,
                        TextEncoding encoding)
{
    std::map<std::string, std::size_t> seen;
    std::optional<Error> first;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (encoding == TextEncoding::Latin1) {
            names[i] = utf8FromLatin1(names[i]);
        }
        if (const std::size_t at = findInvalidUtf8(names[i]); at != std::string::npos) {
            if (const auto fault = describeFault(std::string_view(names[i]).substr(at))) {
                return fail(ErrorCode::InvalidArgument, kInvalidText, path, 1, *fault, i + 1);
            }
            return fail(ErrorCode::InvalidArgument, kNameNotUtf8, path, 1, i + 1);
        }
        const auto [place, isNew] = seen.emplace(names[i], i);
        if (!isNew && !names[i].empty()) {
            Error twice = error(ErrorCode::InvalidArgument, kDuplicateColumn, path, 1, names[i],
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

Result<void> checkOtherFiles(const CsvFiles& files, const std::vector<std::string>& header)
{
    for (std::size_t i = 1; i < files.paths.size(); ++i) {
        CANNERY_TRY_ASSIGN(const std::vector<std::string> other, readFirstRecord(files, i));
        const std::string difference =
            files.dialect.hasHeader ? firstDifference(header, other)
            : other.size() != header.size()
                ? fmt::format("{} columns instead of {}", other.size(), header.size())
                : std::string();
        if (!difference.empty()) {
            return fail(ErrorCode::InvalidArgument, kOtherHeader, files.paths[i],
                        files.paths.front(), difference);
        }
    }
    return {};
}

Result<std::vector<std::string>> nameColumns(const CsvOpenOptions& options, const CsvFiles& files,
                                             const std::vector<std::string>& firstRecord)
{
    if (!options.columnNames.empty()) {
        if (options.columnNames.size() != firstRecord.size()) {
            return fail(ErrorCode::InvalidArgument, kColumnNameCount, options.columnNames.size(),
                        files.paths.front(), firstRecord.size());
        }
        return options.columnNames;
    }
    if (files.dialect.hasHeader) {
        return firstRecord;
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < firstRecord.size(); ++i) {
        names.push_back(fmt::format("c{}", i));
    }
    return names;
}

Result<CsvDiscovery> discover(const CsvOpenOptions& options)
{
    CsvDiscovery discovery;
    CANNERY_TRY_ASSIGN(discovery.files.paths, expandToFiles(options.patterns));
    discovery.files.kept = std::make_shared<const KeptFiles>(discovery.files.paths);
    discovery.files.dialect.encoding = options.hints.encoding;
    const std::string& path = discovery.files.paths.front();
    CANNERY_TRY_ASSIGN(const FileStart start, FileStart::read(discovery.files, 0, kSampleBytes));
    if (start.text().empty()) {
        return fail(ErrorCode::InvalidArgument, kEmptyFile, path);
    }
    DialectHints hints = options.hints;
    hints.fileName = path;
    discovery.guess = detectDialect(start.text(), start.isWhole(), hints);
    discovery.guess.encoding = start.encoding();
    if (start.encoding() != options.hints.encoding) {
        discovery.guess.encodingReason =
            fmt::format("the byte order mark of {}", encodingName(start.encoding()));
    }
    discovery.files.dialect = discovery.guess.dialect;
    CANNERY_TRY_ASSIGN(const std::vector<std::string> first, readFirstRecord(discovery.files, 0));
    CANNERY_TRY_ASSIGN(discovery.files.columnNames, nameColumns(options, discovery.files, first));
    CANNERY_TRY(checkNames(path, discovery.files.columnNames, discovery.files.dialect.encoding));
    CANNERY_TRY(checkOtherFiles(discovery.files, first));
    for (std::size_t i = 0; i < discovery.files.columnNames.size(); ++i) {
        if (discovery.files.columnNames[i].empty()) {
            discovery.warnings.push_back(
                fmt::format("{}:1: column {} has no name and is ignored", path, i + 1));
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
