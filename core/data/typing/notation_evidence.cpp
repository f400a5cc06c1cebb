// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/notation_evidence.h"

#include "core/data/typing/affix_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace cannery::data {

namespace {

constexpr std::size_t kShownBytes = 80;
constexpr std::size_t kMostAffixes = 12;
constexpr std::size_t kMostOddTexts = 8;
constexpr std::size_t kLongestToken = 40;
/// Marks of single cells, such as footnotes, are on fewer than this part of the numbers; letters
/// may otherwise be a part of codes.
constexpr double kMostMarked = 0.5;
constexpr double kMostLettered = 0.1;

bool mayStandBeside(const std::string& affix, bool isBefore)
{
    return affix.empty() || affixKind(affix, isBefore) != AffixKind::Other;
}

/// "6 1/2".
bool isMixedFraction(std::string_view text)
{
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t whole = std::min(text.find_first_not_of(kDigits), text.size());
    const std::string_view rest = storage::withoutBlanks(text.substr(whole));
    const std::size_t slash = rest.find('/');
    // Numerator and denominator are short: longer ones are dates or codes.
    const auto isCount = [&](std::string_view part) {
        return !part.empty() && part.size() <= 3 &&
               part.find_first_not_of(kDigits) == std::string_view::npos;
    };
    return whole > 0 && rest.size() < text.size() - whole && slash != std::string_view::npos &&
           isCount(rest.substr(0, slash)) && isCount(rest.substr(slash + 1));
}

std::uint64_t total(const std::map<std::string, std::uint64_t, std::less<>>& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& one) { return sum + one.second; });
}

storage::NumberNotation notationOf(NumberReadings readings)
{
    std::size_t simplest = 0;
    // Readings are sorted by simplicity.
    while ((readings >> simplest & 1U) == 0) {
        ++simplest;
    }
    return {.decimalMark = kNumberReadings[simplest].decimalMark,
            .groupMark = std::string(kNumberReadings[simplest].groupMark)};
}

/// What is found on how many numbers.
struct AffixCount
{
    std::string text;
    std::uint64_t count = 0;
};

/// The affixes of a column by their kinds.
struct AffixGroups
{
    std::vector<AffixCount> units; ///< of the whole column: kg
    std::vector<AffixCount> shares;
    std::vector<AffixCount> currencies;
    std::vector<AffixCount> marks;

    void add(const std::string& text, std::uint64_t count, bool isBefore)
    {
        switch (affixKind(text, isBefore)) {
        case AffixKind::Percent:
            shares.push_back({text, count});
            break;
        case AffixKind::Currency:
            addCurrency(text, count);
            break;
        case AffixKind::Mark:
            marks.push_back({text, count});
            break;
        case AffixKind::Unit:
            units.push_back({text, count});
            break;
        case AffixKind::Other:
            break;
        }
    }

private:
    /// $ before some numbers and behind others is one.
    void addCurrency(const std::string& text, std::uint64_t count)
    {
        for (AffixCount& one : currencies) {
            // The sign is one, wherever it stands.
            if (one.text == text) {
                one.count += count;
                return;
            }
        }
        currencies.push_back({text, count});
    }
};

std::uint64_t total(const std::vector<AffixCount>& affixes)
{
    return std::accumulate(
        affixes.begin(), affixes.end(), std::uint64_t{0},
        [](std::uint64_t sum, const AffixCount& one) { return sum + one.count; });
}

/// Whether these units multiply their numbers: K or M, beside others or beside numbers without.
/// One of all numbers may be a unit, which matters as little.
bool areMagnitudes(const std::vector<AffixCount>& units, std::uint64_t numbers)
{
    const auto power = [](const AffixCount& unit) { return storage::magnitudeOf(unit.text); };
    const auto isUsual = [&](const AffixCount& unit) {
        // K and M are the usual ones; other letters alone are units.
        return unit.text.size() == 1 && (power(unit) == 3 || power(unit) == 6);
    };
    return std::any_of(units.begin(), units.end(), isUsual) &&
           std::all_of(units.begin(), units.end(),
                       [&](const AffixCount& unit) { return power(unit) > 0; }) &&
           (units.size() > 1 || total(units) < numbers);
}

