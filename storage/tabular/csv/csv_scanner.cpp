// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_scanner.h"

#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/line_cutter.h"

#include <algorithm>

namespace cannery::storage {

namespace {

std::string shortenedRecord(std::string_view text)
{
    constexpr std::size_t kLimit = 80;
    std::string shown(text.substr(0, kLimit));
    shown += text.size() > kLimit ? "…" : "";
    return shown;
}

/// Collects cells into a CellTable; the cells of a bad record are removed again. For a record with
/// too many fields only their number is kept.
class TableSink
{
public:
    TableSink(CellTable& table, const CsvDialect& dialect)
        : m_table(table), m_dialect(dialect), m_count(table.rowCount() * table.columns)
    {
        m_recordFirst = m_count;
        m_mostFields = table.columns == 0 ? kCsvColumns.value() : table.columns;
        makeRoom();
    }

    bool isDone() const { return false; }

    /// Eight cells at a time, including unneeded ones at the end: a loop that ended at the last bit
    /// would be mispredicted for almost every block.
    void run(std::size_t at, std::uint64_t ends, std::size_t begin)
    {
        const auto count = static_cast<std::size_t>(std::popcount(ends));
        // Cells beyond the columns are only counted, so that no record can fill the memory.
        if (m_count - m_recordFirst + count > m_mostFields || m_moreFields != 0) [[unlikely]] {
            runBeyond(at, ends, begin);
            return;
        }
        CellSpan* out = m_table.cells.data() + m_count;
        auto from = static_cast<std::uint32_t>(begin);
        do {
            for (unsigned i = 0; i < 8; ++i) {
                const auto to =
                    static_cast<std::uint32_t>(at) + static_cast<unsigned>(std::countr_zero(ends));
                ends &= ends - 1;
                out[i] = {from, to - from};
                from = to + 1;
            }
            out += 8;
        } while (ends != 0);
        m_count += count;
        makeRoom();
    }

    void cell(std::size_t begin, std::uint32_t lengthAndFlags)
    {
        if (m_count - m_recordFirst >= m_mostFields) [[unlikely]] {
            ++m_moreFields;
            return;
        }
        m_table.cells[m_count++] = {static_cast<std::uint32_t>(begin), lengthAndFlags};
        makeRoom();
    }

    void fault(RowFault fault, std::size_t at)
    {
        // Only the first fault of a record is reported; the others follow from it.
        if (!m_hasFault) {
            m_hasFault = true;
            m_problem.fault = fault;
            m_problem.at = static_cast<std::uint32_t>(at);
            m_problem.column = static_cast<std::uint32_t>(fieldCount());
        }
    }

    void record(std::size_t begin, std::size_t lineEnd, std::size_t)
    {
        const std::size_t fields = fieldCount();
        if (fields == m_table.columns && !m_hasFault) [[likely]] {
            // Nothing but delimiters is not a row, nor is the header once more.
            const std::string_view line(m_table.text.data() + begin, lineEnd - begin);
            if (line.size() + 1 != fields && line != m_dialect.headerRecord) [[likely]] {
                keepRow(begin);
                return;
            }
        }
        endOddRecord(begin, lineEnd, fields);
    }

    void skipped(std::size_t) {}

    void unclosed(std::size_t begin, std::size_t quoteAt)
    {
        fault(RowFault::OpenQuote, quoteAt);
        reportProblem(begin, m_table.text.size());
    }

private:
    std::size_t fieldCount() const { return m_count - m_recordFirst + m_moreFields; }

    /// For the 64 cells that 64 bytes may contain, and the unneeded ones.
    void makeRoom()
    {
        if (m_table.cells.size() < m_count + 80) [[unlikely]] {
            m_table.cells.resize(std::max<std::size_t>(4096, m_count * 2) + 80);
        }
    }

    void runBeyond(std::size_t at, std::uint64_t ends, std::size_t begin)
    {
        for (; ends != 0; ends &= ends - 1) {
            const std::size_t end = at + static_cast<unsigned>(std::countr_zero(ends));
            cell(begin, static_cast<std::uint32_t>(end - begin));
            begin = end + 1;
        }
    }

    void keepRow(std::size_t begin)
    {
        m_table.rowBegins.push_back(static_cast<std::uint32_t>(begin));
        m_recordFirst = m_count;
    }

    /// A line without any text: blanks alone may be the text of a single column.
    bool isEmpty(std::string_view line, std::size_t fields) const
    {
        const bool isBlank = line.find_first_not_of(" \t") == std::string_view::npos;
        return line.empty() || (fields == 1 && isBlank && m_table.columns != 1) ||
               (line.size() + 1 == fields && fields <= m_table.columns + 1);
    }

    /// A record of all columns, and perhaps an empty cell more, behind a delimiter at its end.
    bool isRow(std::string_view line, std::size_t fields) const
    {
        return !m_hasFault && m_table.columns > 0 &&
               (fields == m_table.columns ||
                (fields == m_table.columns + 1 && !m_dialect.isBlankSeparated() &&
                 line.ends_with(m_dialect.delimiter)));
    }

    void endOddRecord(std::size_t begin, std::size_t lineEnd, std::size_t fields)
    {
        const std::string_view line = m_table.text.substr(begin, lineEnd - begin);
        const bool isHeader = !m_dialect.headerRecord.empty() && line == m_dialect.headerRecord;
        if (isHeader || isEmpty(line, fields)) {
            ++(isHeader ? m_table.repeatedHeaders : m_table.blankLines);
            m_hasFault = false;
            takeBack();
            return;
        }
        if (isRow(line, fields)) {
            m_moreFields = 0;
            keepRow(begin);
            return;
        }
        // The first record decides about the number of columns, if it is not known.
        if (m_table.columns == 0 && !m_hasFault) {
            m_table.columns = fields;
            if (m_moreFields == 0) {
                m_mostFields = fields;
                m_table.rowBegins.push_back(static_cast<std::uint32_t>(begin));
                m_recordFirst = m_count;
            } else {
                takeBack();
            }
            return;
        }
        if (!m_hasFault) {
            m_problem.fault = RowFault::FieldCount;
            m_problem.at = static_cast<std::uint32_t>(begin);
            m_problem.column = static_cast<std::uint32_t>(fields);
        }
        reportProblem(begin, lineEnd);
    }

    void reportProblem(std::size_t begin, std::size_t lineEnd)
    {
        m_problem.recordBegin = static_cast<std::uint32_t>(begin);
        m_problem.detail = shortenedRecord(m_table.text.substr(begin, lineEnd - begin));
        m_table.addProblem(std::move(m_problem));
        m_problem = {};
        m_hasFault = false;
        takeBack();
    }

    void takeBack()
    {
        m_count = m_recordFirst;
        m_moreFields = 0;
    }

    CellTable& m_table;
    const CsvDialect& m_dialect;
    std::size_t m_count;
    std::size_t m_recordFirst;
    std::size_t m_mostFields;
    std::size_t m_moreFields = 0; ///< of the current record, beyond m_mostFields
    bool m_hasFault = false;
    RowProblem m_problem;
};

} // namespace

void scanCells(std::string_view text, const CsvDialect& dialect, CellTable& table)
{
    table.text = text;
    table.escape = dialect.escape;
    TableSink sink(table, dialect);
    const CutText cut = cutRecords(text, dialect, sink);
    table.hasHighBytes = cut.hasHighByte;
    table.hasNul = cut.hasNul;
}

} // namespace cannery::storage
