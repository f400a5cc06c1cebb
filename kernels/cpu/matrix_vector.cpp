// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/matrix_vector.h"

#include "kernels/cpu/gemm_tile.h"
#include "kernels/device/row_blocks.h"

#include <algorithm>

namespace cannery::kernels::cpu {

static_assert(kBlockCols <= kVectorCols);

void multiplyVector(const VectorKernels& kernels, ThreadPool& pool, ConstMatrixView src,
                    ConstMatrixView weights, const MatmulEpilogue& epilogue, MatrixView dst)
{
    const float bias = epilogue.bias.empty() ? 0.0F : epilogue.bias[0];
    forEachRowBlock(pool, src.rows, src.cols, [&](BlockRange rows, int) {
        // Some rows at a time, whose sums fit the registers.
        for (std::int64_t done = 0; done < rows.count; done += kVectorRows) {
            const std::int64_t count = std::min(kVectorRows, rows.count - done);
            float sums[kVectorRows];
            kernels.multiplyRows(src, rows.first + done, count, weights.data, sums);
            for (std::int64_t i = 0; i < count; ++i) {
                float* to = dst.at(rows.first + done + i);
                // In this order, as in the kernels of matrices.
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

void vectorWeightsGradient(const VectorKernels& kernels, ThreadPool& pool, ConstMatrixView src,
                           ConstMatrixView dstGrad, MatrixView weightsGrad)
{
    forEachColumnBlock(pool, src.rows, src.cols, [&](BlockRange cols, int) {
        float* sums = weightsGrad.data + cols.first;
        std::fill_n(sums, cols.count, 0.0F);
        // By chunks of depth, so that the sums have the bits of any number of threads.
        for (std::int64_t first = 0; first < src.rows; first += kDepthChunk) {
            const BlockRange rows{first, std::min(kDepthChunk, src.rows - first)};
            float chunk[kVectorCols];
            kernels.sumColumns(src, dstGrad, rows, cols, chunk);
            for (std::int64_t c = 0; c < cols.count; ++c) {
                sums[c] += chunk[c];
            }
        }
    });
}

} // namespace cannery::kernels::cpu
