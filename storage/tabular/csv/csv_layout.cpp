// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_layout.h"

#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/csv/header_evidence.h"
#include "storage/tabular/number_parser.h"
#include "storage/tabular/sample_records.h"
#include "storage/tabular/text_bytes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

namespace cannery::storage {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
/// Lines of titles, padded with delimiters, above a header.
constexpr std::size_t kMostPadded = 20;
/// Lines below a header that describe the columns.
constexpr std::size_t kMostDescriptions = 3;

std::string_view withoutRemarkMark(std::string_view line)
{
    const std::size_t mark = line.starts_with("//") ? 2 : line.find_first_not_of("#%");
    return mark == std::string_view::npos ? std::string_view() : trimmed(line.substr(mark));
}

/// The offset after some lines.
std::size_t endOfLines(std::string_view text, std::uint64_t lines)
{
    std::size_t at = 0;
    for (; lines > 0 && at < text.size(); --lines) {
        at = std::min(text.find_first_of("\r\n", at), text.size());
        at += text.substr(at).starts_with("\r\n") ? 2 : at < text.size() ? 1 : 0;
    }
    return at;
}

std::string shortened(std::string_view text)
{
    constexpr std::size_t kLimit = 60;
    return printable(text.substr(0, kLimit)) + (text.size() > kLimit ? "…" : "");
}

std::string joined(const std::vector<std::string>& names, std::size_t from)
{
    std::string text;
    for (std::size_t i = from; i < names.size(); ++i) {
        text += (text.empty() ? "" : ", ") + printable(names[i]);
    }
    return text;
}

/// A header that is not the first record as wide as the rows.
struct OddHeader
{
    std::vector<std::string> names; ///< of the columns
    std::string remark;
    bool hasRowNames = false;
};

class LayoutFinder
{
public:
    LayoutFinder(std::string_view text, bool isWhole, CsvDialect dialect, const DialectHints& hints)
        : m_text(text), m_dialect(std::move(dialect)), m_hints(hints),
          m_records(recordsOf(text, isWhole, m_dialect))
    {
        m_dialect.headerRecord.clear(); // of another file
    }

    CsvLayout find()
    {
        if (!begin()) {
            return m_layout;
        }
        const HeaderVerdict verdict = placeFirst();
        if (!takeOddHeader(verdict)) {
            takeFirst(verdict);
        }
        if (m_layout.hasHeader && !m_hints.skipRows) {
            skipDescriptions();
        }
        finish();
        return m_layout;
    }

private:
    std::string_view line(std::size_t record) const
    {
        return m_text.substr(m_records[record].begin,
                             m_records[record].end - m_records[record].begin);
    }
    std::uint64_t lineOf(std::size_t offset) const
    {
        return 1 + countLines(m_text.substr(0, offset));
    }
    CellTable rows(std::size_t first) const
    {
        return rowsOf(m_text, m_records, first, m_width, m_dialect);
    }

    /// Steps over what is not the table at first sight, and finds its width; false if nothing is
    /// left.
    bool begin()
    {
        if (m_hints.skipRows) {
            const std::size_t at = endOfLines(m_text, *m_hints.skipRows);
            while (m_from < m_records.size() && m_records[m_from].begin < at) {
                ++m_from;
            }
        } else {
            // A line such as "sep=;" is for spreadsheets, not part of the table.
            m_from = !m_records.empty() && namedDelimiter(m_text) != 0 ? 1 : 0;
            const std::size_t remarks = m_from;
            while (m_from < m_records.size() && isRemark(line(m_from))) {
                ++m_from;
            }
            // If all lines look like remarks, they are the table.
            m_from = m_from == m_records.size() ? remarks : m_from;
        }
        m_width = usualWidth(m_records, m_from);
        if (m_width > kCsvColumns.value()) {
            m_layout.columns = m_width;
            return false;
        }
        const std::size_t given = m_hints.columnNames.size();
        // The experiment names the columns: rows of that width are the table, even if others are
        // more.
        if (given > 0 && countOfWidth(m_records, m_from, given) > 0) {
            m_width = given;
        }
        m_first = m_from;
        while (m_first < m_records.size() && m_records[m_first].fields != m_width) {
            ++m_first;
        }
        return m_width > 0;
    }