/// Why numbers with these units cannot be compared, or nothing.
std::string doubtOf(const AffixGroups& groups, std::uint64_t numbers, std::uint64_t zeros)
{
    const auto several = [](const std::vector<AffixCount>& list) {
        return fmt::format(
            "has numbers with {} and numbers with {}: give all of them the same unit", list[0].text,
            list[1].text);
    };
    for (const std::vector<AffixCount>* list : {&groups.shares, &groups.currencies}) {
        if (list->size() > 1) {
            return several(*list);
        }
    }
    const std::uint64_t shares = total(groups.shares);
    // A 0 needs no percent sign.
    if (shares > 0 && shares + zeros < numbers) {
        return fmt::format("has numbers with {} and numbers without: write all of them alike",
                           groups.shares.front().text);
    }
    return {};
}

} // namespace

std::optional<storage::NumberNotation> notationOfExample(std::string_view text, bool hasCommas)
{
    const std::optional<DressedNumber> number = dressedNumber(text);
    if (!number) {
        return std::nullopt;
    }
    NumberReadings readings = number->readings;
    // Without a mark a number is the same in all readings.
    if (!number->hasMark) {
        readings &= hasCommas ? kCommaReadings : kPointReadings;
    }
    if ((readings & kPointReadings) != 0 && (readings & kCommaReadings) != 0) {
        return std::nullopt;
    }
    storage::NumberNotation notation = notationOf(readings);
    notation.magnitudes = storage::magnitudeOf(number->behind) > 0;
    for (const std::string& affix : {number->before, number->behind}) {
        if (!affix.empty() && !(notation.magnitudes && affix == number->behind)) {
            notation.affixes.push_back(affix);
        }
    }
    notation.bracketsNegative = number->isBracketed;
    notation.minusBehind = number->hasMinusBehind;
    return notation;
}

void NotationEvidence::observeReadings(const DressedNumber& number, std::string_view text,
                                       std::uint64_t line)
{
    if (m_first.line == 0 || (number.hasMark && !m_hasMarks)) {
        // A number with a mark shows the notation better than one without.
        m_first = {std::string(text.substr(0, kShownBytes)), line};
    }
    m_hasMarks = m_hasMarks || number.hasMark;
    // The first that fits no common reading is shown beside the first number.
    if (m_readings != 0 && (m_readings & number.readings) == 0) {
        m_contradiction = {std::string(text.substr(0, kShownBytes)), line};
    }
    m_readings &= number.readings;
}

void NotationEvidence::observeFraction(std::string_view text, std::uint64_t line)
{
    if (m_isText || (m_hasPlainFractions && needsPoint())) {
        // Nothing more can be learned from it.
        return;
    }
    const std::optional<DressedNumber> number = dressedNumber(text);
    if (number && number->hasMark) {
        m_hasPlainFractions = true;
        observeReadings(*number, text, line);
    }
}

void NotationEvidence::observeText(std::string_view text, std::uint64_t line)
{
    if (m_isText) {
        return;
    }
    const std::optional<DressedNumber> number = dressedNumber(text);
    if (number && mayStandBeside(number->before, true) && mayStandBeside(number->behind, false)) {
        observeDressed(*number, text, line);
        return;
    }
    const std::string_view bare = storage::withoutBlanks(text);
    if (isMixedFraction(bare)) {
        if (m_mixedFraction.line == 0) {
            m_mixedFraction = {std::string(bare), line};
        }
        return;
    }
    const bool isNew = m_odd[std::string(bare.substr(0, kLongestToken + 1))]++ == 0;
    // Words for missing numbers may be many, others not.
    m_unknown += isNew && !meansMissing(bare) ? 1 : 0;
    // Texts that are neither: the column does not hold numbers.
    m_isText = m_unknown > kMostOddTexts || bare.size() > kLongestToken;
}

