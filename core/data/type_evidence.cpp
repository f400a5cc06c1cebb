// SPDX-License-Identifier: Apache-2.0
#include "core/data/type_evidence.h"

#include "core/base/fingerprint.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
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

/// The shape of a text: every run of digits as its length, letters as 'a', everything else
/// unchanged.
std::string digitShape(std::string_view text)
{
    std::string shape;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t run = i;
        while (run < text.size() && isDigit(text[run])) {
            ++run;
        }
        if (run > i) {
            shape.push_back(run - i <= 9 ? static_cast<char>('0' + (run - i)) : '9');
            i = run;
        } else {
            const bool isLetter = std::isalpha(static_cast<unsigned char>(text[i])) != 0;
            if (!isLetter || shape.empty() || shape.back() != 'a') {
                shape.push_back(isLetter ? 'a' : text[i]);
            }
            ++i;
        }
    }
    return shape;
}

/// Whether it has exactly four digits in a row somewhere.
bool hasYear(std::string_view text)
{
    std::size_t run = 0;
    for (const char character : text) {
        if (!isDigit(character)) {
            if (run == 4) {
                return true;
            }
            run = 0;
        } else {
            ++run;
        }
    }
    return run == 4;
}

bool namesMonth(std::string_view text)
{
    constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                          "jul", "aug", "sep", "oct", "nov", "dec"};
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char character) { return std::tolower(character); });
    return std::any_of(kMonths.begin(), kMonths.end(), [&](std::string_view month) {
        return lower.find(month) != std::string::npos;
    });
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

bool looksLikeDate(std::string_view text)
{
    text = storage::trimmed(text);
    if (text.size() < 4 || text.size() > 35 ||
        std::count_if(text.begin(), text.end(), isDigit) < 3) {
        return false;
    }
    // Every date or time has one of these between its numbers, or a year beside its month.
    if (text.find_first_of("-/.:") == std::string_view::npos && !hasYear(text)) {
        return false;
    }
    const std::string shape = digitShape(text);
    const std::string day = shape.substr(0, 5);
    constexpr std::array<std::string_view, 3> kSeparators = {"-", "/", "."};
    for (const std::string_view separator : kSeparators) {
        const std::string normal = [&] {
            std::string copy = day;
            std::replace(copy.begin(), copy.end(), separator.front(), '-');
            return copy;
        }();
        for (const std::string_view known :
             {"4-2-2", "4-1-1", "4-1-2", "4-2-1", "2-2-4", "1-1-4", "1-2-4", "2-1-4"}) {
            if (normal == known) {
                return true;
            }
        }
        const bool isShortYear =
            normal == "2-2-2" || normal == "1-1-2" || normal == "1-2-2" || normal == "2-1-2";
        if (isShortYear && separator != ".") {
            return true;
        }
    }
    const bool isTime = shape == "2:2" || shape == "2:2:2" || shape == "1:2" || shape == "1:2:2" ||
                        shape.starts_with("2:2:2.");
    const bool isSpelt = shape.find('a') != std::string::npos &&
                         shape.find('4') != std::string::npos && namesMonth(text) &&
                         shape.size() <= 16;
    return isTime || isSpelt;
}

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
    dates += looksLikeDate(text) ? 1 : 0;
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
