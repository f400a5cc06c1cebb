// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_reader.h"

#include "core/base/memory_guard.h"
#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/csv/lines_below.h"
#include "storage/tabular/ordered_blocks.h"

#include <algorithm>
#include <memory>

namespace cannery::storage {

namespace {

constexpr std::uint64_t kReadOnBytes = 64U << 20U;
/// The text of a block for each column, so that the columns of a wide table, too, get enough rows
/// at a time to be worth their memory and calls; and the most of all columns.
constexpr std::size_t kBlockBytesOfColumn = 2U << 10U;
constexpr std::size_t kMostBlockBytes = 8U << 20U;

/// A block, parsed.
struct ParsedBlock
{
    TableChunk chunk;
    std::vector<BadRow> badRows;
    std::uint64_t badRowCount = 0;
    std::optional<std::uint64_t> lastRow; ///< offset of the last good row
    std::uint64_t repeatedHeaders = 0;
    ParseWarnings warnings;
    std::uint64_t textBytes = 0;
    std::optional<Error> error; ///< reading itself failed
    bool isEnd = false;
};

/// Counts lines from one offset of a text to the next, reading each byte once.
class LineCounter
{
public:
    LineCounter(std::string_view text, std::uint64_t firstLine) : m_text(text), m_line(firstLine) {}

    std::uint64_t lineAt(std::size_t offset)
    {
        m_line += countLines(m_text.substr(m_offset, offset - m_offset));
        m_offset = offset;
        return m_line;
    }

private:
    std::string_view m_text;
    std::size_t m_offset = 0;
    std::uint64_t m_line;
};

/// Turns blocks into chunks. Thread-safe: one CellTable per calling thread.
class BlockParser
{
public:
    BlockParser(const CsvFiles& files, const CsvReadOptions& options)
        : m_files(files), m_options(options), m_guardedName("the table " + files.paths.front())
    {}

    /// What to name when memory runs out, for guardMemory().
    const std::string& guardedName() const { return m_guardedName; }

    /// For lent threads: running out of memory becomes the block's error.
    ParsedBlock parseGuarded(const CsvBlock& block, CellTable& table) const
    {
        Result<ParsedBlock> parsed = guardMemory(
            m_guardedName, [&]() -> Result<ParsedBlock> { return parse(block, table); });
        if (!parsed) {
            return {.error = std::move(parsed).error()};
        }
        return std::move(*parsed);
    }

    ParsedBlock parse(const CsvBlock& block, CellTable& table) const
    {
        ParsedBlock parsed;
        table.clear();
        table.columns = m_files.columnNames.size();
        scanCells(block.text(), m_files.dialect, table);
        parsed.chunk = parseCells(table, m_files.dialect, m_options.columns, parsed.warnings);
        parsed.chunk.file = block.file;
        parsed.textBytes = block.length;
        // Parsers count lines from the start of their block.
        if (parsed.warnings.outOfRange > 0) {
            parsed.warnings.firstOutOfRangeLine += block.firstLine - 1;
        }
        if (m_options.keepLines) {
            // Row by row from the last one, so that the text of the block is walked over once.
            LineCounter counter(block.text(), block.firstLine);
            parsed.chunk.lines.reserve(table.rowBegins.size());
            for (const std::uint32_t begin : table.rowBegins) {
                parsed.chunk.lines.push_back(counter.lineAt(begin));
            }
        }
        if (m_options.keepOffsets) {
            parsed.chunk.textEnd = block.offset + block.length;
            parsed.chunk.offsets.reserve(table.rowBegins.size());
            for (const std::uint32_t begin : table.rowBegins) {
                parsed.chunk.offsets.push_back(block.offset + begin);
            }
        }
        describeProblems(block, table, parsed);
        return parsed;
    }

private:
    void describeProblems(const CsvBlock& block, const CellTable& table, ParsedBlock& parsed) const
    {
        parsed.badRowCount = table.problemCount;
        parsed.repeatedHeaders = table.repeatedHeaders;
        if (!table.rowBegins.empty()) {
            parsed.lastRow = block.offset + table.rowBegins.back();
        }
        for (const RowProblem& problem : table.problems) {
            const std::size_t place =
                // A quote that is not closed is reported where it opens, not where its record
                // begins.
                problem.fault == RowFault::OpenQuote ? problem.at : problem.recordBegin;
            const std::uint64_t line = block.firstLine + countLines(block.text().substr(0, place));
            parsed.badRows.push_back(badRowOf(
                problem, {m_files.paths[block.file], line, m_files.columnNames, dtypeOf(problem)},
                block.file, block.offset + problem.recordBegin));
        }
    }

    std::string dtypeOf(const RowProblem& problem) const
    {
        for (const CsvColumn& column : m_options.columns) {
            if (column.index == problem.column) {
                return std::string(name(column.dtype));
            }
        }
        return {};
    }

    const CsvFiles& m_files;
    const CsvReadOptions& m_options;
    std::string m_guardedName;
};

/// A thread's working memory.
struct Scratch
{
    CsvBlock block;
    CellTable table;
};

} // namespace

class CsvReader::Impl
{
public:
    Impl(CsvFiles files, CsvReadOptions options)
        : m_files(std::move(files)), m_options(std::move(options)), m_parser(m_files, m_options),
          m_blocks(m_files, blockBytes(), m_options.observer)
    {}

