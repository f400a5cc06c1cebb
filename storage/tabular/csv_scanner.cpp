#include "storage/tabular/csv_scanner.h"

#include "storage/tabular/byte_masks.h"

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace cannery::storage {

namespace {

/// One bit for each of 64 bytes.
struct BlockMasks
{
    std::uint64_t delimiter = 0;
    std::uint64_t lineEnd = 0;
    std::uint64_t quote = 0;
};

/// Finds delimiters, line ends and quotes of 64 bytes at a time.
class MaskMaker
{
public:
    explicit MaskMaker(const CsvDialect& dialect)
        : m_delimiter(_mm256_set1_epi8(dialect.delimiter)),
          m_quote(_mm256_set1_epi8(dialect.quote)),
          m_quoteFilter(dialect.quote == 0 ? 0 : ~std::uint64_t(0))
    {}

    /// Masks of bytes [at, at + 64); bits at or beyond `end` are 0.
    BlockMasks masks(const char* text, std::size_t at, std::size_t end) const
    {
        const auto* source = reinterpret_cast<const __m256i*>(text + at);
        const __m256i low = _mm256_loadu_si256(source);
        const __m256i high = _mm256_loadu_si256(source + 1);
        const __m256i lf = _mm256_set1_epi8('\n');
        const __m256i cr = _mm256_set1_epi8('\r');
        const std::uint64_t valid =
            end - at >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << (end - at)) - 1;
        BlockMasks masks;
        masks.delimiter = equalBytes(low, high, m_delimiter) & valid;
        masks.lineEnd = (equalBytes(low, high, lf) | equalBytes(low, high, cr)) & valid;
        masks.quote = equalBytes(low, high, m_quote) & valid & m_quoteFilter;
        return masks;
    }

private:
    __m256i m_delimiter;
    __m256i m_quote;
    std::uint64_t m_quoteFilter;
};

/// The state machine of the grammar, over the structural bytes only. The sink gets
/// cell(begin, length and flags), record(begin, end of the line), reserve() once for each 64 bytes,
/// and fault(kind, offset) for the record at hand.
template <typename Sink>
class RecordCutter
{
public:
    RecordCutter(std::string_view text, const CsvDialect& dialect, Sink& sink)
        : m_text(text.data()), m_end(text.size()), m_dialect(dialect), m_sink(sink)
    {}

    void run()
    {
        const MaskMaker maker(m_dialect);
        for (std::size_t at = 0; at < m_end && !m_sink.isDone(); at += 64) {
            const BlockMasks masks = maker.masks(m_text, at, m_end);
            if (masks.quote == 0 && m_inQuotes) {
                continue;
            }
            m_sink.reserve();
            if (masks.quote == 0 && !m_isQuoted) {
                cutPlain(at, masks);
            } else {
                cutQuoted(at, masks);
            }
        }
        finish();
    }

    bool inQuotes() const { return m_inQuotes; }
    std::size_t quoteAt() const { return m_cellBegin; }

private:
    void cutPlain(std::size_t at, const BlockMasks& masks)
    {
        std::uint64_t bits = masks.delimiter | masks.lineEnd;
        while (bits != 0) {
            const auto bit = static_cast<unsigned>(std::countr_zero(bits));
            bits &= bits - 1;
            const std::size_t position = at + bit;
            if (((masks.lineEnd >> bit) & 1U) != 0) {
                if (position >= m_cellBegin) {
                    endPlainCell(position);
                    endRecord(position);
                }
            } else {
                endPlainCell(position);
            }
        }
    }

    void cutQuoted(std::size_t at, const BlockMasks& masks)
    {
        std::uint64_t bits = masks.delimiter | masks.lineEnd | masks.quote;
        while (bits != 0) {
            const auto bit = static_cast<unsigned>(std::countr_zero(bits));
            bits &= bits - 1;
            const std::size_t position = at + bit;
            if (position < m_skipUntil || position < m_cellBegin) {
                continue;
            }
            if (((masks.quote >> bit) & 1U) != 0) {
                meetQuote(position);
            } else if (!m_inQuotes) {
                endCell(position);
                if (((masks.lineEnd >> bit) & 1U) != 0) {
                    endRecord(position);
                }
            }
        }
    }

    void meetQuote(std::size_t position)
    {
        if (m_inQuotes) {
            if (position + 1 < m_end && m_text[position + 1] == m_dialect.quote) {
                m_escaped = true;
                m_skipUntil = position + 2;
            } else {
                m_inQuotes = false;
                m_closedAt = position;
            }
        } else if (position == m_cellBegin) {
            m_inQuotes = true;
            m_isQuoted = true;
        }
    }

    void endPlainCell(std::size_t position)
    {
        m_sink.cell(m_cellBegin, static_cast<std::uint32_t>(position - m_cellBegin));
        m_cellBegin = position + 1;
    }

    void endCell(std::size_t position)
    {
        if (!m_isQuoted) {
            endPlainCell(position);
            return;
        }
        if (position != m_closedAt + 1) {
            m_sink.fault(RowFault::TextAfterQuote, m_cellBegin);
        }
        const std::size_t length = m_closedAt - m_cellBegin - 1;
        m_sink.cell(m_cellBegin + 1, static_cast<std::uint32_t>(length) | CellSpan::kQuoted |
                                         (m_escaped ? CellSpan::kEscaped : 0));
        m_cellBegin = position + 1;
        m_isQuoted = false;
        m_escaped = false;
    }

    void endRecord(std::size_t position)
    {
        const bool isPair =
            m_text[position] == '\r' && position + 1 < m_end && m_text[position + 1] == '\n';
        m_cellBegin = position + (isPair ? 2 : 1);
        m_sink.record(m_recordBegin, position, m_cellBegin);
        m_recordBegin = m_cellBegin;
    }

    void finish()
    {
        if (m_sink.isDone() || m_recordBegin >= m_end) {
            return;
        }
        m_sink.reserve();
        if (m_inQuotes) {
            m_sink.unclosed(m_recordBegin, m_cellBegin);
            return;
        }
        endCell(m_end);
        m_sink.record(m_recordBegin, m_end, m_end);
    }

    const char* m_text;
    std::size_t m_end;
    const CsvDialect& m_dialect;
    Sink& m_sink;
    std::size_t m_cellBegin = 0;
    std::size_t m_recordBegin = 0;
    std::size_t m_skipUntil = 0;
    std::size_t m_closedAt = 0;
    bool m_inQuotes = false;
    bool m_isQuoted = false;
    bool m_escaped = false;
};

std::string shortened(std::string_view text)
{
    constexpr std::size_t kLimit = 80;
    return text.size() <= kLimit ? std::string(text) : std::string(text.substr(0, kLimit)) + "…";
}

/// Collects cells into a CellTable; the cells of a faulty record are taken back.
class TableSink
{
public:
    explicit TableSink(CellTable& table) : m_table(table), m_count(table.rowCount() * table.columns)
    {
        m_recordFirst = m_count;
    }

    bool isDone() const { return false; }

    void reserve()
    {
        // 64 bytes hold at most 64 cells, and the end of the text one more.
        if (m_table.cells.size() < m_count + 66) {
            m_table.cells.resize(std::max<std::size_t>(4096, m_count * 2) + 66);
        }
    }

    void cell(std::size_t begin, std::uint32_t lengthAndFlags)
    {
        m_table.cells[m_count++] = {static_cast<std::uint32_t>(begin), lengthAndFlags};
    }

    void fault(RowFault fault, std::size_t at)
    {
        if (!m_hasFault) {
            m_hasFault = true;
            m_problem.fault = fault;
            m_problem.at = static_cast<std::uint32_t>(at);
            m_problem.column = static_cast<std::uint32_t>(m_count - m_recordFirst);
        }
    }

    void record(std::size_t begin, std::size_t lineEnd, std::size_t)
    {
        const std::size_t fields = m_count - m_recordFirst;
        if (fields == m_table.columns && !m_hasFault) [[likely]] {
            if (fields > 1 || begin != lineEnd) {
                m_table.rowBegins.push_back(static_cast<std::uint32_t>(begin));
                m_recordFirst = m_count;
                return;
            }
        }
        endOddRecord(begin, lineEnd, fields);
    }

    void unclosed(std::size_t begin, std::size_t quoteAt)
    {
        fault(RowFault::OpenQuote, quoteAt);
        reportProblem(begin, m_table.text.size());
    }

private:
    void endOddRecord(std::size_t begin, std::size_t lineEnd, std::size_t fields)
    {
        const std::string_view line = m_table.text.substr(begin, lineEnd - begin);
        const bool isBlank = fields == 1 && line.find_first_not_of(" \t") == std::string_view::npos;
        if (isBlank && (m_table.columns != 1 || line.empty())) {
            ++m_table.blankLines;
            m_count = m_recordFirst;
            return;
        }
        if (m_table.columns == 0 && !m_hasFault) {
            m_table.columns = fields;
            m_table.rowBegins.push_back(static_cast<std::uint32_t>(begin));
            m_recordFirst = m_count;
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
        m_problem.detail = shortened(m_table.text.substr(begin, lineEnd - begin));
        m_table.addProblem(std::move(m_problem));
        m_problem = {};
        m_hasFault = false;
        m_count = m_recordFirst;
    }

    CellTable& m_table;
    std::size_t m_count;
    std::size_t m_recordFirst;
    bool m_hasFault = false;
    RowProblem m_problem;
};

/// Remembers only where records end.
class EndSink
{
public:
    explicit EndSink(bool stopAtFirst) : m_stopAtFirst(stopAtFirst) {}

    bool isDone() const { return m_isDone; }
    void reserve() {}
    void cell(std::size_t, std::uint32_t) {}
    void fault(RowFault, std::size_t) {}
    void unclosed(std::size_t, std::size_t) {}
    void record(std::size_t begin, std::size_t lineEnd, std::size_t next)
    {
        if (m_stopAtFirst && (m_isDone || begin == lineEnd)) {
            return;
        }
        m_previous = m_end;
        m_end = next;
        m_isDone = m_stopAtFirst;
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
    const std::string_view searched = isLast ? text : text.substr(0, text.size() - 1);
    const std::size_t cr = searched.rfind('\r');
    return cr == std::string_view::npos ? 0 : cr + 1;
}

} // namespace

void scanCells(std::string_view text, const CsvDialect& dialect, CellTable& table)
{
    table.text = text;
    TableSink sink(table);
    RecordCutter<TableSink> cutter(text, dialect, sink);
    cutter.run();
}

RecordsEnd findRecordsEnd(std::string_view text, const CsvDialect& dialect, bool isLast)
{
    if (text.empty()) {
        return {};
    }
    if (dialect.quote == 0 || memchr(text.data(), dialect.quote, text.size()) == nullptr) {
        return {.end = isLast ? text.size() : lastLineEnd(text, isLast)};
    }
    EndSink sink(false);
    RecordCutter<EndSink> cutter(text, dialect, sink);
    cutter.run();
    RecordsEnd found{.end = sink.end()};
    // The cutter ends the last record at the end of the text; that is a guess unless a line ended.
    const bool endedByText = found.end == text.size() && !endsLine(text.back());
    const bool endedByCr = found.end == text.size() && text.back() == '\r';
    if (!isLast && (endedByText || endedByCr)) {
        found.end = sink.previous();
    }
    if (cutter.inQuotes()) {
        found.quoteIsOpen = true;
        found.openQuote = cutter.quoteAt();
    }
    if (isLast) {
        found.end = text.size();
    }
    return found;
}

std::size_t firstRecordEnd(std::string_view text, const CsvDialect& dialect, bool isLast)
{
    EndSink sink(true);
    RecordCutter<EndSink> cutter(text, dialect, sink);
    cutter.run();
    const std::size_t end = sink.end();
    const bool isSure = end > 0 && (end < text.size() || text.back() == '\n');
    if (isSure || (isLast && end > 0)) {
        return end;
    }
    return isLast && !cutter.inQuotes() ? text.size() : std::string_view::npos;
}

} // namespace cannery::storage
