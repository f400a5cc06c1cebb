// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/matrix_vector.h"
#include "kernels/device/instructions.h"

#if CANNERY_X86_64_V3

#include <immintrin.h>

#include <algorithm>
#include <cmath>

namespace cannery::kernels::cpu {

namespace {

constexpr std::int64_t kLanes = 8;

__m256i vectorMask(std::int64_t lanes)
{
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(lanes)), index);
}

/// The sum of each of eight vectors' lanes.
__m256 sumsOfLanes(const __m256 (&sums)[kVectorRows])
{
    const __m256 first =
        _mm256_hadd_ps(_mm256_hadd_ps(sums[0], sums[1]), _mm256_hadd_ps(sums[2], sums[3]));
    const __m256 second =
        _mm256_hadd_ps(_mm256_hadd_ps(sums[4], sums[5]), _mm256_hadd_ps(sums[6], sums[7]));
    return _mm256_add_ps(_mm256_permute2f128_ps(first, second, 0x20),
                         _mm256_permute2f128_ps(first, second, 0x31));
}

/// Rows beyond `count` repeat the last.
void multiplyRows(ConstMatrixView src, std::int64_t row, std::int64_t count, const float* weights,
                  float* result)
{
    const float* rows[kVectorRows];
    for (std::int64_t i = 0; i < kVectorRows; ++i) {
        rows[i] = src.at(row + std::min(i, count - 1));
    }
    __m256 sums[kVectorRows];
    for (__m256& sum : sums) {
        sum = _mm256_setzero_ps();
    }
    std::int64_t k = 0;
    for (; k + kLanes <= src.cols; k += kLanes) {
        const __m256 factor = _mm256_loadu_ps(weights + k);
#pragma GCC unroll 8
        for (int i = 0; i < kVectorRows; ++i) {
            sums[i] = _mm256_fmadd_ps(_mm256_loadu_ps(rows[i] + k), factor, sums[i]);
        }
    }
    if (k < src.cols) {
        const __m256i mask = vectorMask(src.cols - k);
        const __m256 factor = _mm256_maskload_ps(weights + k, mask);
#pragma GCC unroll 8
        for (int i = 0; i < kVectorRows; ++i) {
            sums[i] = _mm256_fmadd_ps(_mm256_maskload_ps(rows[i] + k, mask), factor, sums[i]);
        }
    }
    _mm256_storeu_ps(result, sumsOfLanes(sums));
}

void sumColumns(ConstMatrixView src, ConstMatrixView dstGrad, BlockRange rows, BlockRange cols,
                float* sums)
{
    const std::int64_t end = rows.first + rows.count;
    if (cols.count < kVectorCols) {
        std::fill_n(sums, cols.count, 0.0F);
        for (std::int64_t r = rows.first; r < end; ++r) {
            const float grad = *dstGrad.at(r);
            const float* row = src.at(r) + cols.first;
            for (std::int64_t c = 0; c < cols.count; ++c) {
                sums[c] = std::fma(row[c], grad, sums[c]);
            }
        }
        return;
    }
    __m256 wide[kVectorCols / kLanes];
    for (__m256& sum : wide) {
        sum = _mm256_setzero_ps();
    }
    for (std::int64_t r = rows.first; r < end; ++r) {
        const __m256 grad = _mm256_broadcast_ss(dstGrad.at(r));
        const float* row = src.at(r) + cols.first;
#pragma GCC unroll 8
        for (int v = 0; v < kVectorCols / kLanes; ++v) {
            wide[v] = _mm256_fmadd_ps(_mm256_loadu_ps(row + v * kLanes), grad, wide[v]);
        }
    }
    for (int v = 0; v < kVectorCols / kLanes; ++v) {
        _mm256_storeu_ps(sums + v * kLanes, wide[v]);
    }
}

} // namespace

const VectorKernels kVectorAvx2 = {multiplyRows, sumColumns};

} // namespace cannery::kernels::cpu

#endif