    /// Which record is the first of the table; how it looks as a header.
    HeaderVerdict placeFirst()
    {
        // The experiment has stated where the table begins, whatever the widths of the lines are.
        if (m_hints.skipRows && m_first > m_from + 1) {
            m_first = m_from;
            m_width = m_records[m_from].fields;
        }
        if (!m_hints.skipRows) {
            for (std::size_t next = m_first;
                 next < std::min(m_first + kMostPadded, m_records.size()) &&
                 m_records[next].fields == m_width;
                 ++next) {
                if (isPadded(next)) {
                    continue;
                }
                const HeaderVerdict verdict = detectHeader(rows(next), m_dialect);
                // A padded title is passed over only for a line that surely is a header.
                if (next == m_first || (verdict.isHeader && verdict.isSure)) {
                    m_first = next;
                    return verdict;
                }
                break;
            }
        }
        return detectHeader(rows(m_first), m_dialect);
    }

    /// Whether a record is mostly empty, as titles are that were padded to the table's width.
    bool isPadded(std::size_t record) const
    {
        const std::vector<std::string> cells = cellsOf(line(record), m_dialect);
        const auto full = static_cast<std::size_t>(
            std::count_if(cells.begin(), cells.end(),
                          [](const std::string& cell) { return !trimmed(cell).empty(); }));
        return m_width > 1 && full <= std::max<std::size_t>(1, m_width / 3);
    }

    /// A header that is narrower or wider than the rows, or a remark; false if there is none.
    bool takeOddHeader(const HeaderVerdict& verdict)
    {
        const bool isWanted = m_hints.hasHeader.value_or(true);
        const bool isNamed = verdict.isHeader && verdict.isSure;
        if (!isWanted || isNamed || m_first == 0 || !m_hints.columnNames.empty()) {
            return false;
        }
        std::optional<OddHeader> odd;
        if (m_first > m_from) {
            odd = oddHeader(m_first - 1, verdict);
        } else if (m_first == m_from && isRemark(line(m_first - 1)) && !verdict.isHeader) {
            odd = remarkedHeader(m_first - 1);
        }
        if (!odd) {
            return false;
        }
        m_header = m_first - 1;
        m_layout.names = std::move(odd->names);
        m_layout.columns = m_layout.names.size();
        m_layout.hasRowNames = odd->hasRowNames;
        m_layout.hasHeader = true;
        m_layout.headerReason = fmt::format("line {} names the columns of the rows below it",
                                            lineOf(m_records[m_header].begin));
        if (!odd->remark.empty()) {
            m_layout.remarks.push_back(std::move(odd->remark));
        }
        return true;
    }

    std::optional<OddHeader> oddHeader(std::size_t record, const HeaderVerdict& verdict) const
    {
        std::vector<std::string> names = cellsOf(line(record), m_dialect);
        while (names.size() > m_width && trimmed(names.back()).empty()) {
            names.pop_back();
        }
        if (!areNames(names, m_dialect) || m_width < 2) {
            return std::nullopt;
        }
        if (names.size() == m_width) {
            return OddHeader{.names = std::move(names), .remark = {}};
        }
        if (names.size() > m_width) {
            return verdict.isHeader ? std::nullopt : tooManyNames(record, std::move(names));
        }
        // A title above a header of texts is as likely as a single name.
        if (names.size() + 1 != m_width || (names.size() == 1 && verdict.isHeader)) {
            return std::nullopt;
        }
        return oneNameShort(record, std::move(names));
    }

