// SPDX-License-Identifier: Apache-2.0
//
// number   = [ "+" | "-" ] digits [ exponent ]
// digits   = one or more of 0 … 9, with at most one "." anywhere among them
// exponent = ( "e" | "E" ) [ "+" | "-" ] one or more of 0 … 9
#include "core/base/canonical_number.h"

#include <charconv>
#include <cstdint>

namespace cannery {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kDigits = "0123456789";
/// Beyond any number that people write, and far from overflow.
constexpr std::int64_t kMostExponent = 1'000'000'000;

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Whether there was a minus.
bool takeSign(std::string_view& text)
{
    const bool isMinus = text.starts_with('-');
    if (isMinus || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    return isMinus;
}

std::optional<std::int64_t> exponentOf(std::string_view text)
{
    const bool isMinus = takeSign(text);
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isWhole = status == std::errc() && end == text.data() + text.size() &&
                         !text.starts_with('-') && value <= kMostExponent;
    return isWhole ? std::optional(isMinus ? -value : value) : std::nullopt;
}

} // namespace

std::optional<std::string> canonicalNumber(std::string_view text)
{
    text = trimmed(text);
    // The sign is added again at the end, except for 0.
    const bool isMinus = takeSign(text);
    const std::size_t mark = text.find_first_of("eE");
    std::int64_t exponent = 0;
    if (mark != std::string_view::npos) {
        const std::optional<std::int64_t> given = exponentOf(text.substr(mark + 1));
        if (!given) {
            return std::nullopt;
        }
        exponent = *given;
        text = text.substr(0, mark);
    }
    // The point only moves the exponent.
    const std::size_t point = text.find('.');
    std::string digits(text.substr(0, point));
    if (point != std::string_view::npos) {
        const std::string_view fraction = text.substr(point + 1);
        digits += fraction;
        exponent -= static_cast<std::int64_t>(fraction.size());
    }
    // A second point is not a digit, and is refused here.
    if (digits.empty() || digits.find_first_not_of(kDigits) != std::string::npos) {
        return std::nullopt;
    }
    const std::size_t first = digits.find_first_not_of('0');
    // All zeros are one number, whatever their sign and exponent.
    if (first == std::string::npos) {
        return "0";
    }
    // Zeros at the end become part of the exponent.
    const std::size_t end = digits.find_last_not_of('0') + 1;
    exponent += static_cast<std::int64_t>(digits.size() - end);
    std::string number = (isMinus ? "-" : "") + digits.substr(first, end - first);
    return exponent == 0 ? number : number + "e" + std::to_string(exponent);
}

} // namespace cannery