void NotationEvidence::observeDressed(const DressedNumber& number, std::string_view text,
                                      std::uint64_t line)
{
    if (m_dressed++ == 0 || (number.hasMark && !m_hasMarks)) {
        m_example = text.substr(0, kShownBytes);
    }
    // Three points in every number make it an address.
    m_areAddresses = m_areAddresses && number.points == 3;
    m_areGrouped = m_areGrouped && number.isGrouped;
    m_bracketed += number.isBracketed ? 1 : 0;
    m_minusBehind += number.hasMinusBehind ? 1 : 0;
    m_fewestDigits = std::min(m_fewestDigits, number.digits);
    m_mostDigits = std::max(m_mostDigits, number.digits);
    observeReadings(number, text, line);
    countAffix(number.before, true);
    countAffix(number.behind, false);
}

void NotationEvidence::countAffix(const std::string& affix, bool isBefore)
{
    if (affix.empty()) {
        return;
    }
    ++(isBefore ? m_before : m_behind)[affix];
    // Many different affixes are words.
    m_isText = m_before.size() + m_behind.size() > kMostAffixes;
}

NotationFinding NotationEvidence::finding(const PlainNumbers& plain) const
{
    NotationFinding found;
    found.notation.decimalMark = plain.haveCommas ? ',' : '.';
    if (!m_isText && m_mixedFraction.line > 0 && m_unknown < 2) {
        found.doubt =
            fmt::format("holds numbers with fractions, such as \"{}\" (line {}): write them with a "
                        "decimal point, as in 6.5",
                        m_mixedFraction.text, m_mixedFraction.line);
        return found;
    }
    if (m_isText || plain.count + m_dressed == 0 || !takeTokens(plain, found)) {
        return {};
    }
    // Numbers and words for missing ones: nothing is dressed.
    if (m_dressed == 0) {
        found.isNumeric = true;
        return found;
    }
    // Numbers in a list are in brackets, all of them; those of a range from 20 on have a dash.
    const std::uint64_t all = plain.count + m_dressed;
    const bool isList =
        m_bracketed + m_minusBehind > 0 && (m_bracketed == all || m_minusBehind == all);
    if (isList || !takeAffixes(plain, found)) {
        return {};
    }
    found.notation.bracketsNegative = m_bracketed > 0;
    found.notation.minusBehind = m_minusBehind > 0;
    found.example = m_example;
    if (!takeMarks(plain, found)) {
        return {};
    }
    found.isNumeric = found.doubt.empty();
    return found;
}

/// At most one text of those that are not numbers is unknown as a word for a missing number.
bool NotationEvidence::takeTokens(const PlainNumbers& plain, NotationFinding& found) const
{
    const std::uint64_t odd = total(m_odd);
    // More words than numbers make a column of texts.
    if (odd >= plain.count + m_dressed || m_unknown > 1) {
        return false;
    }
    for (const auto& [text, count] : m_odd) {
        found.missingTokens.push_back(text.empty() ? " " : text);
    }
    return true;
}