    std::optional<OddHeader> tooManyNames(std::size_t record, std::vector<std::string> names) const
    {
        if (countOfWidth(m_records, m_first, m_width) < 2) {
            return std::nullopt;
        }
        if (countOfWidth(m_records, m_first, names.size()) > 0) {
            return OddHeader{.names = std::move(names), .remark = {}}; // most rows are too short
        }
        std::string remark = fmt::format("the header on line {} has {} names, but the rows have {} "
                                         "cells: nothing belongs to {}",
                                         lineOf(m_records[record].begin), names.size(), m_width,
                                         joined(names, m_width));
        names.resize(m_width);
        return OddHeader{.names = std::move(names), .remark = std::move(remark)};
    }

    std::optional<OddHeader> oneNameShort(std::size_t record, std::vector<std::string> names) const
    {
        const CellTable table = rows(m_first);
        std::size_t empty = 0;
        for (std::size_t row = 0; row < table.rowCount(); ++row) {
            empty += table.raw(table.cell(row, m_width - 1)).empty() ? 1 : 0;
        }
        if (empty == table.rowCount()) {
            return OddHeader{.names = std::move(names),
                             .remark = "each row ends with a delimiter too many"};
        }
        // R quotes names and row names, and the column of row names has none.
        const bool isOfR = line(record).front() == m_dialect.quote && table.rowCount() > 0 &&
                           table.cell(0, 0).isQuoted();
        if (table.rowCount() < 2 && !isOfR) {
            return std::nullopt;
        }
        names.insert(names.begin(), std::string());
        return OddHeader{.names = std::move(names),
                         .remark = "the header is one name short: the first column, which has "
                                   "none, is taken for the names of the rows",
                         .hasRowNames = true};
    }

    /// A header behind a comment mark, as numpy.savetxt() writes it.
    std::optional<OddHeader> remarkedHeader(std::size_t record) const
    {
        const std::string_view text = withoutRemarkMark(line(record));
        if (text.empty()) {
            return std::nullopt;
        }
        std::vector<std::string> names = cellsOf(text, m_dialect);
        if (names.size() != m_width || m_width < 2 || !areNames(names, m_dialect)) {
            return std::nullopt;
        }
        // "#id" in the first line is a name with its mark; "# id" is a comment.
        const bool isName =
            !line(record).substr(0, 2).ends_with(' ') && line(record)[0] == '#' && record == 0;
        if (isName) {
            names.front().insert(0, "#");
        }
        return OddHeader{.names = std::move(names), .remark = {}};
    }

    /// The first record as the header, or as a row.
    void takeFirst(const HeaderVerdict& verdict)
    {
        std::vector<std::string> cells = cellsOf(line(m_first), m_dialect);
        const bool isGiven = !m_hints.columnNames.empty() && cells == m_hints.columnNames;
        const bool isNumbered = m_hints.hasHeader == false && areNumbered(cells);
        if (isGiven || isNumbered) {
            m_layout.hasHeader = true;
            m_layout.headerReason = "the first line repeats the names";
        } else if (m_hints.hasHeader) {
            m_layout.hasHeader = *m_hints.hasHeader;
            m_layout.headerReason = "as the experiment says";
        } else if (!m_hints.columnNames.empty()) {
            m_layout.hasHeader = false;
            m_layout.headerReason = "the columns' names are given, and the first line differs";
        } else {
            m_layout.hasHeader = verdict.isHeader;
            m_layout.headerReason = verdict.reason;
        }
        m_layout.columns = m_width;
        if (m_layout.hasHeader) {
            m_header = m_first++;
            m_layout.names = std::move(cells);
        } else if (endsWithDelimiters()) {
            --m_layout.columns;
            m_layout.remarks.emplace_back("each row ends with a delimiter too many");
        }
    }

    /// The names that columns without a header get.
    static bool areNumbered(const std::vector<std::string>& cells)
    {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (cells[i] != fmt::format("c{}", i)) {
                return false;
            }
        }
        return !cells.empty();
    }

