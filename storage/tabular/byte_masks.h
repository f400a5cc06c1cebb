// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// 64 bytes of text at once, once for every kind of processor and with the same results. Each class
// has: a Pattern, one byte everywhere; at(text), which reads 64 bytes; equal(pattern), one bit for
// each byte that equals it; Seen, which notes whether any byte so far was NUL or not ASCII.

namespace cannery::storage {

/// Eight bytes at a time, on any processor.
class WordBytes
{
public:
    using Pattern = std::uint64_t;
    static Pattern pattern(char byte) { return kOnes * static_cast<unsigned char>(byte); }

    static WordBytes at(const char* text)
    {
        WordBytes bytes;
        std::memcpy(bytes.m_words, text, sizeof(bytes.m_words));
        return bytes;
    }

    std::uint64_t equal(Pattern wanted) const
    {
        std::uint64_t mask = 0;
        for (std::size_t i = 0; i < kWords; ++i) {
            mask |= bitsOf(zeros(m_words[i] ^ wanted)) << (8 * i);
        }
        return mask;
    }

    bool isAscii() const
    {
        std::uint64_t any = 0;
        for (const std::uint64_t word : m_words) {
            any |= word;
        }
        return (any & kHighBits) == 0;
    }

    class Seen
    {
    public:
        void note(const WordBytes& bytes)
        {
            for (const std::uint64_t word : bytes.m_words) {
                m_any |= word;
                m_zeros |= zeros(word);
            }
        }
        bool highByte() const { return (m_any & kHighBits) != 0; }
        bool nul() const { return m_zeros != 0; }

    private:
        std::uint64_t m_any = 0;
        std::uint64_t m_zeros = 0;
    };

private:
    static constexpr std::size_t kWords = 8;
    static constexpr std::uint64_t kOnes = 0x0101010101010101U;
    static constexpr std::uint64_t kHighBits = kOnes << 7U;

    /// The high bit of each byte that is 0.
    static std::uint64_t zeros(std::uint64_t word)
    {
        return ~(((word & ~kHighBits) + ~kHighBits) | word) & kHighBits;
    }
    /// The high bits of the bytes, side by side: the product moves that of byte i to bit 56 + i.
    static std::uint64_t bitsOf(std::uint64_t highBits)
    {
        return (highBits >> 7U) * 0x0102040810204080U >> 56U;
    }

    std::uint64_t m_words[kWords];
};

#if defined(__AVX2__)

class Avx2Bytes
{
public:
    using Pattern = __m256i;
    static Pattern pattern(char byte) { return _mm256_set1_epi8(byte); }

    static Avx2Bytes at(const char* text)
    {
        const auto* source = reinterpret_cast<const __m256i*>(text);
        return {_mm256_loadu_si256(source), _mm256_loadu_si256(source + 1)};
    }

    std::uint64_t equal(Pattern wanted) const
    {
        const auto first =
            static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(m_low, wanted)));
        const auto second =
            static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(m_high, wanted)));
        return first | std::uint64_t(second) << 32U;
    }

    bool isAscii() const { return _mm256_movemask_epi8(_mm256_or_si256(m_low, m_high)) == 0; }

    class Seen
    {
    public:
        void note(const Avx2Bytes& bytes)
        {
            m_any = _mm256_or_si256(m_any, _mm256_or_si256(bytes.m_low, bytes.m_high));
            m_least = _mm256_min_epu8(m_least, _mm256_min_epu8(bytes.m_low, bytes.m_high));
        }
        bool highByte() const { return _mm256_movemask_epi8(m_any) != 0; }
        bool nul() const
        {
            return _mm256_movemask_epi8(_mm256_cmpeq_epi8(m_least, _mm256_setzero_si256())) != 0;
        }

    private:
        __m256i m_any = _mm256_setzero_si256();
        __m256i m_least = _mm256_set1_epi8(1);
    };

private:
    Avx2Bytes(__m256i low, __m256i high) : m_low(low), m_high(high) {}

    __m256i m_low;
    __m256i m_high;
};

using TextBytes = Avx2Bytes;

#elif defined(__ARM_NEON)

class NeonBytes
{
public:
    using Pattern = uint8x16_t;
    static Pattern pattern(char byte) { return vdupq_n_u8(static_cast<std::uint8_t>(byte)); }

    static NeonBytes at(const char* text)
    {
        NeonBytes bytes;
        bytes.m_parts = vld1q_u8_x4(reinterpret_cast<const std::uint8_t*>(text));
        return bytes;
    }

    std::uint64_t equal(Pattern wanted) const
    {
        const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
        uint8x16_t bits[4];
        for (std::size_t i = 0; i < 4; ++i) {
            bits[i] = vandq_u8(vceqq_u8(m_parts.val[i], wanted), weights);
        }
        // Three sums of neighbours make a byte of eight.
        const uint8x16_t quads =
            vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
        return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(quads, quads)), 0);
    }

    bool isAscii() const { return vmaxvq_u8(any()) < 0x80U; }

    class Seen
    {
    public:
        void note(const NeonBytes& bytes)
        {
            m_any = vorrq_u8(m_any, bytes.any());
            m_least = vminq_u8(m_least, bytes.least());
        }
        bool highByte() const { return vmaxvq_u8(m_any) >= 0x80U; }
        bool nul() const { return vminvq_u8(m_least) == 0; }

    private:
        uint8x16_t m_any = vdupq_n_u8(0);
        uint8x16_t m_least = vdupq_n_u8(1);
    };

private:
    uint8x16_t any() const
    {
        return vorrq_u8(vorrq_u8(m_parts.val[0], m_parts.val[1]),
                        vorrq_u8(m_parts.val[2], m_parts.val[3]));
    }
    uint8x16_t least() const
    {
        return vminq_u8(vminq_u8(m_parts.val[0], m_parts.val[1]),
                        vminq_u8(m_parts.val[2], m_parts.val[3]));
    }

    uint8x16x4_t m_parts;
};

using TextBytes = NeonBytes;

#else

using TextBytes = WordBytes;

#endif

} // namespace cannery::storage
