// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/converted_source.h"

#include "core/data/rows/row_reader.h"
#include "core/data/sources/csv_source.h"
#include "storage/io/cached_files.h"
#include "storage/io/files.h"
#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/file_patterns.h"
#include "storage/tabular/text_stream.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>
#include <utility>

namespace cannery::data {

namespace {

using storage::ConversionLog;

constexpr ErrorKind kTwoOfAName{"data.two_of_a_name",
                                "{} has two columns called \"{}\". Rename one of them."};

constexpr std::size_t kTextPieceBytes = std::size_t{1} << 20U;
constexpr std::size_t kMostReported = 100; // ReadReport::badRows

/// Puts the line of a file in the place of that of its converted text.
class Placing
{
public:
    Placing(const std::vector<std::string>& paths, const ConversionLog& log)
        : m_paths(paths), m_log(log)
    {}

    std::string text(std::string sentence) const
    {
        for (std::size_t file = 0; file < m_paths.size(); ++file) {
            const std::string before = m_paths[file] + ":";
            // Only files whose lines have moved are searched for: a sentence may name any of them.
            std::size_t at = m_log.isShifted(file) ? sentence.find(before) : std::string::npos;
            while (at != std::string::npos) {
                const char* digits = sentence.data() + at + before.size();
                std::uint64_t line = 0;
                const auto [end, failure] =
                    std::from_chars(digits, sentence.data() + sentence.size(), line);
                if (failure == std::errc()) {
                    sentence.replace(at + before.size(), static_cast<std::size_t>(end - digits),
                                     std::to_string(m_log.originOf(file, line)));
                }
                // A sentence can name several lines, or files.
                at = sentence.find(before, at + before.size());
            }
        }
        return sentence;
    }

    Error error(Error found) const
    {
        // A file's name is followed by its line, as in all such errors.
        for (std::size_t i = 0; i + 1 < found.arguments.size(); ++i) {
            const auto file = std::find(m_paths.begin(), m_paths.end(), found.arguments[i]);
            std::string& next = found.arguments[i + 1];
            std::uint64_t line = 0;
            const auto [end, failure] =
                std::from_chars(next.data(), next.data() + next.size(), line);
            // The conversion's own errors have the right line, and no other name for it.
            if (file != m_paths.end() && failure == std::errc() &&
                end == next.data() + next.size()) {
                next = std::to_string(
                    m_log.originOf(static_cast<std::size_t>(file - m_paths.begin()), line));
            }
        }
        found.sentence = text(std::move(found.sentence));
        for (std::string& note : found.notes) {
            note = text(std::move(note));
        }
        return found;
    }

private:
    const std::vector<std::string>& m_paths;
    const ConversionLog& m_log;
};

/// Its errors have the lines of the file already.
bool isOfConversion(const Error& error)
{
    return error.id == "csv.bad_record";
}

class ConvertedStream final : public ChunkStream
{
public:
    ConvertedStream(std::unique_ptr<DataSource> table, std::shared_ptr<ConversionLog> log)
        : m_table(std::move(table)), m_log(std::move(log)), m_placing(m_table->files(), *m_log)
    {}

    Result<void> start(const ChunkRequest& request)
    {
        CANNERY_TRY_ASSIGN(m_rows, m_table->read(request));
        return {};
    }

    Result<std::optional<storage::TableChunk>> next() override
    {
        Result<std::optional<storage::TableChunk>> chunk = m_rows->next();
        if (!chunk) {
            Error error = std::move(chunk).error();
            // Others come from reading the converted text.
            return tl::make_unexpected(isOfConversion(error) ? std::move(error)
                                                             : m_placing.error(std::move(error)));
        }
        // Lines move where a record of the file became none or several.
        if (*chunk && m_log->isShifted((*chunk)->file)) {
            for (std::uint64_t& line : (*chunk)->lines) {
                line = m_log->originOf((*chunk)->file, line);
            }
        }
        return chunk;
    }

