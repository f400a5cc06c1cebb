// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv/csv_dialect.h"
#include "storage/tabular/number_notation.h"
#include "storage/tabular/table_chunk.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// How to parse one column of the file.
struct CsvColumn
{
    std::string name;
    std::size_t index = 0;       ///< position in the file, from 0
    DType dtype = DType::String; ///< Float32, Float64, Int32, Int64 or String
    /// Texts that mean "missing", besides the empty one. Compared with numbers ignoring surrounding
    /// spaces, with texts exactly.
    std::vector<std::string> missingTokens;
    bool isRequired = false; ///< a missing cell makes the row bad
    NumberNotation notation; ///< of its numbers; its decimal mark counts, not the dialect's

    bool operator==(const CsvColumn&) const = default;
};

/// Numbers that were read but deserve a warning.
struct ParseWarnings
{
    std::uint64_t outOfRange = 0;          ///< beyond the float type: became infinity
    std::uint64_t firstOutOfRangeLine = 0; ///< physical line, 0: none
    std::string firstOutOfRange;           ///< its text

    void add(const ParseWarnings& other);
};

/// Parses cells into typed columns. Bad rows (not a number, too large, missing where required,
/// invalid UTF-8) are dropped from every column and become problems of `table`, whose rows shrink
/// likewise. Thread-safe: a pure function of its arguments.
TableChunk parseCells(CellTable& table, const CsvDialect& dialect,
                      const std::vector<CsvColumn>& columns, ParseWarnings& warnings);

/// Every byte as the character with that code.
std::string utf8FromLatin1(std::string_view text);

} // namespace cannery::storage
