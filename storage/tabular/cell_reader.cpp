// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/cell_reader.h"

#include "core/base/utf8.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/number_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace cannery::storage {

namespace {

/// Above, not every integer is a double.
constexpr double kLargestWhole = 9007199254740992.0;

NumberStatus parse(std::string_view padded, float& value)
{
    return parseFloat(padded, value);
}

NumberStatus parse(std::string_view padded, double& value)
{
    return parseDouble(padded, value);
}

NumberStatus parse(std::string_view padded, std::int64_t& value)
{
    return parseInteger(padded, value);
}

/// Whether all bytes are 1 to 127; may also be false if they are.
bool isPlainText(std::string_view text)
{
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kHighs = 0x8080808080808080U;
    std::size_t at = 0;
    for (; at + kWord <= text.size(); at += kWord) {
        // Eight bytes at once. The padding around texts is not needed: the rest is looked at byte
        // by byte.
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, kWord);
        if ((((word - kOnes) | word) & kHighs) != 0) { // a byte 0 borrows
            return false;
        }
    }
    return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                       [](char byte) { return byte > 0; });
}

constexpr CellRead kIsMissing{.isMissing = true};

} // namespace

template <typename Number>
void appendShortest(std::string& text, Number number)
{
    fmt::format_to(std::back_inserter(text), "{}", number);
}

CellReader::CellReader(DType dtype, std::vector<std::string> missingTokens, NumberNotation notation)
    : m_dtype(dtype), m_tokens(std::move(missingTokens)), m_isPlain(notation.isPlain()),
      m_notation(std::move(notation))
{
    // An integer has no decimal mark.
    m_isPlain = m_isPlain || (isInteger(dtype) && m_notation.isSimple());
    for (std::string& token : m_tokens) {
        if (dtype != DType::String) {
            // Cells of numbers are compared without blanks, so their tokens are as well.
            token = trimmed(token);
        }
        double number = 0;
        // Parsers read whole vectors, beyond the token's end.
        if (parseDouble(padded(token), number) != NumberStatus::NotANumber) {
            // Numbers of a source are compared with the token's number before they are written.
            m_tokenNumbers.push_back(number);
        }
    }
}

std::string_view CellReader::padded(std::string_view text)
{
    m_scratch.assign(kTextPadding, ' ');
    m_scratch.append(text).append(kTextPadding, ' ');
    return std::string_view(m_scratch).substr(kTextPadding, text.size());
}

bool CellReader::isToken(std::string_view text) const
{
    return std::find(m_tokens.begin(), m_tokens.end(), text) != m_tokens.end();
}

/// Compares numbers first, so that only those with the value of a token are written as text.
template <typename Given>
bool CellReader::isTokenNumber(Given given)
{
    if (std::find(m_tokenNumbers.begin(), m_tokenNumbers.end(), static_cast<double>(given)) ==
        m_tokenNumbers.end()) {
        return false;
    }
    m_scratch.clear();
    appendShortest(m_scratch, given);
    return isToken(m_scratch);
}

template <typename Value>
bool CellReader::fits(Value value) const
{
    if constexpr (std::is_same_v<Value, std::int64_t>) {
        return m_dtype == DType::Int64 || (value >= std::numeric_limits<std::int32_t>::min() &&
                                           value <= std::numeric_limits<std::int32_t>::max());
    }
    return true;
}

template <typename Value>
CellRead CellReader::number(std::string_view text, Value& value, Padding padding)
{
    const std::string_view bare = trimmed(text);
    // Before the notation: a token may be anything, such as "-" or "n/a".
    if (bare.empty() || isToken(bare)) {
        return kIsMissing;
    }
    std::optional<std::string_view> plain = bare;
    if (!m_isPlain) {
        plain = m_notation.rewritten(bare);
    } else if (padding == Padding::Unknown) {
        plain = padded(bare);
    }
    Value read{};
    const NumberStatus status = plain ? parse(*plain, read) : NumberStatus::NotANumber;
    if (status == NumberStatus::NotANumber) {
        return spellsNan(bare) ? kIsMissing : CellRead{.fault = CellFault::NotANumber};
    }
    if constexpr (std::is_same_v<Value, std::int64_t>) {
        if (status == NumberStatus::OutOfRange || !fits(read)) {
            return {.fault = CellFault::TooLarge};
        }
    } else if (std::isnan(read)) {
        return kIsMissing;
    }
    value = read;
    return {.isOutOfRange = status == NumberStatus::OutOfRange};
}

template <typename Given, typename Value>
CellRead CellReader::numberFrom(Given given, Value& value)
{
    if constexpr (std::is_floating_point_v<Given>) {
        // NaN is a missing value, as in the text of a table.
        if (std::isnan(given)) {
            return kIsMissing;
        }
    }
    if (isTokenNumber(given)) {
        return kIsMissing;
    }
    if constexpr (std::is_same_v<Value, std::int64_t> && std::is_floating_point_v<Given>) {
        if (given != std::floor(given)) {
            return {.fault = CellFault::Fraction};
        }
        // An infinity is whole as well, and ends here. Beyond this, neighbouring integers are the
        // same double.
        if (std::fabs(static_cast<double>(given)) > kLargestWhole) {
            return {.fault = CellFault::TooLarge};
        }
    }
    if (!fits(static_cast<Value>(given))) {
        return {.fault = CellFault::TooLarge};
    }
    value = static_cast<Value>(given);
    return {};
}

CellRead CellReader::text(std::string_view text) const
{
    // Tokens are compared before the text is checked.
    if (isMissingText(text)) {
        return kIsMissing;
    }
    if (!isPlainText(text) && (findInvalidUtf8(text) != std::string_view::npos ||
                               text.find('\0') != std::string_view::npos)) {
        return {.fault = CellFault::NotText};
    }
    return {};
}

template <typename Given>
CellRead CellReader::textFrom(Given given, std::string& text) const
{
    if constexpr (std::is_floating_point_v<Given>) {
        if (std::isnan(given)) {
            return kIsMissing;
        }
    }
    text.clear();
    appendShortest(text, given);
    return isToken(text) ? kIsMissing : CellRead();
}

template void appendShortest(std::string& text, float number);
template void appendShortest(std::string& text, double number);
template void appendShortest(std::string& text, std::int64_t number);
template CellRead CellReader::number(std::string_view, float&, Padding);
template CellRead CellReader::number(std::string_view, double&, Padding);
template CellRead CellReader::number(std::string_view, std::int64_t&, Padding);
template CellRead CellReader::numberFrom(float, float&);
template CellRead CellReader::numberFrom(float, double&);
template CellRead CellReader::numberFrom(float, std::int64_t&);
template CellRead CellReader::numberFrom(double, float&);
template CellRead CellReader::numberFrom(double, double&);
template CellRead CellReader::numberFrom(double, std::int64_t&);
template CellRead CellReader::numberFrom(std::int64_t, float&);
template CellRead CellReader::numberFrom(std::int64_t, double&);
template CellRead CellReader::numberFrom(std::int64_t, std::int64_t&);
template CellRead CellReader::textFrom(float, std::string&) const;
template CellRead CellReader::textFrom(double, std::string&) const;
template CellRead CellReader::textFrom(std::int64_t, std::string&) const;

} // namespace cannery::storage