    bool endsWithDelimiters() const
    {
        const CellTable table = rows(m_first);
        for (std::size_t row = 0; row < table.rowCount(); ++row) {
            if (!table.raw(table.cell(row, m_width - 1)).empty()) {
                return false;
            }
        }
        // Two columns, or a single row, may well end with an empty cell.
        return m_width > 2 && table.rowCount() > 1 && !m_dialect.isBlankSeparated();
    }

    /// Lines below the header with units, types or explanations.
    void skipDescriptions()
    {
        if (m_layout.columns != m_width) {
            return;
        }
        for (std::size_t i = 0; i < kMostDescriptions; ++i) {
            if (m_first >= m_records.size() || m_records[m_first].fields != m_width ||
                !describesColumns(rows(m_first), m_dialect)) {
                return;
            }
            std::vector<std::string> cells = cellsOf(line(m_first), m_dialect);
            if (!areNames(m_layout.names, m_dialect) && areNames(cells, m_dialect)) {
                m_header = m_first; // above it are the names of groups, or a title
                m_layout.names = std::move(cells);
                m_layout.headerReason = "the line above it lacks names";
            } else {
                m_layout.remarks.push_back(
                    fmt::format("line {} is not a row, it describes the columns: {}",
                                lineOf(m_records[m_first].begin), shortened(line(m_first))));
            }
            ++m_first;
        }
    }

    void finish()
    {
        const bool hasRows = m_first < m_records.size();
        m_layout.rowsBegin = hasRows             ? m_records[m_first].begin
                             : m_header == kNone ? m_text.size()
                                                 : m_records[m_header].next;
        const std::size_t top = m_header == kNone ? m_first : m_header;
        if (top >= m_records.size()) {
            return;
        }
        m_layout.headerLine = lineOf(m_records[top].begin);
        if (m_header != kNone && m_layout.columns > 1 && hasText(m_layout.names)) {
            m_layout.headerRecord = line(m_header);
        }
        // The line that names the delimiter needs no remark.
        if (top > 0 && !m_hints.skipRows && (top > 1 || namedDelimiter(m_text) == 0)) {
            const std::uint64_t last = m_layout.headerLine - 1;
            m_layout.remarks.insert(m_layout.remarks.begin(),
                                    fmt::format("{} above the table: {}",
                                                last == 1 ? std::string("line 1 is")
                                                          : fmt::format("lines 1 to {} are", last),
                                                shortened(line(0))));
        }
    }

    bool hasText(const std::vector<std::string>& names) const
    {
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return areNames({name}, m_dialect); });
    }

    std::string_view m_text;
    CsvDialect m_dialect;
    const DialectHints& m_hints;
    std::vector<SampleRecord> m_records;
    std::size_t m_from = 0;       ///< the first record that may be of the table
    std::size_t m_first = 0;      ///< the first one as wide as the table; then the first row
    std::size_t m_header = kNone; ///< the record with the names
    std::size_t m_width = 0;      ///< cells of a row
    CsvLayout m_layout;
};

} // namespace

char namedDelimiter(std::string_view text)
{
    const std::string_view first = text.substr(0, text.find_first_of("\r\n"));
    std::string_view line = first;
    // Programs that quote every cell write "sep=;" in quotes.
    if (line.size() > 2 && line.front() == '"' && line.back() == '"') {
        line = line.substr(1, line.size() - 2);
    }
    if (!line.starts_with("sep=") && !line.starts_with("SEP=") && !line.starts_with("Sep=")) {
        return 0;
    }
    line.remove_prefix(4);
    if (line == "\\t") {
        return '\t';
    }
    return line.size() == 1 ? line.front() : '\0';
}

bool isRemark(std::string_view line)
{
    return line.starts_with('#') || line.starts_with('%') || line.starts_with("//");
}

CsvLayout findLayout(std::string_view text, bool isWhole, const CsvDialect& dialect,
                     const DialectHints& hints)
{
    return LayoutFinder(text, isWhole, dialect, hints).find();
}

} // namespace cannery::storage
