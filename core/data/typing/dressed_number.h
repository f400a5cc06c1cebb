// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::data {

/// One way to read marks between digits.
struct NumberReading
{
    std::string_view groupMark; ///< as NumberNotation::groupMark
    char decimalMark = '.';
};

/// The simplest ones first, those with a decimal point before those with a comma.
inline constexpr std::array<NumberReading, 8> kNumberReadings = {
    {{"", '.'}, {",", '.'}, {"'", '.'}, {" ", '.'}, {"", ','}, {".", ','}, {"'", ','}, {" ", ','}}};

/// A set of them, one bit each.
using NumberReadings = std::uint8_t;
inline constexpr NumberReadings kAllReadings = 0xFF;
inline constexpr NumberReadings kPointReadings = 0x0F;
inline constexpr NumberReadings kCommaReadings = 0xF0;

/// A number with what stands around it: "($ 1,234.50)*".
struct DressedNumber
{
    std::string before; ///< without blanks, signs and brackets; neither has `behind`
    std::string behind;
    bool isBracketed = false;
    bool hasMinusBehind = false;
    NumberReadings readings = 0; ///< at least one
    bool hasMark = false;        ///< a point or a comma between its digits
    bool isGrouped = false;      ///< all its marks may separate groups, and there are some
    std::size_t digits = 0;
    std::size_t points = 0;
};

/// Nothing if the text is not a number in any notation: no digits, "12:30", "1.2.3", "A-12-7".
std::optional<DressedNumber> dressedNumber(std::string_view text);

} // namespace cannery::data
