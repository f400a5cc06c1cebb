// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64-v4 only: no inline functions may be shared with other files (gemm_kernels.h).
#include "kernels/cpu/centers_kernels.h"

#if defined(__AVX512F__)

#include <immintrin.h>

namespace cannery::kernels::cpu {

namespace {

constexpr int kLanes = 16;
constexpr int kTransposed = 8;
/// Of 32 registers: sixteen for sums, two for the rows, one for a center's element. Their number
/// often divides that of the centers.
constexpr int kTileCenters = 8;

/// Of the rows of a group.
struct WideBest
{
    __m512 key[2];
    __m512i index[2];
};

/// Eight columns of eight rows; of fewer, the rest is 0, and only `cols` of them are written. The
/// same rows of the next group are prefetched (an address after the last one is harmless).
void transposeSome(const float* source, std::int64_t step, std::int64_t rows, std::int64_t cols,
                   float* target)
{
    const auto mask = static_cast<__mmask8>(cols < kTransposed ? (1U << cols) - 1U : 0xFFU);
    __m256 row[kTransposed];
    for (int r = 0; r < kTransposed; ++r) {
        _mm_prefetch(reinterpret_cast<const char*>(source + (kWideGroupRows + r) * step),
                     _MM_HINT_T0);
        row[r] = r < rows ? _mm256_maskz_loadu_ps(mask, source + r * step) : _mm256_setzero_ps();
    }
    __m256 pair[kTransposed];
    for (int r = 0; r < kTransposed; r += 2) {
        pair[r] = _mm256_unpacklo_ps(row[r], row[r + 1]);
        pair[r + 1] = _mm256_unpackhi_ps(row[r], row[r + 1]);
    }
    for (int r = 0; r < kTransposed; r += 4) {
        row[r] = _mm256_shuffle_ps(pair[r], pair[r + 2], 0x44);
        row[r + 1] = _mm256_shuffle_ps(pair[r], pair[r + 2], 0xEE);
        row[r + 2] = _mm256_shuffle_ps(pair[r + 1], pair[r + 3], 0x44);
        row[r + 3] = _mm256_shuffle_ps(pair[r + 1], pair[r + 3], 0xEE);
    }
    __m256 column[kTransposed];
    for (int c = 0; c < 4; ++c) {
        column[c] = _mm256_permute2f128_ps(row[c], row[c + 4], 0x20);
        column[c + 4] = _mm256_permute2f128_ps(row[c], row[c + 4], 0x31);
    }
    for (int c = 0; c < kTransposed && c < cols; ++c) {
        _mm256_storeu_ps(target + c * kWideGroupRows, column[c]);
    }
}

void transposeGroup(const CentersGroup& group)
{
    for (std::int64_t d = 0; d < group.depth; d += kTransposed) {
        for (std::int64_t r = 0; r < kWideGroupRows; r += kTransposed) {
            transposeSome(group.rows + r * group.rowStep + d, group.rowStep, group.rowCount - r,
                          group.depth - d, group.transposed + d * kWideGroupRows + r);
        }
    }
}

/// Distances of a group from `Count` centers, without what all centers share.
template <int Count>
[[gnu::always_inline]] inline void wideKeys(const CentersGroup& group, std::int64_t firstCenter,
                                            __m512 (&keys)[Count][2])
{
    const float* center = group.centers + firstCenter * group.centerStep;
#pragma GCC unroll 8
    for (int c = 0; c < Count; ++c) {
        keys[c][0] = _mm512_setzero_ps();
        keys[c][1] = _mm512_setzero_ps();
    }
    for (std::int64_t d = 0; d < group.depth; ++d) {
        const float* rows = group.transposed + d * kWideGroupRows;
        const __m512 low = _mm512_loadu_ps(rows);
        const __m512 high = _mm512_loadu_ps(rows + kLanes);
#pragma GCC unroll 8
        for (int c = 0; c < Count; ++c) {
            const __m512 element = _mm512_set1_ps(center[c * group.centerStep + d]);
            keys[c][0] = _mm512_fmadd_ps(low, element, keys[c][0]);
            keys[c][1] = _mm512_fmadd_ps(high, element, keys[c][1]);
        }
    }
#pragma GCC unroll 8
    for (int c = 0; c < Count; ++c) {
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
            // |x|² is the same for all centers, so the smallest key is that of |c|² - 2 x · c.
            keys[c][v] = group.isCosine
                             ? _mm512_sub_ps(_mm512_set1_ps(1.0F), keys[c][v])
                             : _mm512_fmadd_ps(_mm512_set1_ps(-2.0F), keys[c][v],
                                               _mm512_set1_ps(group.squares[firstCenter + c]));
        }
    }
}

template <int Count>
void nearestOfWideTile(const CentersGroup& group, std::int64_t firstCenter, WideBest& best)
{
    __m512 keys[Count][2];
    wideKeys<Count>(group, firstCenter, keys);
#pragma GCC unroll 8
    for (int c = 0; c < Count; ++c) {
        const __m512i index = _mm512_set1_epi32(static_cast<int>(firstCenter) + c);
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
            // Ordered and strict: NaN never wins, and of equal centers the first stays.
            const __mmask16 closer = _mm512_cmp_ps_mask(keys[c][v], best.key[v], _CMP_LT_OQ);
            best.key[v] = _mm512_mask_mov_ps(best.key[v], closer, keys[c][v]);
            best.index[v] = _mm512_mask_mov_epi32(best.index[v], closer, index);
        }
    }
}

