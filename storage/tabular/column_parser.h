// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/cell_reader.h"
#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv/csv_dialect.h"
#include "storage/tabular/csv/csv_parser.h"
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
    /// The value to keep of a cell that the fast paths do not read.
    template <typename T>
    T parseOddNumber(std::size_t row, const CellSpan& span);
    template <typename T>
    bool fits(T value) const;

    void parseStrings(std::size_t begin, std::size_t end);
    void parseOddString(std::size_t row, const CellSpan& span, StringColumn& strings);
    void appendEncoded(std::size_t row, const CellSpan& span, std::string_view text,
                       StringColumn& strings);

    void missing(std::size_t row, const CellSpan& span);
    void bad(std::size_t row, const CellSpan& span, RowFault fault, const std::string& detail = {});
    void warnOutOfRange(std::size_t row, std::string_view text);

    const CsvColumn& m_plan;
    ParseContext& m_context;
    TableColumn& m_column;
    CellReader m_reader;
    std::string m_scratch;
    bool m_isQuick = false; ///< what the fast paths read is a value
};

} // namespace cannery::storage
