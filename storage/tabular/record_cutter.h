// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/byte_masks.h"
#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv/csv_dialect.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cannery::storage {

/// One bit for each of 64 bytes.
struct BlockMasks
{
    std::uint64_t delimiter = 0;
    std::uint64_t lineEnd = 0;
    std::uint64_t quote = 0;
};

/// Finds delimiters, line ends and quotes of 64 bytes at a time, and also records whether any byte
/// is NUL or not ASCII. Bytes: a class of byte_masks.h.
template <typename Bytes>
class MaskMaker
{
public:
    explicit MaskMaker(const CsvDialect& dialect)
        : m_delimiter(Bytes::pattern(dialect.delimiter)), m_quote(Bytes::pattern(dialect.quote)),
          m_quoteFilter(dialect.quote == 0 ? 0 : ~std::uint64_t(0))
    {}

    /// Masks of bytes [at, at + 64); bits at or beyond `end` are 0.
    BlockMasks masks(const char* text, std::size_t at, std::size_t end)
    {
        const Bytes bytes = Bytes::at(text + at);
        BlockMasks masks;
        masks.delimiter = bytes.equal(m_delimiter);
        masks.lineEnd = bytes.equal(Bytes::pattern('\n')) | bytes.equal(Bytes::pattern('\r'));
        masks.quote = bytes.equal(m_quote) & m_quoteFilter;
        if (end - at >= 64) [[likely]] {
            m_seen.note(bytes);
        } else {
            const std::uint64_t valid = (std::uint64_t(1) << (end - at)) - 1;
            masks.delimiter &= valid;
            masks.lineEnd &= valid;
            masks.quote &= valid;
            noteTail(std::string_view(text + at, end - at));
        }
        return masks;
    }

    bool sawHighByte() const { return m_tailHasHigh || m_seen.highByte(); }
    bool sawNul() const { return m_tailHasNul || m_seen.nul(); }

private:
    void noteTail(std::string_view tail)
    {
        for (const char byte : tail) {
            m_tailHasHigh = m_tailHasHigh || static_cast<unsigned char>(byte) >= 0x80U;
            m_tailHasNul = m_tailHasNul || byte == 0;
        }
    }

    typename Bytes::Pattern m_delimiter;
    typename Bytes::Pattern m_quote;
    typename Bytes::Seen m_seen;
    std::uint64_t m_quoteFilter;
    bool m_tailHasHigh = false;
    bool m_tailHasNul = false;
};

/// The state machine of the grammar (see scanCells), over the structural bytes only. The sink gets
/// run(at, ends, begin): the ends of unquoted cells within 64 bytes, the first of which begins at
/// `begin`; cell(begin, length and flags) for a quoted one; record(begin, end of the line, next
/// record); fault(kind, offset) for the current record; unclosed(begin, quote) if the text ends
/// inside quotes.
template <typename Sink, typename Bytes = TextBytes>
class RecordCutter
{
public:
    RecordCutter(std::string_view text, const CsvDialect& dialect, Sink& sink)
        : m_text(text.data()), m_end(text.size()), m_dialect(dialect), m_sink(sink),
          m_maker(dialect)
    {}

    void run()
    {
        for (std::size_t at = 0; at < m_end && !m_sink.isDone(); at += 64) {
            const BlockMasks masks = m_maker.masks(m_text, at, m_end);
            if (masks.quote == 0 && m_inQuotes) {
                continue;
            }
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
    const MaskMaker<Bytes>& maker() const { return m_maker; }

private:
    void cutPlain(std::size_t at, const BlockMasks& masks)
    {
        // The LF of a pair may be in this block and its CR in the previous one.
        const std::uint64_t ahead =
            m_cellBegin > at ? ~std::uint64_t(0) << (m_cellBegin - at) : ~std::uint64_t(0);
        std::uint64_t ends = (masks.delimiter | masks.lineEnd) & ahead;
        std::uint64_t lines = masks.lineEnd & ahead;
        while (lines != 0) {
            const std::uint64_t line =
                lines ^ (lines - 1); // the first line end, and all bits below
            m_sink.run(at, ends & line, m_cellBegin);
            const std::size_t position = at + static_cast<unsigned>(std::countr_zero(lines));
            endRecord(position);
            // Two bytes for a pair, one otherwise; a pair across blocks is handled above.
            const std::uint64_t behind = m_cellBegin == position + 2 ? line << 1U | 1U : line;
            ends &= ~behind;
            lines &= ~behind;
        }
        if (ends != 0) {
            m_sink.run(at, ends, m_cellBegin);
            m_cellBegin = at + static_cast<std::size_t>(std::bit_width(ends));
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

    void endCell(std::size_t position)
    {
        if (!m_isQuoted) {
            m_sink.cell(m_cellBegin, static_cast<std::uint32_t>(position - m_cellBegin));
            m_cellBegin = position + 1;
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
    MaskMaker<Bytes> m_maker;
    std::size_t m_cellBegin = 0;
    std::size_t m_recordBegin = 0;
    std::size_t m_skipUntil = 0;
    std::size_t m_closedAt = 0;
    bool m_inQuotes = false;
    bool m_isQuoted = false;
    bool m_escaped = false;
};

} // namespace cannery::storage