/// |x|^2 of a group's rows, or 0.
void sharedByWideTiles(const CentersGroup& group, __m512 (&shared)[2])
{
    shared[0] = _mm512_setzero_ps();
    shared[1] = _mm512_setzero_ps();
    for (std::int64_t d = 0; !group.isCosine && d < group.depth; ++d) {
        for (int v = 0; v < 2; ++v) {
            const __m512 value =
                _mm512_loadu_ps(group.transposed + d * kWideGroupRows + v * kLanes);
            shared[v] = _mm512_fmadd_ps(value, value, shared[v]);
        }
    }
}

template <int Count>
void storeWideTile(const CentersGroup& group, std::int64_t firstCenter, const __m512 (&shared)[2],
                   float* dst, std::int64_t dstStep)
{
    __m512 keys[Count][2];
    wideKeys<Count>(group, firstCenter, keys);
    alignas(64) float values[kWideGroupRows];
    for (int c = 0; c < Count; ++c) {
        _mm512_store_ps(values, _mm512_add_ps(keys[c][0], shared[0]));
        _mm512_store_ps(values + kLanes, _mm512_add_ps(keys[c][1], shared[1]));
        // Rows beyond the group's last are computed, but not written.
        for (std::int64_t r = 0; r < group.rowCount; ++r) {
            dst[r * dstStep + firstCenter + c] = values[r];
        }
    }
}

using NearestTile = void (*)(const CentersGroup&, std::int64_t, WideBest&);
using StoreTile = void (*)(const CentersGroup&, std::int64_t, const __m512 (&)[2], float*,
                           std::int64_t);
constexpr NearestTile kNearest[kTileCenters] = {
    nearestOfWideTile<1>, nearestOfWideTile<2>, nearestOfWideTile<3>, nearestOfWideTile<4>,
    nearestOfWideTile<5>, nearestOfWideTile<6>, nearestOfWideTile<7>, nearestOfWideTile<8>};
constexpr StoreTile kStore[kTileCenters] = {storeWideTile<1>, storeWideTile<2>, storeWideTile<3>,
                                            storeWideTile<4>, storeWideTile<5>, storeWideTile<6>,
                                            storeWideTile<7>, storeWideTile<8>};

/// Index of the function for the centers from `first` on.
std::int64_t tileAt(const CentersGroup& group, std::int64_t first)
{
    const std::int64_t left = group.centerCount - first;
    return (left < kTileCenters ? left : kTileCenters) - 1;
}

} // namespace

void distancesOfGroupAvx512(const CentersGroup& group, float* dst, std::int64_t dstStep)
{
    transposeGroup(group);
    __m512 shared[2];
    sharedByWideTiles(group, shared);
    for (std::int64_t first = 0; first < group.centerCount; first += kTileCenters) {
        kStore[tileAt(group, first)](group, first, shared, dst, dstStep);
    }
}

void nearestOfGroupAvx512(const CentersGroup& group, std::int32_t* index, float* distance)
{
    transposeGroup(group);
    WideBest best;
    __m512 keys[1][2];
    wideKeys<1>(group, 0, keys);
    for (int v = 0; v < 2; ++v) {
        best.key[v] = keys[0][v];
        best.index[v] = _mm512_setzero_si512();
    }
    for (std::int64_t first = 0; first < group.centerCount; first += kTileCenters) {
        kNearest[tileAt(group, first)](group, first, best);
    }
    __m512 shared[2];
    sharedByWideTiles(group, shared);
    for (int v = 0; v < 2 && v * kLanes < group.rowCount; ++v) {
        const std::int64_t left = group.rowCount - v * kLanes;
        const auto mask = static_cast<__mmask16>(left < kLanes ? (1U << left) - 1U : 0xFFFFU);
        _mm512_mask_storeu_ps(distance + v * kLanes, mask, _mm512_add_ps(best.key[v], shared[v]));
        _mm512_mask_storeu_epi32(index + v * kLanes, mask, best.index[v]);
    }
}

} // namespace cannery::kernels::cpu

#endif
