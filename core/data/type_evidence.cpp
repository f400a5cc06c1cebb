// SPDX-License-Identifier: Apache-2.0
#include "core/data/type_evidence.h"

#include "core/base/fingerprint.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::data {

using storage::NumberStatus;

namespace {

constexpr std::size_t kPendingPrints = 1024;
constexpr std::size_t kFirstPrints = 64; ///< of a list, before it grows
static_assert((kFirstPrints + kPendingPrints) * sizeof(std::uint64_t) <=
              TypeEvidence::kMostListBytes);

bool isDigit(char character)
{
    return character >= '0' && character <= '9';
}

/// "7,4": a number with a decimal comma.
bool isDecimalComma(std::string_view text)
{
    const std::size_t comma = text.find(',');
    const auto isNumeric = [](std::string_view part) {
        return !part.empty() && std::all_of(part.begin(), part.end(), isDigit);
    };
    const std::string_view bare = text.starts_with('-') ? text.substr(1) : text;
    return comma != std::string_view::npos && isNumeric(bare.substr(0, bare.find(','))) &&
           isNumeric(text.substr(comma + 1));
}

} // namespace

void TypeEvidence::observe(std::string_view text, bool isNumberText, std::uint64_t line)
{
    ++values;
    totalLength += text.size();
    if (countsDistinct() && distinct < ColumnSchema::kDistinctLimit) {
        if (m_pending.size() == m_pending.capacity()) {
            m_pending.reserve(m_pending.empty() ? kFirstPrints : kPendingPrints);
        }
        m_pending.push_back(fingerprint64(text));
        if (m_pending.size() == kPendingPrints) {
            countPending(m_prints);
        }
    }
    if (!isNumberText || !observeNumber(text, line)) {
        observeText(text, line);
    }
}

void TypeEvidence::finish(FingerprintSet& spare)
{
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

bool TypeEvidence::observeNumber(std::string_view text, std::uint64_t line)
{
    std::int64_t integer = 0;
    const NumberStatus asInteger = storage::parseInteger(text, integer);
    if (asInteger == NumberStatus::Ok) {
        observeInteger(integer, text);
        return true;
    }
    countsUp = false;
    if (asInteger == NumberStatus::OutOfRange) {
        if (beyondInt64++ == 0) {
            firstBeyondInt64 = {std::string(text.substr(0, 80)), line};
        }
        return true;
    }
    double value = 0;
    const NumberStatus asDouble = storage::parseDouble(text, value);
    if (asDouble == NumberStatus::NotANumber) {
        return false;
    }
    if (asDouble == NumberStatus::OutOfRange) {
        if (outOfRange++ == 0) {
            firstOutOfRange = {std::string(text.substr(0, 80)), line};
        }
    } else if (std::isnan(value)) {
        ++nan;
        ++floats;
    } else if (std::isinf(value)) {
        ++infinite;
        ++floats;
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
    ++(isNarrow ? int32s : int64s);
    const std::string_view bare = storage::trimmed(text);
    compactDays += isCompactDay(value) ? 1 : 0;
    leadingZeros += bare.size() > 1 && bare.front() == '0' ? 1 : 0;
    countsUp =
        countsUp && (m_integers == 0 || std::uint64_t(value) - 1 == std::uint64_t(m_lastInteger));
    m_lastInteger = value;
    ++m_integers;
}

void TypeEvidence::observeText(std::string_view text, std::uint64_t line)
{
    if (texts++ == 0) {
        firstText = {std::string(text.substr(0, 80)), line};
    }
    countsUp = false;
    if (isDecimalComma(text)) {
        ++decimalCommas;
        groupCommas += text.size() - text.find(',') == 4 ? 1 : 0;
    }
    dates.observe(text);
    spaced += storage::trimmed(text).find(' ') != std::string_view::npos ? 1 : 0;
    barred += text.find('|') != std::string_view::npos ? 1 : 0;
    if (m_fewTexts.size() <= 2) {
        ++m_fewTexts[std::string(text.substr(0, 80))];
    }
}

DType TypeEvidence::dtype() const
{
    const bool hasFraction = floats + doubles + outOfRange > 0;
    if (texts > 0 || values == 0 || (beyondInt64 > 0 && !hasFraction)) {
        return DType::String;
    }
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
    const std::uint64_t numbers = values - texts;
    if (values == 0) {
        return "no row has a value";
    }
    if (decimalCommas > 0 && decimalCommas + numbers == values) {
        return fmt::format(
            "\"{}\" (line {}) looks like a decimal comma; such numbers are read with "
            "decimal_mark: comma",
            firstText.text, firstText.line);
    }
    if (texts > 0 && numbers > 0) {
        return fmt::format("\"{}\" (line {}) is not a number; {} of {} values are", firstText.text,
                           firstText.line, numbers, values);
    }
    if (texts > 0) {
        return fmt::format("\"{}\" (line {}) is text", firstText.text, firstText.line);
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

bool TypeEvidence::readsWithDecimalComma() const
{
    const bool hasPoints = floats - nan - infinite + doubles + outOfRange > 0;
    return decimalCommas > groupCommas && decimalCommas == texts && !hasPoints;
}

std::string TypeEvidence::suggestedMissingToken() const
{
    const bool isLonely = texts > 0 && m_fewTexts.size() == 1 && texts * 2 < values;
    return isLonely ? m_fewTexts.begin()->first : std::string();
}

double TypeEvidence::uniqueness() const
{
    return m_valuesWhenFull == 0
               ? 0
               : static_cast<double>(distinct) / static_cast<double>(m_valuesWhenFull);
}

} // namespace cannery::data
