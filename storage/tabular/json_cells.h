// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/record_conversion.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// One member of a JSON object as a cell of a table.
struct JsonCell
{
    std::string name; ///< a member of a nested object: "address.town"
    std::string text; ///< a number as it is written; empty for null
    bool isList = false;
    bool areIntegers = true; ///< its elements, or itself
    bool areNumbers = true;
};

/// How a column of a table writes what JSON has types for.
struct JsonColumn
{
    std::string separator = "|"; ///< between the elements of an array
    char decimalMark = '.';      ///< of numbers
    bool isInteger = false;      ///< 7.0, the same number to JSON, is written 7
};
/// By name; others are as JsonColumn() says.
using JsonColumns = std::map<std::string, JsonColumn, std::less<>>;

/// The members of one JSON object, in order; of equal names the last counts. The elements of an
/// array of texts and numbers stand in one cell with a separator between them; what is nested
/// within an array stays JSON. Numbers keep their digits. NaN and infinite numbers, which JSON does
/// not have but Python writes, are null. False if the text is no object, or nested deeper than 64
/// levels.
bool readJsonCells(std::string_view object, const JsonColumns& columns,
                   std::vector<JsonCell>& cells);

/// The length of the first object of a text, with what stands before it: blanks, and the brackets
/// and commas of an array of objects. A line that does not begin one is taken whole. 0 if the
/// object goes on behind the text.
std::size_t jsonRecordEnd(std::string_view text, bool isWhole);
/// Without what stands around the object.
std::string_view jsonObjectIn(std::string_view record);

/// Converts objects to records with columns of these names; other members are left out. `written`:
/// how they write their cells.
std::unique_ptr<RecordConverter> makeJsonConverter(const std::vector<std::string>& names,
                                                   JsonColumns written);

} // namespace cannery::storage
