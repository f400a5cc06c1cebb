// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

// The 16 bytes of text that end with a number's digits, for processors with AVX2 and for any, with
// the same results. Both classes have: before(end), which reads 16 bytes; equal(byte), one bit for
// each that equals it; equalLetter(letter), the same for a small letter and its capital;
// equalBefore(end, byte), the same for 32 bytes; squeezed(point), which moves bytes [0, point) up
// by one, over the point (16: none); join(count, number), the last `count` (0 to 16) characters as
// digits, false (and any number) if one of them is not a digit.

namespace cannery::storage::detail {

/// In two words, on any processor.
class WordDigits
{
public:
    static WordDigits before(const char* end)
    {
        WordDigits digits;
        std::memcpy(digits.m_words.data(), end - 16, 16);
        return digits;
    }

    std::uint32_t equal(char byte) const
    {
        const std::uint64_t wanted = kOnes * static_cast<unsigned char>(byte);
        return maskOf(m_words[0] ^ wanted) | maskOf(m_words[1] ^ wanted) << 8U;
    }

    static std::uint32_t equalBefore(const char* end, char byte)
    {
        return before(end - 16).equal(byte) | before(end).equal(byte) << 16U;
    }

    std::uint32_t equalLetter(char letter) const
    {
        WordDigits small;
        small.m_words = {m_words[0] | kOnes * 0x20U, m_words[1] | kOnes * 0x20U};
        return small.equal(letter);
    }

    WordDigits squeezed(unsigned point) const
    {
        if (point == 16) {
            return *this;
        }
        const std::uint64_t low = lowBytes(point < 8 ? point + 1 : 8);
        const std::uint64_t high = lowBytes(point < 8 ? 0 : point - 7);
        WordDigits moved;
        moved.m_words = {(m_words[0] & ~low) | (m_words[0] << 8U & low),
                         (m_words[1] & ~high) | ((m_words[1] << 8U | m_words[0] >> 56U) & high)};
        return moved;
    }

    bool join(std::size_t count, std::uint64_t& number) const
    {
        const std::uint64_t inHigh = ~lowBytes(count < 8 ? 8 - count : 0);
        const std::uint64_t inLow = ~lowBytes(count < 8 ? 8 : 16 - count);
        const std::uint64_t low = (m_words[0] ^ kZeros) & inLow;
        const std::uint64_t high = (m_words[1] ^ kZeros) & inHigh;
        number = eightDigits(low) * 100000000U + eightDigits(high);
        return areDigits(low) && areDigits(high);
    }

private:
    static constexpr std::uint64_t kOnes = 0x0101010101010101U;
    static constexpr std::uint64_t kHighBits = kOnes << 7U;
    static constexpr std::uint64_t kZeros = kOnes * '0';

    static std::uint64_t lowBytes(std::size_t count)
    {
        return count == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * count)) - 1;
    }
    /// One bit for each byte that is 0.
    static std::uint32_t maskOf(std::uint64_t word)
    {
        const std::uint64_t zeros = ~(((word & ~kHighBits) + ~kHighBits) | word) & kHighBits;
        return static_cast<std::uint32_t>((zeros >> 7U) * 0x0102040810204080U >> 56U);
    }
    /// Whether every byte is at most 9.
    static bool areDigits(std::uint64_t word)
    {
        return ((((word & ~kHighBits) + kOnes * 0x76U) | word) & kHighBits) == 0;
    }
    /// Pairs of digits, pairs of pairs, halves; the first digit is in the lowest byte.
    static std::uint64_t eightDigits(std::uint64_t word)
    {
        word = (word * 10 + (word >> 8U)) & 0x00FF00FF00FF00FFU;
        word = (word * 100 + (word >> 16U)) & 0x0000FFFF0000FFFFU;
        return (word * 10000 + (word >> 32U)) & 0xFFFFFFFFU;
    }

    std::array<std::uint64_t, 2> m_words;
};

#if defined(__AVX2__)

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

class SseDigits
{
public:
    static SseDigits before(const char* end)
    {
        return SseDigits(_mm_loadu_si128(reinterpret_cast<const __m128i*>(end - 16)));
    }

    std::uint32_t equal(char byte) const
    {
        return static_cast<std::uint32_t>(
            _mm_movemask_epi8(_mm_cmpeq_epi8(m_bytes, _mm_set1_epi8(byte))));
    }

    static std::uint32_t equalBefore(const char* end, char byte)
    {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(end - 32));
        return static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte))));
    }

    std::uint32_t equalLetter(char letter) const
    {
        return SseDigits(_mm_or_si128(m_bytes, _mm_set1_epi8(0x20))).equal(letter);
    }

    SseDigits squeezed(unsigned point) const
    {
        const __m128i squeeze =
            _mm_load_si128(reinterpret_cast<const __m128i*>(kSqueezeTable[point].data()));
        return SseDigits(_mm_shuffle_epi8(m_bytes, squeeze));
    }

    bool join(std::size_t count, std::uint64_t& number) const
    {
        const __m128i keep =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(kTailTable.data() + count));
        const __m128i digits = _mm_and_si128(_mm_sub_epi8(m_bytes, _mm_set1_epi8('0')), keep);
        const __m128i excess = _mm_subs_epu8(digits, _mm_set1_epi8(9));
        number = joined(digits);
        return _mm_testz_si128(excess, excess) != 0;
    }

private:
    explicit SseDigits(__m128i bytes) : m_bytes(bytes) {}

    /// Sixteen digit values, the last one the units, as a number.
    static std::uint64_t joined(__m128i digits)
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

    __m128i m_bytes;
};

using Digits = SseDigits;

#else

using Digits = WordDigits;

#endif

} // namespace cannery::storage::detail
