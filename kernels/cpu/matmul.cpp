// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/matmul.h"

#include "kernels/cpu/activate.h"
#include "kernels/cpu/gemm_tile.h"
#include "kernels/cpu/matrix_vector.h"
#include "kernels/device/instructions.h"

#include <algorithm>

namespace cannery::kernels::cpu {

namespace {

/// Minimum products of a tile that justify another thread: about 10 microseconds.
constexpr std::int64_t kSmallestTile = 1024 * 1024;
/// Smaller tiles spend their time packing: a panel of columns is used for all rows, and the rows
/// for all columns.
constexpr std::int64_t kSmallestRows = 96;
constexpr std::int64_t kSmallestCols = 128;
constexpr std::int64_t kMaxTileCols = 512;

static_assert(ThreadPool::kScratchFloats >= kGemmScratch);

std::int64_t roundUp(std::int64_t value, std::int64_t step)
{
    return (value + step - 1) / step * step;
}

std::int64_t pieces(std::int64_t whole, std::int64_t piece)
{
    return (whole + piece - 1) / piece;
}

/// How dst is split into tiles. Unlike the blocks of other kernels, tiles may depend on the number
/// of threads: an element's bits are the same in any tile (gemm_kernels.h), and large tiles pack
/// less.
struct Tiling
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

Tiling tilingOf(const GemmKernels& kernels, const GemmTile& whole, int threads)
{
    const std::int64_t rows = whole.rows;
    const std::int64_t cols = whole.cols;
    // Twice as many as threads, so that a late thread leaves half of its share to others.
    const std::int64_t wantedTiles = threads == 1 ? 1 : 2 * threads;
    std::int64_t rowTiles = pieces(rows, kMaxTileRows);
    std::int64_t colTiles = pieces(cols, kMaxTileCols);
    // Small products are not worth more threads.
    while (rowTiles * colTiles < wantedTiles &&
           rows * cols / (rowTiles * colTiles) * whole.depth >= 2 * kSmallestTile) {
        // The longer side is halved, so that tiles stay compact.
        if (cols / colTiles > rows / rowTiles && cols / colTiles >= 2 * kSmallestCols) {
            colTiles *= 2;
        } else if (rows / rowTiles >= 2 * kSmallestRows) {
            rowTiles *= 2;
        } else if (cols / colTiles >= 2 * kSmallestCols) {
            colTiles *= 2;
        } else {
            break;
        }
    }
    // Whole panels: what is cut off would waste lanes.
    return {std::min(kMaxTileRows, roundUp(pieces(rows, rowTiles), kernels.panelRows)),
            roundUp(pieces(cols, colTiles), kernels.panelCols)};
}

/// `whole` describes the product as one tile.
void multiply(const GemmKernels& kernels, ThreadPool& pool, const GemmTile& whole,
              Activation activation)
{
    // An empty matrix has no element to write.
    if (whole.rows == 0 || whole.cols == 0) {
        return;
    }
    const Tiling tiling = tilingOf(kernels, whole, pool.threadCount());
    const std::int64_t rowTiles = pieces(whole.rows, tiling.rows);
    const std::int64_t colTiles = pieces(whole.cols, tiling.cols);
    const auto runTile = [&](std::int64_t block, int worker) {
        // Tiles of one panel of columns follow each other, so that it stays in the cache.
        const std::int64_t row = block % rowTiles * tiling.rows;
        const std::int64_t col = block / rowTiles * tiling.cols;
        GemmTile tile = whole;
        tile.left = whole.left.from(row);
        tile.right = whole.right.from(col);
        tile.dst = whole.dst + row * whole.dstStride + col;
        tile.rows = std::min(tiling.rows, whole.rows - row);
        tile.cols = std::min(tiling.cols, whole.cols - col);
        tile.bias = whole.bias == nullptr ? nullptr : whole.bias + col;
        tile.relu = activation == Activation::Relu;
        multiplyTile(kernels, tile, pool.scratch(worker));
        // ReLU is part of the micro kernel; others follow while the tile is in the cache.
        if (activation != Activation::Linear && activation != Activation::Relu) {
            activate(activation, {tile.dst, tile.rows, tile.cols, tile.dstStride});
        }
    };
    pool.parallelFor(rowTiles * colTiles, runTile);
}

/// A single column is a vector, and memory-bound: its kernels need no packing.
bool isVector(ConstMatrixView weights)
{
    return weights.cols == 1 && (weights.stride == 1 || weights.rows == 1);
}

template <const GemmKernels& Gemm, const VectorKernels& Vector>
void forward(MatmulPlan*, ThreadPool& pool, ConstMatrixView src, ConstMatrixView weights,
             const MatmulEpilogue& epilogue, MatrixView dst)
{
    if (isVector(weights)) {
        multiplyVector(Vector, pool, src, weights, epilogue, dst);
        if (epilogue.activation != Activation::Linear) {
            activate(epilogue.activation, dst);
        }
        return;
    }
    multiply(Gemm, pool,
             // The second factor is read by columns, so its steps are exchanged.
             {.left = {src.data, src.stride, 1},
              .right = {weights.data, 1, weights.stride},
              .dst = dst.data,
              .dstStride = dst.stride,
              .rows = dst.rows,
              .cols = dst.cols,
              .depth = src.cols,
              .bias = epilogue.bias.empty() ? nullptr : epilogue.bias.data(),
              .accumulate = epilogue.accumulate},
             epilogue.activation);
}

template <const GemmKernels& Gemm>
void srcGradient(MatmulPlan*, ThreadPool& pool, ConstMatrixView dstGrad, ConstMatrixView weights,
                 MatrixView srcGrad)
{
    if (isVector(weights)) {
        vectorSrcGradient(pool, dstGrad, weights, srcGrad);
        return;
    }
    multiply(Gemm, pool,
             // The transposed weights are the same memory with its steps exchanged.
             {.left = {dstGrad.data, dstGrad.stride, 1},
              .right = {weights.data, weights.stride, 1},
              .dst = srcGrad.data,
              .dstStride = srcGrad.stride,
              .rows = srcGrad.rows,
              .cols = srcGrad.cols,
              .depth = dstGrad.cols},
             Activation::Linear);
}

template <const GemmKernels& Gemm, const VectorKernels& Vector>
void weightsGradient(MatmulPlan*, ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad,
                     MatrixView weightsGrad)
{
    if (isVector(weightsGrad)) {
        vectorWeightsGradient(Vector, pool, src, dstGrad, weightsGrad);
        return;
    }
    multiply(Gemm, pool,
             // The transposed source likewise: its rows are the depth.
             {.left = {src.data, 1, src.stride},
              .right = {dstGrad.data, 1, dstGrad.stride},
              .dst = weightsGrad.data,
              .dstStride = weightsGrad.stride,
              .rows = weightsGrad.rows,
              .cols = weightsGrad.cols,
              .depth = src.rows},
             Activation::Linear);
}

} // namespace

void activate(Activation activation, MatrixView dst)
{
    withFormula(activation, [&](auto formula) {
        for (std::int64_t r = 0; r < dst.rows; ++r) {
            float* row = dst.at(r);
            for (std::int64_t c = 0; c < dst.cols; ++c) {
                row[c] = formula.value(row[c]);
            }
        }
    });
}

#if CANNERY_X86_64_V3
const MatmulKernels kMatmul = {forward<kGemmAvx2, kVectorAvx2>, srcGradient<kGemmAvx2>,
                               weightsGradient<kGemmAvx2, kVectorAvx2>};
const MatmulKernels kMatmulAvx512 = {forward<kGemmAvx512, kVectorAvx2>, srcGradient<kGemmAvx512>,
                                     weightsGradient<kGemmAvx512, kVectorAvx2>};
#endif
const MatmulKernels kMatmulEigen = {forward<kGemmEigen, kVectorEigen>, srcGradient<kGemmEigen>,
                                    weightsGradient<kGemmEigen, kVectorEigen>};

} // namespace cannery::kernels::cpu