    Result<std::optional<TableChunk>> next()
    {
        while (!m_ended) {
            ParsedBlock parsed = nextBlock();
            if (parsed.error) {
                m_ended = true;
                return tl::make_unexpected(std::move(*parsed.error));
            }
            if (parsed.isEnd) {
                break;
            }
            note(parsed);
            // The rows of this block are not returned: the error ends the reading.
            if (m_report.badRowCount > 0 && m_options.badRows == BadRowPolicy::Fail) {
                m_ended = true;
                m_rowsAhead = parsed.chunk.rows;
                return tl::make_unexpected(lookAround());
            }
            if (parsed.chunk.rows > 0) {
                parsed.chunk.firstRow = m_report.rows;
                m_report.rows += parsed.chunk.rows;
                m_ended = m_options.maxRows > 0 && m_report.rows >= m_options.maxRows;
                return std::optional<TableChunk>(std::move(parsed.chunk));
            }
        }
        finishReport();
        m_ended = true;
        return std::optional<TableChunk>();
    }

    const CsvReport& report() const { return m_report; }
    const std::string& guardedName() const { return m_parser.guardedName(); }

    ReadGuard guard; ///< a block taken from the file is not returned again

private:
    std::size_t blockBytes() const
    {
        const std::size_t wanted = kBlockBytesOfColumn * m_options.columns.size();
        return std::max(m_options.blockBytes, std::min(wanted, kMostBlockBytes));
    }

    using ParallelBlocks = OrderedBlocks<Scratch, ParsedBlock>;

    ParallelBlocks::Steps stepsOfBlocks()
    {
        return {.makeScratch = [] { return std::make_unique<Scratch>(); },
                .read = [this](Scratch& scratch) { return m_blocks.next(scratch.block); },
                .parse =
                    [this](Scratch& scratch) {
                        return m_parser.parseGuarded(scratch.block, scratch.table);
                    }};
    }

    ParsedBlock nextBlock()
    {
        // Made with the first block, and only for several threads.
        if (m_options.threads.areSeveral()) {
            if (!m_parallel) {
                m_parallel = std::make_unique<ParallelBlocks>(stepsOfBlocks(), m_options.threads,
                                                              m_parser.guardedName());
            }
            return m_parallel->next();
        }
        const Result<bool> got = m_blocks.next(m_block);
        if (!got) {
            return {.error = got.error()};
        }
        return *got ? m_parser.parse(m_block, m_table) : ParsedBlock{.isEnd = true};
    }

    void note(ParsedBlock& parsed)
    {
        if (m_report.warnings.outOfRange == 0 && parsed.warnings.outOfRange > 0) {
            m_report.outOfRangeFile = parsed.chunk.file;
        }
        m_report.warnings.add(parsed.warnings);
        m_report.repeatedHeaders += parsed.repeatedHeaders;
        m_below.sift(parsed.chunk.file, parsed.lastRow, parsed.badRows, parsed.badRowCount);
        m_report.badRowCount += parsed.badRowCount;
        for (BadRow& row : parsed.badRows) {
            if (m_report.badRows.size() < m_options.maxBadRows) {
                m_report.badRows.push_back(std::move(row));
            }
        }
    }

    void finishReport()
    {
        m_below.finish();
        m_report.linesBelow = m_below.count();
        m_report.remarks = m_below.remarks();
        if (m_report.repeatedHeaders > 0) {
            m_report.remarks.push_back(
                m_report.repeatedHeaders == 1
                    ? fmt::format("{}: a line like the header is not a row", m_files.paths.front())
                    : fmt::format("{}: {} lines like the header are not rows",
                                  m_files.paths.front(), m_report.repeatedHeaders));
        }
    }

    /// The first bad row, with what a scan of the following rows finds.
    Error lookAround()
    {
        std::uint64_t looked = 0;
        bool sawTheEnd = false;
        // Limited, since the file may be large, and the error is waited for.
        while (looked < kReadOnBytes && m_report.badRows.size() < m_options.maxBadRows) {
            ParsedBlock parsed = nextBlock();
            sawTheEnd = parsed.isEnd;
            if (parsed.isEnd || parsed.error) {
                break;
            }
            looked += parsed.textBytes;
            m_rowsAhead += parsed.chunk.rows;
            note(parsed);
        }
        return badRowsError(m_report.badRows, m_report.badRowCount, sawTheEnd,
                            m_report.rows + m_rowsAhead);
    }

    CsvFiles m_files;
    CsvReadOptions m_options;
    BlockParser m_parser;
    CsvBlockReader m_blocks;
    CsvBlock m_block;
    CellTable m_table;
    CsvReport m_report;
    LinesBelow m_below;
    std::uint64_t m_rowsAhead = 0; ///< good rows that are not returned because of a bad one
    bool m_ended = false;
    std::unique_ptr<ParallelBlocks> m_parallel; ///< uses the members above
};

CsvReader::CsvReader(CsvFiles files, CsvReadOptions options)
    : m_impl(std::make_unique<Impl>(std::move(files), std::move(options)))
{}

CsvReader::~CsvReader() = default;
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;

Result<std::optional<TableChunk>> CsvReader::next()
{
    return m_impl->guard.run(m_impl->guardedName(), [this] { return m_impl->next(); });
}

const CsvReport& CsvReader::report() const
{
    return m_impl->report();
}

} // namespace cannery::storage
