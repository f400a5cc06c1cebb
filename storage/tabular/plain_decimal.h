#pragma once

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

// A plain decimal of at most 16 characters (digits and one point) is read without a branch for each
// digit: the 16 bytes that end with it are loaded at once, the point is squeezed out, and pairs of
// digits are multiplied together. The mantissa m < 2^53 and the power of ten are exact doubles, so
// m / 10^k is the correctly rounded double (Clinger 1990). Rounding that to float once more is
// correct unless the double stands exactly on the middle of two floats: then, and for everything
// else, fast_float decides.

namespace cannery::storage {

namespace detail {

inline constexpr std::array<double, 17> kPowersOfTen = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

/// Row p moves bytes [0, p) up by one, over the point at p.
constexpr std::array<std::array<unsigned char, 16>, 16> makeSqueezeTable()
{
    std::array<std::array<unsigned char, 16>, 16> table{};
    for (unsigned point = 0; point < 16; ++point) {
        for (unsigned i = 0; i < 16; ++i) {
            table[point][i] = static_cast<unsigned char>(i > point ? i : (i == 0 ? 0x80U : i - 1));
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

struct Decimal
{
    std::uint64_t mantissa = 0;
    unsigned fraction = 0; ///< digits behind the point
};

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

/// Reads `length` (1 to 16) bytes before `end` as digits with at most one point.
inline bool readDecimal(const char* end, std::size_t length, Decimal& decimal)
{
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - 16));
    const auto points =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'))));
    const unsigned inside = points & (0xFFFFU << (16 - length));
    std::size_t digitCount = length;
    decimal.fraction = 0;
    if (inside != 0) {
        const auto point = static_cast<unsigned>(std::countr_zero(inside));
        decimal.fraction = 15 - point;
        --digitCount;
        bytes = _mm_shuffle_epi8(
            bytes, _mm_load_si128(reinterpret_cast<const __m128i*>(kSqueezeTable[point].data())));
    }
    const __m128i keep =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(kTailTable.data() + digitCount));
    const __m128i digits = _mm_and_si128(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), keep);
    const __m128i excess = _mm_subs_epu8(digits, _mm_set1_epi8(9));
    if (_mm_testz_si128(excess, excess) == 0 || digitCount == 0) {
        return false;
    }
    decimal.mantissa = joinDigits(digits);
    return decimal.mantissa <= (std::uint64_t(1) << 53U);
}

} // namespace detail

/// The double of a plain decimal, or false when the text is something else (a number perhaps). The
/// 16 bytes before the end of the text must be readable.
inline bool parsePlain(std::string_view text, double& value)
{
    const bool isNegative = !text.empty() && text.front() == '-';
    const std::size_t length = text.size() - (isNegative ? 1 : 0);
    detail::Decimal decimal;
    if (length == 0 || length > 16 ||
        !detail::readDecimal(text.data() + text.size(), length, decimal)) {
        return false;
    }
    // The sign is as good as random: a branch on it would often be mispredicted.
    const double magnitude =
        static_cast<double>(decimal.mantissa) / detail::kPowersOfTen[decimal.fraction];
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) ^
                                  std::uint64_t(isNegative ? 1 : 0) << 63U);
    return true;
}

/// The same, rounded to float; false when the second rounding might not be the right one.
inline bool parsePlain(std::string_view text, float& value)
{
    double wide = 0;
    if (!parsePlain(text, wide)) {
        return false;
    }
    constexpr std::uint64_t kBelowFloat = (std::uint64_t(1) << 29U) - 1;
    constexpr std::uint64_t kMiddle = std::uint64_t(1) << 28U;
    value = static_cast<float>(wide);
    return (std::bit_cast<std::uint64_t>(wide) & kBelowFloat) != kMiddle;
}

} // namespace cannery::storage