bool NotationEvidence::takeAffixes(const PlainNumbers& plain, NotationFinding& found) const
{
    AffixGroups groups;
    for (const auto& [text, count] : m_before) {
        groups.add(text, count, true);
    }
    for (const auto& [text, count] : m_behind) {
        groups.add(text, count, false);
    }
    const std::uint64_t numbers = plain.count + m_dressed;
    const auto isFew = [numbers](std::uint64_t count, double most) {
        return static_cast<double>(count) <= most * static_cast<double>(numbers);
    };
    // A multiple is part of the number, and not a unit.
    if (areMagnitudes(groups.units, numbers)) {
        found.notation.magnitudes = true;
        groups.units.clear();
    }
    const std::uint64_t units = total(groups.units);
    const bool isOneMark = groups.marks.size() == 1 && total(groups.marks) == numbers;
    const bool isOneUnit = groups.units.size() == 1 && units == numbers;
    const bool areLetters =
        isFew(units, kMostLettered) &&
        std::all_of(groups.units.begin(), groups.units.end(),
                    [](const AffixCount& one) { return maybeQualityMark(one.text); });
    if (!(isOneMark || isFew(total(groups.marks), kMostMarked)) ||
        !(units == 0 || isOneUnit || areLetters)) {
        return false;
    }
    found.doubt = doubtOf(groups, numbers, plain.zeros);
    for (const std::vector<AffixCount>* list :
         {&groups.currencies, &groups.shares, &groups.units, &groups.marks}) {
        for (const AffixCount& one : *list) {
            found.notation.affixes.push_back(one.text);
        }
    }
    // Sorted, so that equal notations are equal lists.
    std::sort(found.notation.affixes.begin(), found.notation.affixes.end());
    found.notation.affixes.erase(
        std::unique(found.notation.affixes.begin(), found.notation.affixes.end()),
        found.notation.affixes.end());
    return true;
}

/// Group mark and decimal mark. Returns false if the texts are addresses rather than numbers.
bool NotationEvidence::takeMarks(const PlainNumbers& plain, NotationFinding& found) const
{
    const auto doubt = [&](std::string sentence) {
        // The first doubt is the one to solve.
        found.doubt = found.doubt.empty() ? std::move(sentence) : found.doubt;
        return true;
    };
    const auto choose = [&](storage::NumberNotation marks) {
        marks.affixes = found.notation.affixes;
        marks.bracketsNegative = found.notation.bracketsNegative;
        marks.minusBehind = found.notation.minusBehind;
        marks.magnitudes = found.notation.magnitudes;
        found.choices.push_back(std::move(marks));
    };
    if (m_readings == 0) {
        return doubt(fmt::format(
            "has numbers in different notations, such as \"{}\" (line {}) and \"{}\" (line {}): "
            "write all of them alike",
            m_first.text, m_first.line, m_contradiction.text, m_contradiction.line));
    }
    const NumberReadings usual = plain.haveCommas ? kCommaReadings : kPointReadings;
    const auto simplest = static_cast<NumberReadings>(plain.haveCommas ? 0x10 : 0x01);
    const bool isPlain = m_hasPlainFractions && (m_readings & simplest) != 0;
    NumberReadings readings = m_readings;
    if (!m_hasMarks || isPlain) {
        readings &= usual;
    }
    // One more mark would decide, but there is none.
    if ((readings & kPointReadings) != 0 && (readings & kCommaReadings) != 0) {
        choose(notationOf(readings & kPointReadings));
        choose(notationOf(readings & kCommaReadings));
        return doubt(
            fmt::format("has numbers that may be read in two ways, such as \"{}\" (line {})",
                        m_first.text, m_first.line));
    }
    const storage::NumberNotation marks = notationOf(readings);
    found.notation.decimalMark = marks.decimalMark;
    found.notation.groupMark = marks.groupMark;
    if (mayBeCodes(plain, marks)) {
        choose(marks);
        return !m_areAddresses &&
               doubt(fmt::format("may hold numbers or codes, such as \"{}\" (line {})",
                                 m_first.text, m_first.line));
    }
    return true;
}

/// Groups of digits that are as many in every cell: a postcode, a telephone number.
bool NotationEvidence::mayBeCodes(const PlainNumbers& plain,
                                  const storage::NumberNotation& notation) const
{
    const bool mayBeOther = notation.groupMark == " " || notation.groupMark == ".";
    return mayBeOther && plain.count == 0 && m_areGrouped && notation.affixes.empty() &&
           (m_areAddresses || m_fewestDigits == m_mostDigits);
}

} // namespace cannery::data
