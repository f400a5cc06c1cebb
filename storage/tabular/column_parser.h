// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv/csv_dialect.h"
#include "storage/tabular/csv/csv_parser.h"
#include "storage/tabular/number_notation.h"
#include "storage/tabular/number_parser.h"
#include "storage/tabular/table_chunk.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// State shared by all column parsers of one text.
struct ParseContext
{
    CellTable& table;
    const CsvDialect& dialect;
    ParseWarnings& warnings;
    std::vector<std::uint8_t> badRows; ///< empty until the first bad row
};

/// Parses one column of the file into a typed column with space for all rows. Bad cells mark their
/// row and become problems of the table. Context and column must outlive it.
class ColumnParser
{
public:
    ColumnParser(const CsvColumn& plan, ParseContext& context, TableColumn& column);

    /// Rows [begin, end), each row once and in order.
    void parse(std::size_t begin, std::size_t end);

private:
    template <typename T>
    void parseNumbers(std::size_t begin, std::size_t end);
    /// In another notation than the parsers read.
    template <typename T>
    void parseWrittenNumbers(std::size_t begin, std::size_t end);
    template <typename T>
    T parseOddNumber(std::size_t row, const CellSpan& span, std::string_view text);
    /// The value to keep of a cell that has been parsed with this outcome.
    template <typename T>
    T settle(std::size_t row, const CellSpan& span, std::string_view text, NumberStatus status,
             T value);
    template <typename T>
    bool fits(T value) const;

    void parseStrings(std::size_t begin, std::size_t end);
    void parseOddString(std::size_t row, const CellSpan& span, StringColumn& strings);
    void appendEncoded(std::size_t row, const CellSpan& span, std::string_view text,
                       StringColumn& strings);

    bool isToken(std::string_view text) const;
    void missing(std::size_t row, const CellSpan& span);
    void bad(std::size_t row, const CellSpan& span, RowFault fault, const std::string& detail = {});
    void warnOutOfRange(std::size_t row, std::string_view text);

    const CsvColumn& m_plan;
    ParseContext& m_context;
    TableColumn& m_column;
    std::vector<std::string> m_tokens; ///< without blanks around them in a column of numbers
    std::string m_scratch;
    NotationReader m_notation;
    bool m_tokensFirst = false; ///< a missing token would parse as a number
};

} // namespace cannery::storage
