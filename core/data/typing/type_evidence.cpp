// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/type_evidence.h"

#include "core/base/fingerprint.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::data {

using storage::NumberStatus;

namespace {

constexpr std::size_t kShownBytes = 80;
constexpr std::size_t kMostInfiniteTexts = 8;
constexpr std::size_t kPendingPrints = 1024;
constexpr std::size_t kFirstPrints = 64; ///< of a list, before it grows
static_assert((kFirstPrints + kPendingPrints) * sizeof(std::uint64_t) <=
              TypeEvidence::kMostListBytes);

bool isDigit(char character)
{
    return character >= '0' && character <= '9';
}

} // namespace

void TypeEvidence::observe(std::string_view text, std::optional<std::string_view> number,
                           std::uint64_t line)
{
    // The last character rules out almost every number, before NaN is spelled out.
    if (number && !isDigit(number->back()) && storage::spellsNan(*number)) {
        ++nan;
        observePerhapsMissing(text, line);
        return;
    }
    ++values;
    totalLength += text.size();
    // Prints are collected and inserted together. The list grows in two steps, so that a table of
    // very many columns with few values each takes little.
    if (countsDistinct() && distinct < ColumnSchema::kDistinctLimit) {
        if (m_pending.size() == m_pending.capacity()) {
            m_pending.reserve(m_pending.empty() ? kFirstPrints : kPendingPrints);
        }
        // The rewritten number counts: "1,5" and "1.5" of two notations would otherwise be two
        // values.
        m_pending.push_back(fingerprint64(number.value_or(text)));
        if (m_pending.size() == kPendingPrints) {
            countPending(m_prints);
        }
    }
    if (!number || !observeNumber(text, *number, line)) {
        observeText(text, line);
    }
}

void TypeEvidence::observeWritten(std::string_view text, storage::NotationReader& reader,
                                  std::uint64_t line)
{
    const auto number = reader.rewritten(text);
    double value = 0;
    const bool isNumber =
        number && storage::parseDouble(*number, value) != NumberStatus::NotANumber;
    observe(text, isNumber ? number : std::nullopt, line);
}

void TypeEvidence::observePerhapsMissing(std::string_view text, std::uint64_t line)
{
    if (m_perhapsMissing++ == 0) {
        m_firstPerhapsMissing = {std::string(text.substr(0, kShownBytes)), line};
    }
}

void TypeEvidence::finish(FingerprintSet& spare)
{
    // Only beside texts that cannot be numbers are they texts, too.
    const bool areTexts = texts > 0 && !notation(false).isNumeric && !notation(true).isNumeric;
    if (areTexts && m_perhapsMissing > 0) {
        values += m_perhapsMissing;
        texts += m_perhapsMissing;
        if (countsDistinct()) {
            // One print for all: how NaN is spelled makes no difference in a column that mostly has
            // other texts.
            m_pending.push_back(fingerprint64(m_firstPerhapsMissing.text));
        }
    } else {
        missing += m_perhapsMissing;
    }
    m_perhapsMissing = 0;
    // Few values have never been inserted: a set that columns share counts them, and this one has
    // none.
    if (m_prints.size() == 0) {
        spare.clear();
        countPending(spare);
    } else {
        countPending(m_prints);
    }
}

void TypeEvidence::countPending(FingerprintSet& prints)
{
    m_valuesWhenFull += prints.insert(m_pending, ColumnSchema::kDistinctLimit);
    m_pending.clear();
    distinct = prints.size();
}

bool TypeEvidence::observeNumber(std::string_view text, std::string_view number, std::uint64_t line)
{
    std::int64_t integer = 0;
    const NumberStatus asInteger = storage::parseInteger(number, integer);
    if (asInteger == NumberStatus::Ok) {
        observeInteger(integer, number);
        return true;
    }
    // A column that numbers its rows has integers only.
    countsUp = false;
    if (asInteger == NumberStatus::OutOfRange) {
        if (beyondInt64++ == 0) {
            firstBeyondInt64 = {std::string(text.substr(0, kShownBytes)), line};
        }
        return true;
    }
    double value = 0;
    const NumberStatus asDouble = storage::parseDouble(number, value);
    if (asDouble == NumberStatus::NotANumber) {
        return false;
    }
    m_notation.observeFraction(text, line);
    dateNumbers.observe(value);
    if (asDouble == NumberStatus::OutOfRange) {
        noteInfinite(text);
        if (outOfRange++ == 0) {
            firstOutOfRange = {std::string(text.substr(0, kShownBytes)), line};
        }
    } else if (std::isinf(value)) {
        noteInfinite(text);
        ++infinite;
        ++floats;
        // The second test is the exact one: a double just above the largest float may round down to
        // it.
    } else if (std::abs(value) > double(std::numeric_limits<float>::max()) &&
               std::isinf(static_cast<float>(value))) {
        ++doubles;
    } else {
        ++floats;
    }
    return true;
}

