// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/bias_grad.h"

#include "kernels/device/row_blocks.h"

#include <array>

namespace cannery::kernels::cpu {

namespace {

/// Rows summed in float before the sum is added to the total, which limits rounding errors for
/// large batches.
constexpr std::int64_t kChunkRows = 64;

void sumColumns(ConstMatrixView src, std::span<float> sums)
{
    std::fill(sums.begin(), sums.end(), 0.0F);
    std::array<float, kBlockCols> chunk;
    const std::int64_t cols = src.cols;
    for (std::int64_t first = 0; first < src.rows; first += kChunkRows) {
        const std::int64_t end = std::min(first + kChunkRows, src.rows);
        chunk.fill(0.0F);
        for (std::int64_t r = first; r < end; ++r) {
            const float* row = src.at(r);
            for (std::int64_t c = 0; c < cols; ++c) {
                chunk[c] += row[c];
            }
        }
        for (std::int64_t c = 0; c < cols; ++c) {
            sums[c] += chunk[c];
        }
    }
}

void run(ThreadPool& pool, ConstMatrixView dstGrad, std::span<float> biasGrad)
{
    forEachColumnBlock(pool, dstGrad.rows, dstGrad.cols, [&](BlockRange cols, int) {
        sumColumns(dstGrad.columns(cols.first, cols.count),
                   biasGrad.subspan(cols.first, cols.count));
    });
}

} // namespace

const BiasGradKernels kBiasGrad = {run};

} // namespace cannery::kernels::cpu