    ReadReport report() const override
    {
        ReadReport report = m_rows->report();
        // Made anew of the refused rows of both: those of the conversion never reached the table's
        // reader, and the reader's sentences have the lines of the converted text.
        report.badRows.clear();
        const std::vector<RefusedRow> all = refused(0);
        for (std::size_t i = 0; i < std::min(all.size(), kMostReported); ++i) {
            report.badRows.push_back(all[i].sentence);
        }
        // Rows that could not be converted count as read and left out.
        report.badRowCount += m_log->refusedCount();
        for (std::string& warning : report.warnings) {
            warning = m_placing.text(std::move(warning));
        }
        return report;
    }

    std::vector<RefusedRow> refused(std::size_t from) const override
    {
        // Each list is asked for what is new since the last call, so `from` stays valid for the
        // caller: rows are only appended.
        for (const storage::BadRow& row : m_log->refused(m_seenOfConversion)) {
            m_refused.push_back({row.file, row.line, row.offset, row.error.sentence, false});
            ++m_seenOfConversion;
        }
        for (RefusedRow& row : m_rows->refused(m_seenOfRows)) {
            row.line = m_log->originOf(row.file, row.line);
            row.sentence = m_placing.text(std::move(row.sentence));
            m_refused.push_back(std::move(row));
            ++m_seenOfRows;
        }
        const auto begin = static_cast<std::ptrdiff_t>(std::min(from, m_refused.size()));
        return {m_refused.begin() + begin, m_refused.end()};
    }

    std::optional<std::string> fingerprint() const override { return m_rows->fingerprint(); }

private:
    std::unique_ptr<DataSource> m_table; ///< of this pass
    std::shared_ptr<ConversionLog> m_log;
    Placing m_placing;
    std::unique_ptr<ChunkStream> m_rows;
    mutable std::vector<RefusedRow> m_refused; ///< in the order in which they were asked for
    mutable std::size_t m_seenOfConversion = 0;
    mutable std::size_t m_seenOfRows = 0;
};

class ConvertedSource final : public DataSource
{
public:
    ConvertedSource(storage::CsvFiles files,
                    std::shared_ptr<const storage::RecordConversion> conversion, TableSchema schema,
                    spec::BadRows::Policy badRows)
        : m_files(std::move(files)), m_conversion(std::move(conversion)), m_badRows(badRows)
    {
        // Row readers and previews convert for themselves.
        m_files.conversion = m_conversion;
        m_table = textSource(m_files, std::move(schema), m_badRows, {});
    }

    const TableSchema& schema() const override { return m_table->schema(); }
    const std::vector<std::string>& files() const override { return m_files.paths; }
    Result<std::string> fingerprint() const override { return m_table->fingerprint(); }

    Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const override
    {
        // Each pass has a log of its own, since passes may run at the same time and convert the
        // same rows.
        auto log = std::make_shared<ConversionLog>(m_files.paths.size(), request.maxRefused);
        storage::CsvFiles files = m_files;
        files.conversion = m_conversion->loggedIn(log);
        auto stream = std::make_unique<ConvertedStream>(
            textSource(std::move(files), schema(), m_badRows, {}), std::move(log));
        CANNERY_TRY(stream->start(request));
        return std::unique_ptr<ChunkStream>(std::move(stream));
    }

