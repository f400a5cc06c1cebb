// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv/csv_dialect.h"
#include "storage/tabular/record_cutter.h"
#include "storage/tabular/text_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cannery::storage {

/// What a text turned out to hold while its records were cut.
struct CutText
{
    bool inQuotes = false;   ///< it ends inside a quoted cell
    std::size_t quoteAt = 0; ///< where that cell begins
    bool hasHighByte = false;
    bool hasNul = false;
};

/// Cuts the records of dialects that RecordCutter does not know, byte by byte, for the same sinks:
/// a run of spaces and tabs is one delimiter, also at both ends of a line; lines that begin with a
/// comment mark are left out; quotes are escaped, stand behind blanks, or in formulas.
template <typename Sink>
class LineCutter
{
public:
    LineCutter(std::string_view text, const CsvDialect& dialect, Sink& sink)
        : m_text(text), m_dialect(dialect), m_sink(sink)
    {}

    CutText run()
    {
        while (m_at < m_text.size() && !m_sink.isDone() && !m_cut.inQuotes) {
            cutRecord();
        }
        m_cut.hasHighByte = !isAscii(m_text);
        m_cut.hasNul = m_text.find('\0') != std::string_view::npos;
        return m_cut;
    }

private:
    bool isBlank(char byte) const { return byte == ' ' || byte == '\t'; }
    bool endsCell(char byte) const
    {
        return byte == '\n' || byte == '\r' ||
               (m_dialect.isBlankSeparated() ? isBlank(byte) : byte == m_dialect.delimiter);
    }
    bool atLineEnd() const
    {
        return m_at == m_text.size() || m_text[m_at] == '\n' || m_text[m_at] == '\r';
    }

    void skipBlanks()
    {
        const bool areSkipped = m_dialect.isBlankSeparated() || m_dialect.skipsBlanks;
        while (areSkipped && m_at < m_text.size() && isBlank(m_text[m_at]) &&
               (m_dialect.isBlankSeparated() || m_text[m_at] != m_dialect.delimiter)) {
            ++m_at;
        }
    }

    /// Steps over the end of a line.
    void endLine()
    {
        const bool isPair = m_text.substr(m_at).starts_with("\r\n");
        m_at += m_at == m_text.size() ? 0 : isPair ? 2 : 1;
    }

    void cutRecord()
    {
        const std::size_t begin = m_at;
        if (!m_dialect.comment.empty() && m_text.substr(begin).starts_with(m_dialect.comment)) {
            m_at = std::min(m_text.find_first_of("\r\n", begin), m_text.size());
            endLine();
            m_sink.skipped(m_at);
            return;
        }
        skipBlanks();
        while (true) {
            cutCell();
            if (m_cut.inQuotes) {
                m_sink.unclosed(begin, m_cut.quoteAt);
                return;
            }
            if (!m_dialect.isBlankSeparated() && !atLineEnd()) {
                ++m_at; // the delimiter
                skipBlanks();
                continue;
            }
            skipBlanks();
            if (atLineEnd()) {
                break;
            }
        }
        const std::size_t lineEnd = m_at;
        endLine();
        m_sink.record(begin, lineEnd, m_at);
    }

    void cutCell()
    {
        if (m_dialect.formulaQuotes && cutFormula()) {
            return;
        }
        const std::size_t begin = m_at;
        const bool isQuoted =
            m_dialect.quote != 0 && begin < m_text.size() && m_text[begin] == m_dialect.quote;
        if (isQuoted) {
            cutQuoted(begin);
            return;
        }
        const bool isEscaped = toCellEnd();
        m_sink.cell(begin, static_cast<std::uint32_t>(m_at - begin) |
                               (isEscaped ? CellSpan::kEscaped : 0));
    }

    /// Cuts a formula of nothing but a text, itself quoted or not.
    bool cutFormula()
    {
        static constexpr std::string_view kForms[][2] = {{"=\"", "\""}, {"\"=\"\"", "\"\"\""}};
        for (const auto& [open, close] : kForms) {
            if (!m_text.substr(m_at).starts_with(open)) {
                continue;
            }
            const std::size_t begin = m_at + open.size();
            const std::size_t end = std::min(m_text.find_first_of("\"\r\n", begin), m_text.size());
            const std::size_t behind = end + close.size();
            if (m_text.substr(end).starts_with(close) &&
                (behind == m_text.size() || endsCell(m_text[behind]))) {
                m_at = behind;
                m_sink.cell(begin, static_cast<std::uint32_t>(end - begin) | CellSpan::kQuoted);
                return true;
            }
        }
        return false;
    }

    void cutQuoted(std::size_t begin)
    {
        bool isEscaped = false;
        const char marks[] = {m_dialect.quote, m_dialect.escape};
        const std::string_view stops(marks, m_dialect.escape == 0 ? 1 : 2);
        std::size_t close = m_text.find_first_of(stops, begin + 1);
        while (close != std::string_view::npos &&
               (m_text[close] != m_dialect.quote ||
                m_text.substr(close + 1, 1) == stops.substr(0, 1))) {
            isEscaped = true;
            close = m_text.find_first_of(stops, close + 2);
        }
        if (close == std::string_view::npos) {
            m_cut.inQuotes = true;
            m_cut.quoteAt = begin;
            m_at = m_text.size();
            return;
        }
        m_at = close + 1;
        if (!m_dialect.isBlankSeparated()) {
            skipBlanks();
        }
        const std::size_t behind = m_at;
        toCellEnd();
        if (m_at != behind) {
            m_sink.fault(RowFault::TextAfterQuote, begin);
        }
        m_sink.cell(begin + 1, static_cast<std::uint32_t>(close - begin - 1) | CellSpan::kQuoted |
                                   (isEscaped ? CellSpan::kEscaped : 0));
    }

    /// Whether something was escaped on the way.
    bool toCellEnd()
    {
        bool isEscaped = false;
        while (m_at < m_text.size() && !endsCell(m_text[m_at])) {
            const bool escapes = m_dialect.escape != 0 && m_text[m_at] == m_dialect.escape &&
                                 m_at + 1 < m_text.size() && m_text[m_at + 1] != '\n' &&
                                 m_text[m_at + 1] != '\r';
            isEscaped = isEscaped || escapes;
            m_at += escapes ? 2 : 1;
        }
        return isEscaped;
    }

    std::string_view m_text;
    const CsvDialect& m_dialect;
    Sink& m_sink;
    std::size_t m_at = 0;
    CutText m_cut;
};

/// Cuts a text into records by the dialect's cutter. Besides what RecordCutter calls, the sink gets
/// skipped(next) for a line that is no record.
template <typename Sink>
CutText cutRecords(std::string_view text, const CsvDialect& dialect, Sink& sink)
{
    if (!dialect.isPlain()) {
        return LineCutter<Sink>(text, dialect, sink).run();
    }
    RecordCutter<Sink> cutter(text, dialect, sink);
    cutter.run();
    return {.inQuotes = cutter.inQuotes(),
            .quoteAt = cutter.quoteAt(),
            .hasHighByte = cutter.maker().sawHighByte(),
            .hasNul = cutter.maker().sawNul()};
}

} // namespace cannery::storage
