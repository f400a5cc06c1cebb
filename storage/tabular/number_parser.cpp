// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/number_parser.h"

#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/long_decimal.h"
#include "storage/tabular/plain_decimal.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

namespace cannery::storage {

namespace {

constexpr std::string_view kMinus = "\u2212"; ///< of typography
constexpr std::size_t kLongestNan = 24;

template <typename T>
NumberStatus parseSlowly(std::string_view text, T& value)
{
    text = trimmed(text);
    // Only the sign differs from a plain number: what follows must not have one of its own.
    if (text.starts_with(kMinus)) {
        text.remove_prefix(kMinus.size());
        const bool isNumber =
            !text.empty() && text.find_first_of(" \t-+") != 0 && !text.starts_with(kMinus);
        const NumberStatus status = isNumber ? parseSlowly(text, value) : NumberStatus::NotANumber;
        value = -value;
        return status;
    }
    // fast_float takes no plus, as std::from_chars.
    if (!text.empty() && text.front() == '+') {
        text.remove_prefix(1);
        if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
            return NumberStatus::NotANumber;
        }
    }
    const auto result = fast_float::from_chars(text.data(), text.data() + text.size(), value);
    const bool isRange = result.ec == std::errc::result_out_of_range;
    if ((result.ec != std::errc() && !isRange) || result.ptr != text.data() + text.size()) {
        return NumberStatus::NotANumber;
    }
    // It accepts nan(…) as well, which means a bit pattern that no table wants.
    const std::string_view unsignedText = text.front() == '-' ? text.substr(1) : text;
    if (std::isnan(value)) {
        return unsignedText.size() == 3 ? NumberStatus::Ok : NumberStatus::NotANumber;
    }
    // Too large a number becomes infinity; a cell that spells infinity is one.
    const bool spellsInfinity = unsignedText.front() == 'i' || unsignedText.front() == 'I';
    return std::isinf(value) && !spellsInfinity ? NumberStatus::OutOfRange : NumberStatus::Ok;
}

} // namespace

NumberStatus parseFloat(std::string_view text, float& value)
{
    const bool isRead = parsePlain(text, value) || parseLong(text, value);
    return isRead ? NumberStatus::Ok : parseSlowly(text, value);
}

NumberStatus parseDouble(std::string_view text, double& value)
{
    const bool isRead = parsePlain(text, value) || parseLong(text, value);
    return isRead ? NumberStatus::Ok : parseSlowly(text, value);
}

NumberStatus parseInteger(std::string_view text, std::int64_t& value)
{
    text = trimmed(text);
    const bool isMinus = text.starts_with(kMinus);
    const bool isNegative = isMinus || text.starts_with('-');
    if (isNegative || text.starts_with('+')) {
        text.remove_prefix(isMinus ? kMinus.size() : 1);
    }
    if (text.empty()) {
        return NumberStatus::NotANumber;
    }
    // The magnitude of the smallest integer is larger by one than that of the largest.
    const std::uint64_t limit = (std::uint64_t(1) << 63U) - (isNegative ? 0 : 1);
    std::uint64_t magnitude = 0;
    bool isTooLarge = false;
    for (const char character : text) {
        const unsigned digit = static_cast<unsigned char>(character) - unsigned('0');
        if (digit > 9) {
            return NumberStatus::NotANumber;
        }
        isTooLarge = isTooLarge || magnitude > (limit - digit) / 10;
        magnitude = magnitude * 10 + digit;
    }
    if (isTooLarge) {
        return NumberStatus::OutOfRange;
    }
    // In unsigned arithmetic, because the smallest integer has no positive counterpart.
    value = static_cast<std::int64_t>(isNegative ? 0 - magnitude : magnitude);
    return NumberStatus::Ok;
}

PaddedText::PaddedText(std::string_view text)
{
    m_buffer.append(kTextPadding, ' ').append(text).append(kTextPadding, ' ');
}

std::string_view PaddedText::view() const
{
    return std::string_view(m_buffer).substr(kTextPadding, m_buffer.size() - 2 * kTextPadding);
}

bool spellsNan(std::string_view text)
{
    text = trimmed(text);
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        text.remove_prefix(1);
    }
    if (text.empty() || (text.front() != 'n' && text.front() != 'N' && text.front() != '1')) {
        return false;
    }
    std::string lower(text.substr(0, kLongestNan + 1));
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    // 1.#QNAN and 1.#IND are Visual C++'s.
    return lower == "nan" || lower == "1.#qnan" || lower == "1.#snan" || lower == "1.#ind" ||
           (lower.starts_with("nan(") && lower.ends_with(')'));
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return text.substr(0, 0);
    }
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

} // namespace cannery::storage