    Result<std::unique_ptr<RowReader>> rowReader() const override { return m_table->rowReader(); }
    Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const override
    {
        return m_table->preview(maxRows);
    }

private:
    storage::CsvFiles m_files;
    std::shared_ptr<const storage::RecordConversion> m_conversion;
    spec::BadRows::Policy m_badRows;
    std::unique_ptr<DataSource> m_table; ///< without a log
};

Result<void> checkNames(const ConvertedTable& table)
{
    const std::size_t most = storage::kCsvColumns.value();
    // Names of columns would fill the memory of a text without structure.
    if (table.names.size() > most) {
        return fail(ErrorCode::ResourceExhausted, storage::kTooManyColumns, table.paths.front(),
                    table.names.size(), most, storage::kCsvColumns.variable);
    }
    std::set<std::string_view> seen;
    for (const std::string& name : table.names) {
        // In a CSV file the second would get another name; here names are the file's own.
        if (!seen.insert(name).second) {
            return fail(ErrorCode::InvalidArgument, kTwoOfAName, table.paths.front(), name);
        }
    }
    return {};
}

Result<storage::TextStream> openStart(const storage::CachedFiles& kept, const std::string& path)
{
    CANNERY_TRY_ASSIGN(storage::ByteSource bytes, kept.open(0));
    return storage::TextStream::open(std::move(bytes), storage::TextEncoding::Utf8, path,
                                     storage::OtherTexts::Read);
}

} // namespace

Result<std::unique_ptr<DataSource>> openConverted(ConvertedTable table,
                                                  const SourceOptions& options)
{
    CANNERY_TRY(checkNames(table));
    const bool skips = options.badRows == spec::BadRows::SKIP;
    // The first log belongs to the reading that infers the schema: errors in it need the lines,
    // too.
    auto log = std::make_shared<ConversionLog>(table.paths.size());
    // The table's rows are read as if they had been written as CSV.
    auto conversion = std::make_shared<const storage::RecordConversion>(std::move(table.make),
                                                                        table.paths, skips, log);
    storage::CsvFiles files{.paths = table.paths,
                            .dialect = {.hasHeader = false},
                            .columnNames = std::move(table.names),
                            .kept = std::make_shared<const storage::CachedFiles>(table.paths),
                            .conversion = conversion};
    Result<TableSchema> schema = textSchema(files, table.missingTokens, options, table.declare);
    if (!schema) {
        Error error = std::move(schema).error();
        return tl::make_unexpected(isOfConversion(error)
                                       ? std::move(error)
                                       : Placing(files.paths, *log).error(std::move(error)));
    }
    // Without the log: it has served its purpose.
    return std::unique_ptr<DataSource>(std::make_unique<ConvertedSource>(
        std::move(files), conversion->loggedIn(nullptr), std::move(*schema), options.badRows));
}

Result<std::vector<std::string>> textFiles(const std::vector<std::string>& files,
                                           const SourceOptions& options)
{
    std::vector<std::string> patterns;
    for (const std::string& file : files) {
        // Relative to the experiment, like every path in it.
        patterns.push_back(storage::joinPath(options.folder, file));
    }
    return storage::expandToFiles(patterns);
}

Result<std::string> startOfText(const std::string& path, std::size_t bytes)
{
    const storage::CachedFiles kept({path});
    CANNERY_TRY_ASSIGN(storage::TextStream text, openStart(kept, path));
    std::string start(bytes, '\0');
    CANNERY_TRY_ASSIGN(const std::size_t got, text.read(std::as_writable_bytes(std::span(start))));
    start.resize(got);
    // The mark of the byte order belongs to no value.
    start.erase(0, start.starts_with(storage::kByteOrderMark) ? storage::kByteOrderMark.size() : 0);
    return start;
}

Result<void> seeLines(const std::string& path, const std::function<bool(std::string_view)>& see)
{
    const storage::CachedFiles kept({path});
    CANNERY_TRY_ASSIGN(storage::TextStream text, openStart(kept, path));
    std::string piece;
    bool isStart = true;
    std::uint64_t line = 1;
    for (bool isOver = false; !isOver;) {
        const std::size_t have = piece.size();
        piece.resize(have + kTextPieceBytes);
        CANNERY_TRY_ASSIGN(const std::size_t got,
                           text.read(std::as_writable_bytes(std::span(piece)).subspan(have)));
        piece.resize(have + got);
        if (std::exchange(isStart, false) && piece.starts_with(storage::kByteOrderMark)) {
            piece.erase(0, storage::kByteOrderMark.size());
        }
        isOver = got < kTextPieceBytes;
        // Only whole lines are shown; the rest waits for the next piece. A line longer than a piece
        // makes it grow.
        const std::size_t end = isOver ? piece.size() : piece.rfind('\n') + 1;
        // A text without line ends is not read into memory as a whole.
        if (end == 0 && piece.size() >= storage::kCsvRecordBytes.value()) {
            return fail(ErrorCode::ResourceExhausted, storage::kRecordTooLong, path, line,
                        storage::kCsvRecordBytes.value(), storage::kCsvRecordBytes.variable);
        }
        // The caller has seen enough.
        if (end > 0 && !see(std::string_view(piece).substr(0, end))) {
            return {};
        }
        line += static_cast<std::uint64_t>(
            std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        piece.erase(0, end);
    }
    return {};
}

} // namespace cannery::data
