// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/plain_decimal.h"

// Decimals that parsePlain() does not handle: more than 16 characters, or with an exponent, such as
// 8.692932128906250000e-01. At most 32 characters before the exponent and 19 digits, the same
// arithmetic otherwise.

namespace cannery::storage {

namespace detail {

/// A decimal split up: mantissa * 10^exponent.
struct ScaledDecimal
{
    std::uint64_t mantissa = 0;
    int exponent = 0;
};

/// 10^-37 to 10^19: with mantissas of 1 to 2^63 these give normal floats only.
inline constexpr int kLeastExponent = -37;
inline constexpr std::array<double, 57> kScales = {
    1e-37, 1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26,
    1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14,
    1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,
    1e-1,  1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,
    1e11,  1e12,  1e13,  1e14,  1e15,  1e16,  1e17,  1e18,  1e19};

/// The `count` (0 to 19) digits before `end`.
template <typename Bytes>
inline bool readDigits(const char* end, std::size_t count, std::uint64_t& number)
{
    const std::size_t low = count < 16 ? count : 16;
    bool isRead = Bytes::before(end).join(low, number);
    if (count > 16) {
        std::uint64_t high = 0;
        isRead = Bytes::before(end - 16).join(count - 16, high) && isRead;
        number += high * 10000000000000000U;
    }
    return isRead;
}

/// The exponent of a text that ends with one of up to three digits; `end` moves before its 'e'.
inline bool readExponent(const char* begin, const char*& end, int& exponent)
{
    const char* at = end;
    int magnitude = 0;
    int scale = 1;
    while (at > begin && end - at < 3 && static_cast<unsigned char>(at[-1] - '0') <= 9) {
        magnitude += (at[-1] - '0') * scale;
        scale *= 10;
        --at;
    }
    const bool hasDigits = at != end;
    const bool isNegative = at > begin && at[-1] == '-';
    at -= at > begin && (at[-1] == '-' || at[-1] == '+') ? 1 : 0;
    if (!hasDigits || at <= begin || (at[-1] | 0x20) != 'e') {
        return false;
    }
    end = at - 1;
    exponent = isNegative ? -magnitude : magnitude;
    return true;
}

/// Splits [begin, end): digits with at most one point, then optionally an exponent.
template <typename Bytes>
inline bool readScaled(const char* begin, const char* end, ScaledDecimal& decimal)
{
    const std::uint32_t letters = Bytes::before(end).equalLetter('e');
    decimal.exponent = 0;
    // Only the last five positions may hold the 'e' of an exponent of three digits.
    if ((letters >> 11U) != 0 && !readExponent(begin, end, decimal.exponent)) {
        return false;
    }
    const auto length = static_cast<std::size_t>(end - begin);
    if (length - 1 > 31) {
        return false;
    }
    const std::uint32_t inside =
        Bytes::equalBefore(end, '.') & (~std::uint32_t(0) << (32 - length));
    const std::size_t point = static_cast<unsigned>(std::countl_zero(inside)); // after it
    const std::size_t fraction = inside == 0 ? length : point;
    const std::size_t whole = inside == 0 ? 0 : length - point - 1;
    if (whole > 16 || whole + fraction > 19 || whole + fraction == 0) {
        return false;
    }
    std::uint64_t high = 0;
    const bool isRead = readDigits<Bytes>(end, fraction, decimal.mantissa) &&
                        readDigits<Bytes>(end - fraction - (inside == 0 ? 0 : 1), whole, high);
    constexpr std::array<std::uint64_t, 20> kWholePowers = {1,
                                                            10,
                                                            100,
                                                            1000,
                                                            10000,
                                                            100000,
                                                            1000000,
                                                            10000000,
                                                            100000000,
                                                            1000000000,
                                                            10000000000,
                                                            100000000000,
                                                            1000000000000,
                                                            10000000000000,
                                                            100000000000000,
                                                            1000000000000000,
                                                            10000000000000000,
                                                            100000000000000000,
                                                            1000000000000000000,
                                                            10000000000000000000U};
    decimal.mantissa += high * kWholePowers[fraction];
    decimal.exponent -= inside == 0 ? 0 : static_cast<int>(fraction);
    return isRead;
}

} // namespace detail

/// The float nearest to a decimal; false if the text is something else or needs the slow path. The
/// 48 bytes before the text and the one after it must be readable.
template <typename Bytes = detail::Digits>
inline bool parseLong(std::string_view text, float& value)
{
    const bool isNegative = *text.data() == '-';
    detail::ScaledDecimal decimal;
    if (text.size() < 2 || !detail::readScaled<Bytes>(text.data() + (isNegative ? 1 : 0),
                                                      text.data() + text.size(), decimal)) {
        return false;
    }
    const auto scale = static_cast<std::size_t>(decimal.exponent - detail::kLeastExponent);
    if (scale >= detail::kScales.size() || (decimal.mantissa >> 63U) != 0) {
        return false;
    }
    const double wide =
        static_cast<double>(static_cast<std::int64_t>(decimal.mantissa)) * detail::kScales[scale];
    return detail::roundToFloat(wide, isNegative, value);
}

/// The same, as a double.
template <typename Bytes = detail::Digits>
inline bool parseLong(std::string_view text, double& value)
{
    const bool isNegative = *text.data() == '-';
    detail::ScaledDecimal decimal;
    if (text.size() < 2 || !detail::readScaled<Bytes>(text.data() + (isNegative ? 1 : 0),
                                                      text.data() + text.size(), decimal)) {
        return false;
    }
    const bool isExact = decimal.mantissa <= (std::uint64_t(1) << 53U);
    if (!isExact || decimal.exponent < -22 || decimal.exponent > 22) {
        return false;
    }
    const auto mantissa = static_cast<double>(decimal.mantissa);
    const double magnitude =
        decimal.exponent < 0
            ? mantissa / detail::kPowersOfTen[static_cast<std::size_t>(-decimal.exponent)]
            : mantissa * detail::kPowersOfTen[static_cast<std::size_t>(decimal.exponent)];
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) |
                                  std::uint64_t(isNegative) << 63U);
    return true;
}

} // namespace cannery::storage
