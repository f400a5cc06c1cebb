// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/digit_bytes.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Decimals of up to 19 digits are read without a branch per digit: the 16 bytes that end with them
// are loaded at once, the point is squeezed out, and pairs of digits are multiplied together.
//
// As a double: a mantissa m <= 2^53 and a power of ten up to 10^22 are exact doubles, so m * 10^k
// or m / 10^k is correctly rounded (Clinger 1990).
//
// As a float: m as a double, the constant 10^k and their product are each off by at most 2^-53 of
// their value, so the product w is less than 4 ulps (of double) away from the number. Unless the
// midpoint of two floats is that close to w, number and w round to the same float. Near a midpoint,
// and for everything else, fast_float decides.
//
// Bytes: a class of digit_bytes.h; all give the same results.

namespace cannery::storage {

namespace detail {

/// 10^0 to 10^22: the exact ones.
inline constexpr std::array<double, 23> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// By the position of the point in the last 16 bytes: 10^-(digits after it); 1 without a point.
inline constexpr std::array<double, 17> kScaleByPoint = {1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10,
                                                         1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,
                                                         1e-3,  1e-2,  1e-1,  1e0,   1e0};

struct Decimal
{
    std::uint64_t mantissa = 0;
    unsigned point = 16; ///< position of the point in the last 16 bytes; 16: none
};

/// Reads `length` (1 to 16) bytes before `end` as digits with at most one point.
template <typename Bytes>
inline bool readDecimal(const char* end, std::size_t length, Decimal& decimal)
{
    const Bytes bytes = Bytes::before(end);
    const unsigned inside = bytes.equal('.') & (0xFFFFU << (16 - length));
    decimal.point = static_cast<unsigned>(std::countr_zero(inside | 0x10000U));
    const std::size_t digitCount = length - (inside != 0 ? 1 : 0);
    return bytes.squeezed(decimal.point).join(digitCount, decimal.mantissa) && digitCount != 0;
}

/// Rounds w to float with a sign; false if the number that w approximates (less than 4 ulps away)
/// may round to another float. w is 0 or, apart from its precision, a normal float.
inline bool roundToFloat(double wide, bool isNegative, float& value)
{
    constexpr std::uint64_t kBelowFloat = (std::uint64_t(1) << 29U) - 1;
    constexpr std::uint64_t kFirstUnsure = (std::uint64_t(1) << 28U) - 4;
    const std::uint64_t below = std::bit_cast<std::uint64_t>(wide) & kBelowFloat;
    // The sign is practically random: a branch on it would often be mispredicted.
    value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(wide)) |
                                 std::uint32_t(isNegative) << 31U);
    return below - kFirstUnsure > 8;
}

} // namespace detail

/// The double of a plain decimal; false if the text is something else (possibly a number). The 16
/// bytes before the end of the text must be readable.
template <typename Bytes = detail::Digits>
inline bool parsePlain(std::string_view text, double& value)
{
    const bool isNegative = !text.empty() && text.front() == '-';
    const std::size_t length = text.size() - (isNegative ? 1 : 0);
    detail::Decimal decimal;
    if (length - 1 > 15 ||
        !detail::readDecimal<Bytes>(text.data() + text.size(), length, decimal) ||
        decimal.mantissa > (std::uint64_t(1) << 53U)) {
        return false;
    }
    const unsigned fraction = decimal.point == 16 ? 0 : 15 - decimal.point;
    const double magnitude = static_cast<double>(decimal.mantissa) / detail::kPowersOfTen[fraction];
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) |
                                  std::uint64_t(isNegative) << 63U);
    return true;
}

/// The float nearest to a plain decimal; false also if that needs the slow path. The 16 bytes
/// before the end of the text and the one after it must be readable.
template <typename Bytes = detail::Digits>
inline bool parsePlain(std::string_view text, float& value)
{
    const bool isNegative = *text.data() == '-';
    const std::size_t length = text.size() - std::size_t(isNegative);
    detail::Decimal decimal;
    if (length - 1 > 15 ||
        !detail::readDecimal<Bytes>(text.data() + text.size(), length, decimal)) {
        return false;
    }
    const double wide = static_cast<double>(static_cast<std::int64_t>(decimal.mantissa)) *
                        detail::kScaleByPoint[decimal.point];
    return detail::roundToFloat(wide, isNegative, value);
}

/// An integer of at most 16 digits; false if the text is something else.
template <typename Bytes = detail::Digits>
inline bool parsePlain(std::string_view text, std::int64_t& value)
{
    const bool isNegative = *text.data() == '-';
    const std::size_t length = text.size() - std::size_t(isNegative);
    if (length - 1 > 15) {
        return false;
    }
    std::uint64_t magnitude = 0;
    const bool isRead = Bytes::before(text.data() + text.size()).join(length, magnitude);
    const std::int64_t flip = -std::int64_t(isNegative);
    value = (static_cast<std::int64_t>(magnitude) ^ flip) - flip;
    return isRead;
}

} // namespace cannery::storage
