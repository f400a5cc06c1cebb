// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/dropout.h"
#include "kernels/device/instructions.h"
#include "kernels/device/row_blocks.h"
#include "kernels/math/dropout_bits.h"

#if CANNERY_X86_64_V3
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace cannery::kernels::cpu {

namespace {

constexpr std::int64_t kUnits = 32;

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

#if CANNERY_X86_64_V3

/// 32-bit lanes of the 64-bit products of x with a constant.
struct Product
{
    __m256i high;
    __m256i low;
};

Product multiply(__m256i x, std::uint32_t constant)
{
    const __m256i factor = _mm256_set1_epi32(static_cast<int>(constant));
    // There is no 32-bit multiplication with the high half, so even and odd lanes take turns.
    const __m256i even = _mm256_mul_epu32(x, factor);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor);
    return {_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA),
            _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA)};
}

__m256i broadcast(std::uint32_t word)
{
    return _mm256_set1_epi32(static_cast<int>(word));
}

/// Eight lanes of four words each, one lane after the other.
void storeLanes(__m256i a, __m256i b, __m256i c, __m256i d, std::uint32_t* bits)
{
    const __m256i lowAb = _mm256_unpacklo_epi32(a, b);
    const __m256i highAb = _mm256_unpackhi_epi32(a, b);
    const __m256i lowCd = _mm256_unpacklo_epi32(c, d);
    const __m256i highCd = _mm256_unpackhi_epi32(c, d);
    const __m256i lanes04 = _mm256_unpacklo_epi64(lowAb, lowCd);
    const __m256i lanes15 = _mm256_unpackhi_epi64(lowAb, lowCd);
    const __m256i lanes26 = _mm256_unpacklo_epi64(highAb, highCd);
    const __m256i lanes37 = _mm256_unpackhi_epi64(highAb, highCd);
    auto* out = reinterpret_cast<__m256i*>(bits);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(lanes04, lanes15, 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(lanes26, lanes37, 0x20));
    _mm256_storeu_si256(out + 2, _mm256_permute2x128_si256(lanes04, lanes15, 0x31));
    _mm256_storeu_si256(out + 3, _mm256_permute2x128_si256(lanes26, lanes37, 0x31));
}

/// philox() of eight counters with consecutive first words: 32 units' bits.
void philoxAvx2(Counter counter, Key key, std::uint32_t* bits)
{
    __m256i a = _mm256_add_epi32(broadcast(counter[0]), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i b = broadcast(counter[1]);
    __m256i c = broadcast(counter[2]);
    __m256i d = broadcast(counter[3]);
    // Ten rounds of Philox-4x32 (Salmon et al., 2011), as kernels/math/random.h has them.
    for (int round = 0; round < 10; ++round) {
        const Product even = multiply(a, kPhiloxMultipliers[0]);
        const Product odd = multiply(c, kPhiloxMultipliers[1]);
        a = _mm256_xor_si256(_mm256_xor_si256(odd.high, b), broadcast(key[0]));
        b = odd.low;
        c = _mm256_xor_si256(_mm256_xor_si256(even.high, d), broadcast(key[1]));
        d = even.low;
        key = {key[0] + kPhiloxWeyl[0], key[1] + kPhiloxWeyl[1]};
    }
    storeLanes(a, b, c, d, bits);
}

#endif

/// The same on any processor.
void philoxPlain(Counter counter, Key key, std::uint32_t* bits)
{
    for (std::int64_t unit = 0; unit < kUnits; unit += 4) {
        std::ranges::copy(philox(counter, key), bits + unit);
        ++counter[0];
    }
}

template <void (*Philox)(Counter, Key, std::uint32_t*)>
void dropRow(const DropoutMask& mask, std::uint64_t row, std::span<const float> src, float* dst)
{
    // What is kept is scaled up, so that the expected sum stays the same.
    const float scale = 1.0F / (1.0F - mask.rate);
    const auto cols = static_cast<std::int64_t>(src.size());
    std::uint32_t bits[kUnits];
    for (std::int64_t first = 0; first < cols; first += kUnits) {
        // The counter names the element: any thread draws the same bits for it.
        const auto counter =
            dropoutCounter(static_cast<std::uint64_t>(first), row, mask.step, mask.layer);
        Philox(counter, dropoutKey(mask.seed), bits);
        const std::int64_t count = std::min(kUnits, cols - first);
        for (std::int64_t c = 0; c < count; ++c) {
            const float kept = src[first + c] * scale;
            dst[first + c] = uniformFloat(bits[c]) >= mask.rate ? kept : 0.0F;
        }
    }
}

template <void (*Philox)(Counter, Key, std::uint32_t*)>
void run(ThreadPool& pool, const DropoutMask& mask, ConstMatrixView src, MatrixView dst)
{
    forEachRowBlock(pool, dst.rows, dst.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            dropRow<Philox>(mask, mask.firstRow + static_cast<std::uint64_t>(r), src.row(r),
                            dst.at(r));
        }
    });
}

} // namespace

#if CANNERY_X86_64_V3
const DropoutKernels kDropout = {run<philoxAvx2>};
#endif
const DropoutKernels kDropoutPlain = {run<philoxPlain>};

} // namespace cannery::kernels::cpu
