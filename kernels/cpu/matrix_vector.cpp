// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/matrix_vector.h"

#include "kernels/cpu/gemm_tile.h"
#include "kernels/device/row_blocks.h"

#include <immintrin.h>

#include <algorithm>
#include <cmath>

namespace cannery::kernels::cpu {

namespace {

constexpr std::int64_t kLanes = 8;
/// Rows whose sums are computed together.
constexpr int kRowGroup = 8;
/// Columns whose sums stay in registers.
constexpr std::int64_t kColumnGroup = kBlockCols;

__m256i vectorMask(std::int64_t lanes)
{
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(lanes)), index);
}

/// The sum of each of eight vectors' lanes: ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)).
__m256 sumsOfLanes(const __m256 (&sums)[kRowGroup])
{
    const __m256 first =
        _mm256_hadd_ps(_mm256_hadd_ps(sums[0], sums[1]), _mm256_hadd_ps(sums[2], sums[3]));
    const __m256 second =
        _mm256_hadd_ps(_mm256_hadd_ps(sums[4], sums[5]), _mm256_hadd_ps(sums[6], sums[7]));
    return _mm256_add_ps(_mm256_permute2f128_ps(first, second, 0x20),
                         _mm256_permute2f128_ps(first, second, 0x31));
}

/// Eight rows' sums; rows beyond `count` repeat the last.
__m256 multiplyRows(ConstMatrixView src, std::int64_t row, std::int64_t count, const float* weights)
{
    const float* rows[kRowGroup];
    for (std::int64_t i = 0; i < kRowGroup; ++i) {
        rows[i] = src.at(row + std::min(i, count - 1));
    }
    __m256 sums[kRowGroup];
    for (__m256& sum : sums) {
        sum = _mm256_setzero_ps();
    }
    std::int64_t k = 0;
    for (; k + kLanes <= src.cols; k += kLanes) {
        const __m256 factor = _mm256_loadu_ps(weights + k);
#pragma GCC unroll 8
        for (int i = 0; i < kRowGroup; ++i) {
            sums[i] = _mm256_fmadd_ps(_mm256_loadu_ps(rows[i] + k), factor, sums[i]);
        }
    }
    if (k < src.cols) {
        const __m256i mask = vectorMask(src.cols - k);
        const __m256 factor = _mm256_maskload_ps(weights + k, mask);
#pragma GCC unroll 8
        for (int i = 0; i < kRowGroup; ++i) {
            sums[i] = _mm256_fmadd_ps(_mm256_maskload_ps(rows[i] + k, mask), factor, sums[i]);
        }
    }
    return sumsOfLanes(sums);
}

/// weightsGrad[k] for up to 64 columns from `col`.
void sumColumnGroup(ConstMatrixView src, ConstMatrixView dstGrad, BlockRange cols, float* sums)
{
    std::fill_n(sums, cols.count, 0.0F);
    for (std::int64_t first = 0; first < src.rows; first += kDepthChunk) {
        const std::int64_t end = std::min(first + kDepthChunk, src.rows);
        float chunk[kColumnGroup] = {};
        if (cols.count == kColumnGroup) {
            __m256 wide[kColumnGroup / kLanes];
            for (__m256& sum : wide) {
                sum = _mm256_setzero_ps();
            }
            for (std::int64_t r = first; r < end; ++r) {
                const __m256 grad = _mm256_broadcast_ss(dstGrad.at(r));
                const float* row = src.at(r) + cols.first;
#pragma GCC unroll 8
                for (int v = 0; v < kColumnGroup / kLanes; ++v) {
                    wide[v] = _mm256_fmadd_ps(_mm256_loadu_ps(row + v * kLanes), grad, wide[v]);
                }
            }
            for (int v = 0; v < kColumnGroup / kLanes; ++v) {
                _mm256_storeu_ps(chunk + v * kLanes, wide[v]);
            }
        } else {
            for (std::int64_t r = first; r < end; ++r) {
                const float grad = *dstGrad.at(r);
                const float* row = src.at(r) + cols.first;
                for (std::int64_t c = 0; c < cols.count; ++c) {
                    chunk[c] = std::fma(row[c], grad, chunk[c]);
                }
            }
        }
        for (std::int64_t c = 0; c < cols.count; ++c) {
            sums[c] += chunk[c];
        }
    }
}

} // namespace

void multiplyVector(ThreadPool& pool, ConstMatrixView src, ConstMatrixView weights,
                    const MatmulEpilogue& epilogue, MatrixView dst)
{
    const float bias = epilogue.bias.empty() ? 0.0F : epilogue.bias[0];
    forEachRowBlock(pool, src.rows, src.cols, [&](BlockRange rows, int) {
        for (std::int64_t done = 0; done < rows.count; done += kRowGroup) {
            const std::int64_t count = std::min<std::int64_t>(kRowGroup, rows.count - done);
            float sums[kRowGroup];
            _mm256_storeu_ps(sums, multiplyRows(src, rows.first + done, count, weights.data));
            for (std::int64_t i = 0; i < count; ++i) {
                float* to = dst.at(rows.first + done + i);
                *to = (epilogue.accumulate ? *to + sums[i] : sums[i]) + bias;
            }
        }
    });
}

void vectorSrcGradient(ThreadPool& pool, ConstMatrixView dstGrad, ConstMatrixView weights,
                       MatrixView srcGrad)
{
    forEachRowBlock(pool, srcGrad.rows, srcGrad.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const float grad = *dstGrad.at(r);
            float* to = srcGrad.at(r);
            for (std::int64_t k = 0; k < srcGrad.cols; ++k) {
                to[k] = grad * weights.data[k];
            }
        }
    });
}

void vectorWeightsGradient(ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad,
                           MatrixView weightsGrad)
{
    forEachColumnBlock(pool, src.rows, src.cols, [&](BlockRange cols, int) {
        sumColumnGroup(src, dstGrad, cols, weightsGrad.data + cols.first);
    });
}

} // namespace cannery::kernels::cpu