void TypeEvidence::observeInteger(std::int64_t value, std::string_view text)
{
    const bool isNarrow = value >= std::numeric_limits<std::int32_t>::min() &&
                          value <= std::numeric_limits<std::int32_t>::max();
    // Counted apart, as one wide number makes the column wide.
    ++(isNarrow ? int32s : int64s);
    zeros += value == 0 ? 1 : 0;
    const std::string_view bare = storage::trimmed(text);
    compactDays += isCompactDay(value) ? 1 : 0;
    dateNumbers.observe(static_cast<double>(value));
    m_fewestDigits = std::min(m_fewestDigits, bare.size());
    m_mostDigits = std::max(m_mostDigits, bare.size());
    // 0730 has a leading zero, too, and is not a code: hours below 24, minutes below 60.
    m_areClockTimes = m_areClockTimes && bare.size() == 4 && value < 2400 && value % 100 < 60;
    leadingZeros += bare.size() > 1 && bare.front() == '0' ? 1 : 0;
    // Subtracted as unsigned, so that the least integer does not overflow.
    countsUp =
        countsUp && (m_integers == 0 || std::uint64_t(value) - 1 == std::uint64_t(m_lastInteger));
    m_lastInteger = value;
    ++m_integers;
}

void TypeEvidence::observeText(std::string_view text, std::uint64_t line)
{
    // The first text is shown, as it may be a typing error among numbers.
    if (texts++ == 0) {
        firstText = {std::string(text.substr(0, kShownBytes)), line};
    }
    countsUp = false;
    m_notation.observeText(text, line);
    dates.observe(text);
    spaced += storage::trimmed(text).find(' ') != std::string_view::npos ? 1 : 0;
    barred += text.find('|') != std::string_view::npos ? 1 : 0;
}

void TypeEvidence::noteInfinite(std::string_view text)
{
    text = storage::trimmed(text);
    const bool isKnown =
        std::find(m_infiniteTexts.begin(), m_infiniteTexts.end(), text) != m_infiniteTexts.end();
    // Only a few spellings are kept; a column of many has other problems.
    if (!isKnown && m_infiniteTexts.size() < kMostInfiniteTexts && text.size() <= kShownBytes) {
        m_infiniteTexts.emplace_back(text);
    }
}

DType TypeEvidence::dtype() const
{
    const bool hasFraction = floats + doubles + outOfRange > 0;
    // Nothing but NaN is a column of numbers; nothing at all is a column of texts.
    if (values == 0 && nan > 0) {
        return DType::Float32;
    }
    // A float would merge integers that are neighbours beyond int64. Beside fractions it is one
    // anyhow.
    if (texts > 0 || values == 0 || (beyondInt64 > 0 && !hasFraction)) {
        return DType::String;
    }
    // A number beyond float32 would become infinite in it.
    if (doubles > 0) {
        return DType::Float64;
    }
    if (hasFraction) {
        return DType::Float32;
    }
    return int64s > 0 ? DType::Int64 : DType::Int32;
}

std::string TypeEvidence::reason() const
{
    if (values == 0) {
        return "no row has a value";
    }
    if (texts > 0) {
        return textReason();
    }
    switch (dtype()) {
    case DType::String:
        return fmt::format("{} (line {}) does not fit int64, and as a float it would lose digits",
                           firstBeyondInt64.text, firstBeyondInt64.line);
    case DType::Float64:
        return "numbers beyond the range of float32";
    case DType::Float32:
        return int32s + int64s > 0 ? fmt::format("numbers, {} of {} with a fraction or exponent",
                                                 floats + outOfRange, values)
                                   : std::string("numbers with a fraction or exponent");
    case DType::Int64:
        return fmt::format("integers, {} of {} beyond int32", int64s, values);
    default:
        return fmt::format("all {} values are integers that fit int32", values);
    }
}

std::string TypeEvidence::textReason() const
{
    const NotationFinding found = notation(false);
    // The mark of the whole table can be changed, instead of a notation for each column.
    if (found.isNumeric && found.notation == storage::NumberNotation{.decimalMark = ','}) {
        return fmt::format(
            "\"{}\" (line {}) looks like a decimal comma; such numbers are read with "
            "decimal_mark: comma",
            firstText.text, firstText.line);
    }
    if (found.isNumeric && !found.notation.isPlain()) {
        return fmt::format("\"{}\" (line {}) is a number in a notation of its own", firstText.text,
                           firstText.line);
    }
    // Some numbers, some texts: the first text may be a mistake.
    if (values > texts) {
        return fmt::format("\"{}\" (line {}) is not a number; {} of {} values are", firstText.text,
                           firstText.line, values - texts, values);
    }
    return fmt::format("\"{}\" (line {}) is text", firstText.text, firstText.line);
}

NotationFinding TypeEvidence::notation(bool haveCommas) const
{
    if (texts == 0) {
        return {};
    }
    return m_notation.finding({.count = values - texts, .zeros = zeros, .haveCommas = haveCommas});
}

bool TypeEvidence::areCodes() const
{
    constexpr std::size_t kShortest = 3;
    // Postal codes and the like: integers of one length, some with a zero in front that a number
    // loses.
    return leadingZeros > 0 && m_integers == values && m_fewestDigits == m_mostDigits &&
           m_mostDigits >= kShortest && !m_areClockTimes;
}

double TypeEvidence::uniqueness() const
{
    // Both counts ended when the set of prints was full, so later rows do not lower the share.
    return m_valuesWhenFull == 0
               ? 0
               : static_cast<double>(distinct) / static_cast<double>(m_valuesWhenFull);
}

} // namespace cannery::data
