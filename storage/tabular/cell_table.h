// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/large_memory.h"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// The range of a cell in its text, without its enclosing quotes.
struct CellSpan
{
    std::uint32_t begin = 0;
    std::uint32_t lengthAndFlags = 0;

    static constexpr std::uint32_t kEscaped = 1U << 31U; ///< contains doubled quotes or escapes
    static constexpr std::uint32_t kQuoted = 1U << 30U;
    static constexpr std::uint32_t kLengthMask = kQuoted - 1;

    std::uint32_t length() const { return lengthAndFlags & kLengthMask; }
    bool isEscaped() const { return (lengthAndFlags & kEscaped) != 0; }
    bool isQuoted() const { return (lengthAndFlags & kQuoted) != 0; }
};

/// What is wrong with one record.
enum class RowFault
{
    FieldCount,     ///< not as many fields as columns
    TextAfterQuote, ///< text between a closing quote and the delimiter
    OpenQuote,      ///< a quote is never closed
    InvalidUtf8,
    InvalidText, ///< a mark of TextDecoder
    NotANumber,  ///< the cell cannot be read as its column's type
    TooLarge,    ///< an integer beyond its column's type
    Missing,     ///< a missing cell in a column that requires a value
    FieldLength, ///< a cell longer than kCsvCellBytes
    NulByte,     ///< a NUL in a text
};

/// One error, by its position in the text.
struct RowProblem
{
    RowFault fault = RowFault::FieldCount;
    std::uint32_t recordBegin = 0; ///< offset in the text
    std::uint32_t at = 0;          ///< offset of the offending byte
    std::uint32_t column = 0;      ///< or the number of fields, for FieldCount
    std::string detail;            ///< the record, the cell, or the invalid byte; shortened
    bool isOnlyCell = false;       ///< all others of at least three columns are empty
};

/// Cells of whole records of one text, row by row: `columns` cells for each of `rowCount()` rows. A
/// view: the text must outlive it.
struct CellTable
{
    std::string_view text;
    std::size_t columns = 0;
    char escape = '\0'; ///< of the dialect
    /// Only the first rowCount() * columns are valid. Of a wide table's block, several megabytes.
    std::pmr::vector<CellSpan> cells{largeMemory()};
    std::vector<std::uint32_t> rowBegins;
    std::vector<RowProblem> problems;  ///< skipped records, in order
    std::uint32_t problemCount = 0;    ///< may exceed problems.size()
    std::uint32_t blankLines = 0;      ///< or of nothing but delimiters
    std::uint32_t repeatedHeaders = 0; ///< lines like the header
    bool hasHighBytes = false;         ///< some byte of the text is not ASCII
    bool hasNul = false;               ///< some byte of the text is NUL

    static constexpr std::size_t kMaxProblems = 100;

    std::size_t rowCount() const { return rowBegins.size(); }
    const CellSpan& cell(std::size_t row, std::size_t column) const
    {
        return cells[row * columns + column];
    }
    /// Whether a row of at least three columns has a first cell and no other: a note, filled up
    /// with delimiters.
    bool hasOnlyFirst(std::size_t row) const;
    std::string_view raw(const CellSpan& span) const
    {
        return text.substr(span.begin, span.length());
    }
    /// The cell's text; `scratch` holds it if quotes had to be unescaped.
    std::string_view value(const CellSpan& span, char quote, std::string& scratch) const;
    void addProblem(RowProblem problem);
    void clear();
};

} // namespace cannery::storage
