// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/typing/dressed_number.h"
#include "storage/tabular/number_notation.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// How the numbers of a column must be written for all of its cells to be numbers or missing.
struct NotationFinding
{
    bool isNumeric = false; ///< they are, with what follows
    storage::NumberNotation notation;
    std::vector<std::string> missingTokens; ///< without blanks around them
    std::string example;                    ///< a cell that needs the notation, or empty
    /// Why the numbers cannot be read without a person's word, as the end of a sentence that begins
    /// with the column; empty if there is no doubt.
    std::string doubt;
    std::vector<storage::NumberNotation> choices; ///< of that person; may be empty
};

/// The notation of a number, given as an example; nothing if it is not a number, or has two
/// readings: 1,234. `hasCommas`: the decimal mark of the table, for an example without one.
std::optional<storage::NumberNotation> notationOfExample(std::string_view text, bool hasCommas);

/// The cells of a column that are numbers by themselves.
struct PlainNumbers
{
    std::uint64_t count = 0;
    std::uint64_t zeros = 0;
    bool haveCommas = false; ///< the decimal mark of the table is a comma
};

/// What the cells of one column show about the notation of its numbers. A column of texts costs
/// nothing more as soon as that is clear.
class NotationEvidence
{
public:
    /// A plain number with a fraction or an exponent, as it is written.
    void observeFraction(std::string_view text, std::uint64_t line);
    /// A cell that is not a number by itself.
    void observeText(std::string_view text, std::uint64_t line);

    NotationFinding finding(const PlainNumbers& plain) const;
    /// Whether some number is one with a decimal point only.
    bool needsPoint() const { return (m_readings & kCommaReadings) == 0; }

private:
    void observeReadings(const DressedNumber& number, std::string_view text, std::uint64_t line);
    void observeDressed(const DressedNumber& number, std::string_view text, std::uint64_t line);
    void countAffix(const std::string& affix, bool isBefore);

    bool takeTokens(const PlainNumbers& plain, NotationFinding& found) const;
    bool takeMarks(const PlainNumbers& plain, NotationFinding& found) const;
    bool takeAffixes(const PlainNumbers& plain, NotationFinding& found) const;
    bool mayBeCodes(const PlainNumbers& plain, const storage::NumberNotation& notation) const;

    struct Sighting
    {
        std::string text;
        std::uint64_t line = 0;
    };

    bool m_isText = false;
    NumberReadings m_readings = kAllReadings; ///< that fit every number
    bool m_hasMarks = false;                  ///< a point or a comma between digits
    bool m_hasPlainFractions = false;
    bool m_areAddresses = true; ///< every dressed number has three points
    bool m_areGrouped = true;   ///< every dressed number is
    std::uint64_t m_dressed = 0;
    std::uint64_t m_bracketed = 0;
    std::uint64_t m_minusBehind = 0;
    std::size_t m_fewestDigits = ~std::size_t{0}; ///< of dressed numbers
    std::size_t m_mostDigits = 0;
    std::map<std::string, std::uint64_t, std::less<>> m_before; ///< what stands before numbers
    std::map<std::string, std::uint64_t, std::less<>> m_behind;
    std::map<std::string, std::uint64_t, std::less<>> m_odd; ///< cells that are not numbers
    std::size_t m_unknown = 0; ///< of these, that are not known to mean a missing number
    std::string m_example;     ///< a dressed number, with a mark if possible
    Sighting m_mixedFraction;  ///< the first text such as 6 1/2
    Sighting m_first;          ///< number with a mark, or dressed number
    Sighting m_contradiction;  ///< the first number that no reading of the earlier ones fits
};

} // namespace cannery::data
