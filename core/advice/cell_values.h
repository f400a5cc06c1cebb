// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/statistics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the values of a column mean beside their type, found from its statistics alone.
namespace cannery::advice {

/// A number far from all others that recurs, as a sensor writes that failed: -200, -999, 9999.
struct Sentinel
{
    double value = 0;
    std::string text; ///< as a number is printed
    std::uint64_t count = 0;
    /// It means nothing else: all nines, or the only negative number, in less than half of the
    /// rows.
    bool isCertain = false;
};
std::optional<Sentinel> findSentinel(const data::ColumnStatistics& column);

/// The text between several values in one cell, such as song|war, if the values recur in other
/// combinations: "|", ";", ",", or the same with a space behind it.
std::optional<std::string> findSeparator(const data::ColumnStatistics& column);

/// Whether words recur in different texts.
bool hasRecurringWords(const data::ColumnStatistics& column);

/// Values that differ only in the case of letters and in blanks, each group with its most frequent
/// one first.
std::vector<std::vector<std::string>> findSpellings(const data::ColumnStatistics& column);

/// "holds \"yes\" and \"Yes\", which differ only …", or empty.
std::string spellingRemark(const data::ColumnStatistics& column);

/// The pieces of a cell between separators, without empty ones.
std::vector<std::string_view> piecesOf(std::string_view cell, std::string_view separator);

} // namespace cannery::advice
