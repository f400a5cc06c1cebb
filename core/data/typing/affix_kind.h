// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace cannery::data {

/// What a text beside a number is.
enum class AffixKind
{
    Percent,
    Currency,
    Mark,  ///< of some numbers: a footnote, a bound
    Unit,  ///< letters behind numbers: a unit of all of them, or a mark of some
    Other, ///< makes the cell a code or a text
};

/// `isBefore`: it stands in front of the number. Without blanks around it.
AffixKind affixKind(std::string_view affix, bool isBefore);

/// Whether a unit may be the mark of a single number, such as a letter for its quality, rather than
/// a multiple such as k.
bool maybeQualityMark(std::string_view unit);

/// Whether a text is a usual word or sign for a missing number, or only blanks: NA, ?, n/a, -.
bool meansMissing(std::string_view text);

} // namespace cannery::data
