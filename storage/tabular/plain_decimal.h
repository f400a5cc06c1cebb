// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

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

namespace cannery::storage {

namespace detail {

/// 10^0 to 10^22: the exact ones.
inline constexpr std::array<double, 23> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Row p moves bytes [0, p) up by one, over the point at p; row 16 leaves all unchanged.
constexpr std::array<std::array<unsigned char, 16>, 17> makeSqueezeTable()
{
    std::array<std::array<unsigned char, 16>, 17> table{};
    for (unsigned point = 0; point <= 16; ++point) {
        for (unsigned i = 0; i < 16; ++i) {
            const bool stays = i > point || point == 16;
            table[point][i] = static_cast<unsigned char>(stays ? i : (i == 0 ? 0x80U : i - 1));
        }
    }
    return table;
}

/// Sliding window: 16 bytes from entry n have their last n bytes set.
constexpr std::array<unsigned char, 32> makeTailTable()
{
    std::array<unsigned char, 32> table{};
    for (std::size_t i = 16; i < 32; ++i) {
        table[i] = 0xFF;
    }
    return table;
}

alignas(16) inline constexpr auto kSqueezeTable = makeSqueezeTable();
alignas(32) inline constexpr auto kTailTable = makeTailTable();

/// By the position of the point in the last 16 bytes: 10^-(digits after it); 1 without a point.
inline constexpr std::array<double, 17> kScaleByPoint = {1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10,
                                                         1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,
                                                         1e-3,  1e-2,  1e-1,  1e0,   1e0};

/// Sixteen digit values, the last one the units, as a number.
inline std::uint64_t joinDigits(__m128i digits)
{
    const __m128i tens = _mm_set1_epi16(0x010A);
    const __m128i hundreds = _mm_set1_epi32(0x00010064);
    const __m128i myriads = _mm_set1_epi32(0x00012710);
    const __m128i pairs = _mm_maddubs_epi16(digits, tens);
    const __m128i quads = _mm_madd_epi16(pairs, hundreds);
    const __m128i packed = _mm_packus_epi32(quads, quads);
    const __m128i eights = _mm_madd_epi16(packed, myriads);
    const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
    return (both & 0xFFFFFFFFU) * 100000000U + (both >> 32U);
}

/// The last `count` (0 to 16) of 16 characters as digits; false if one of them is not a digit.
inline bool joinTail(__m128i bytes, std::size_t count, std::uint64_t& number)
{
    const __m128i keep =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(kTailTable.data() + count));
    const __m128i digits = _mm_and_si128(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), keep);
    const __m128i excess = _mm_subs_epu8(digits, _mm_set1_epi8(9));
    number = joinDigits(digits);
    return _mm_testz_si128(excess, excess) != 0;
}

struct Decimal
{
    std::uint64_t mantissa = 0;
    unsigned point = 16; ///< position of the point in the last 16 bytes; 16: none
};

/// Reads `length` (1 to 16) bytes before `end` as digits with at most one point.
inline bool readDecimal(const char* end, std::size_t length, Decimal& decimal)
{
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - 16));
    const auto points =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'))));
    const unsigned inside = points & (0xFFFFU << (16 - length));
    decimal.point = static_cast<unsigned>(std::countr_zero(inside | 0x10000U));
    const __m128i squeeze =
        _mm_load_si128(reinterpret_cast<const __m128i*>(kSqueezeTable[decimal.point].data()));
    const std::size_t digitCount = length - (inside != 0 ? 1 : 0);
    return joinTail(_mm_shuffle_epi8(bytes, squeeze), digitCount, decimal.mantissa) &&
           digitCount != 0;
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
inline bool parsePlain(std::string_view text, double& value)
{
    const bool isNegative = !text.empty() && text.front() == '-';
    const std::size_t length = text.size() - (isNegative ? 1 : 0);
    detail::Decimal decimal;
    if (length - 1 > 15 || !detail::readDecimal(text.data() + text.size(), length, decimal) ||
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
inline bool parsePlain(std::string_view text, float& value)
{
    const bool isNegative = *text.data() == '-';
    const std::size_t length = text.size() - std::size_t(isNegative);
    detail::Decimal decimal;
    if (length - 1 > 15 || !detail::readDecimal(text.data() + text.size(), length, decimal)) {
        return false;
    }
    const double wide = static_cast<double>(static_cast<std::int64_t>(decimal.mantissa)) *
                        detail::kScaleByPoint[decimal.point];
    return detail::roundToFloat(wide, isNegative, value);
}

/// An integer of at most 16 digits; false if the text is something else.
inline bool parsePlain(std::string_view text, std::int64_t& value)
{
    const bool isNegative = *text.data() == '-';
    const std::size_t length = text.size() - std::size_t(isNegative);
    if (length - 1 > 15) {
        return false;
    }
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + text.size() - 16));
    std::uint64_t magnitude = 0;
    const bool isRead = detail::joinTail(bytes, length, magnitude);
    const std::int64_t flip = -std::int64_t(isNegative);
    value = (static_cast<std::int64_t>(magnitude) ^ flip) - flip;
    return isRead;
}

} // namespace cannery::storage
