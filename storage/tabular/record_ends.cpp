// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/line_cutter.h"

#include <cstring>

namespace cannery::storage {

namespace {

/// Records only where records end.
class EndSink
{
public:
    explicit EndSink(bool stopAtFirst) : m_stopAtFirst(stopAtFirst) {}

    bool isDone() const { return m_isDone; }
    void run(std::size_t, std::uint64_t, std::size_t) {}
    void cell(std::size_t, std::uint32_t) {}
    void fault(RowFault, std::size_t) {}
    void unclosed(std::size_t, std::size_t) {}
    void record(std::size_t begin, std::size_t lineEnd, std::size_t next)
    {
        // An empty line in front is not yet a record.
        if (m_stopAtFirst && (m_isDone || begin == lineEnd)) {
            return;
        }
        m_previous = m_end;
        m_end = next;
        m_isDone = m_stopAtFirst;
    }

    void skipped(std::size_t next)
    {
        if (!m_stopAtFirst) {
            m_previous = m_end;
            m_end = next;
        }
    }

    std::size_t end() const { return m_end; }
    std::size_t previous() const { return m_previous; }

private:
    bool m_stopAtFirst;
    bool m_isDone = false;
    std::size_t m_end = 0;
    std::size_t m_previous = 0;
};

bool endsLine(char byte)
{
    return byte == '\n' || byte == '\r';
}

/// The end of the last line of a text without quotes.
std::size_t lastLineEnd(std::string_view text, bool isLast)
{
    if (const void* lf = memrchr(text.data(), '\n', text.size())) {
        return static_cast<std::size_t>(static_cast<const char*>(lf) - text.data()) + 1;
    }
    // A CR at the very end may be half of a line break: its LF comes with the next bytes.
    const std::string_view searched = isLast ? text : text.substr(0, text.size() - 1);
    const std::size_t cr = searched.rfind('\r');
    return cr == std::string_view::npos ? 0 : cr + 1;
}

} // namespace

RecordsEnd findRecordsEnd(std::string_view text, const CsvDialect& dialect, bool isLast)
{
    if (text.empty()) {
        return {};
    }
    // The usual case: line breaks can be searched from the end, without looking at all of it.
    if (dialect.quote == 0 || memchr(text.data(), dialect.quote, text.size()) == nullptr) {
        return {.end = isLast ? text.size() : lastLineEnd(text, isLast)};
    }
    EndSink sink(false);
    const CutText cut = cutRecords(text, dialect, sink);
    RecordsEnd found{.end = sink.end()};
    // The cutter ends the last record at the end of the text; that is a guess unless a line ended
    // there.
    const bool endedByText = found.end == text.size() && !endsLine(text.back());
    const bool endedByCr = found.end == text.size() && text.back() == '\r';
    if (!isLast && (endedByText || endedByCr)) {
        found.end = sink.previous();
    }
    if (cut.inQuotes) {
        found.quoteIsOpen = true;
        found.openQuote = cut.quoteAt;
    }
    if (isLast) {
        found.end = text.size();
    }
    return found;
}

std::size_t firstRecordEnd(std::string_view text, const CsvDialect& dialect, bool isLast)
{
    EndSink sink(true);
    const CutText cut = cutRecords(text, dialect, sink);
    const std::size_t end = sink.end();
    const bool isSure = end > 0 && (end < text.size() || text.back() == '\n');
    if (isSure || (isLast && end > 0)) {
        return end;
    }
    // An open quote may still be closed by what follows.
    return isLast && !cut.inQuotes ? text.size() : std::string_view::npos;
}

} // namespace cannery::storage
