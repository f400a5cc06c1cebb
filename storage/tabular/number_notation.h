// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// How the numbers of a column are written; by default as -1234.5.
struct NumberNotation
{
    char decimalMark = '.'; ///< a point or a comma
    /// Between the groups of the whole part: of three digits, or as in 12,34,567; empty if there is
    /// none. A space also stands for no-break spaces, an apostrophe for a typographic one.
    std::string groupMark;
    std::vector<std::string> affixes; ///< dropped before and behind a number, with blanks
    bool bracketsNegative = false;    ///< (22.5) is -22.5
    bool minusBehind = false;         ///< 22.5- is -22.5
    bool magnitudes = false;          ///< 1.5M is 1500000; see magnitudeOf()

    bool isPlain() const { return *this == NumberNotation(); }
    bool operator==(const NumberNotation&) const = default;
};

/// A number in this notation, without affixes: "(1.234,5)".
std::string sampleOf(const NumberNotation& notation);

/// Rewrites numbers in such a notation as the number parsers read them. For one cell at a time;
/// reused, it allocates nothing.
class NotationReader
{
public:
    explicit NotationReader(NumberNotation notation);

    /// Whether nothing but the decimal mark may be unusual.
    bool isSimple() const { return m_isSimple; }

    /// The text in plain notation, with the padding that the parsers need, valid until the next
    /// call; nothing if it cannot be a number in this notation.
    std::optional<std::string_view> rewritten(std::string_view text);

private:
    /// Drops what stands around the digits; false if signs or brackets contradict each other.
    bool strip(std::string_view& text);
    bool stripSign(std::string_view& text);
    bool stripAffix(std::string_view& text) const;
    void stripMagnitude(std::string_view& text);
    /// Appends digits without their group marks, and a point for the decimal mark.
    bool appendDigits(std::string_view text);
    std::string_view padded(std::size_t begin);

    NumberNotation m_notation;
    bool m_isSimple = false;
    bool m_isSigned = false;
    bool m_isNegative = false;
    int m_magnitude = 0;
    std::string m_buffer;
    std::vector<std::size_t> m_sizes; ///< of the groups
};

/// The bytes of the group mark at the beginning of the text, of any spelling; 0: there is none.
std::size_t groupMarkAt(std::string_view text, std::string_view mark);

/// The power of ten that a suffix stands for: K 3, M or Mn 6, B or Bn 9, T 12, in any case; 0:
/// none.
int magnitudeOf(std::string_view suffix);

/// Whether groups of these sizes, the first one first, are those of a number: 1,234 and 12,34,567.
bool areGroups(std::span<const std::size_t> sizes);

/// The text without blanks around it, no-break spaces included.
std::string_view withoutBlanks(std::string_view text);

} // namespace cannery::storage
