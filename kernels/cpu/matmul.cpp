#include "kernels/ops/matmul.h"

#include "kernels/cpu/gemm_tile.h"

#include <algorithm>

namespace cannery::kernels::cpu {

namespace {

/// Products of a tile that is worth handing to another thread: some 20 microseconds.
constexpr std::int64_t kSmallestTile = 1024 * 1024;
/// Narrower tiles spend their time packing.
constexpr std::int64_t kSmallestRows = 48;
constexpr std::int64_t kSmallestCols = 128;
constexpr std::int64_t kMaxTileCols = 512;

static_assert(ThreadPool::kScratchFloats >= kGemmScratch);

/// How dst is cut into tiles: a function of the shapes alone.
struct Tiling
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

std::int64_t roundUp(std::int64_t value, std::int64_t step)
{
    return (value + step - 1) / step * step;
}

Tiling tilingOf(std::int64_t rows, std::int64_t cols, std::int64_t depth)
{
    Tiling tiling{std::min(rows, kMaxTileRows), std::min(cols, kMaxTileCols)};
    const auto tiles = [&] {
        return ((rows + tiling.rows - 1) / tiling.rows) * ((cols + tiling.cols - 1) / tiling.cols);
    };
    while (tiling.rows * tiling.cols * depth >= 2 * kSmallestTile && tiles() < 16) {
        if (tiling.cols > tiling.rows && tiling.cols >= 2 * kSmallestCols) {
            tiling.cols = roundUp(tiling.cols / 2, 16);
        } else if (tiling.rows >= 2 * kSmallestRows) {
            tiling.rows = roundUp(tiling.rows / 2, 6);
        } else {
            break;
        }
    }
    return tiling;
}

void activate(Activation activation, const GemmTile& tile)
{
    withFormula(activation, [&](auto formula) {
        for (std::int64_t r = 0; r < tile.rows; ++r) {
            float* row = tile.dst + r * tile.dstStride;
            for (std::int64_t c = 0; c < tile.cols; ++c) {
                row[c] = formula.value(row[c]);
            }
        }
    });
}

/// `whole` describes the product as one tile.
void multiply(ThreadPool& pool, const GemmTile& whole, Activation activation)
{
    if (whole.rows == 0 || whole.cols == 0) {
        return;
    }
    const Tiling tiling = tilingOf(whole.rows, whole.cols, whole.depth);
    const std::int64_t rowTiles = (whole.rows + tiling.rows - 1) / tiling.rows;
    const std::int64_t colTiles = (whole.cols + tiling.cols - 1) / tiling.cols;
    const auto runTile = [&](std::int64_t block, int worker) {
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
        multiplyTile(tile, pool.scratch(worker));
        if (activation != Activation::Linear && activation != Activation::Relu) {
            activate(activation, tile);
        }
    };
    pool.parallelFor(rowTiles * colTiles, runTile);
}

void forward(ThreadPool& pool, ConstMatrixView src, ConstMatrixView weights,
             const MatmulEpilogue& epilogue, MatrixView dst)
{
    multiply(pool,
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

void srcGradient(ThreadPool& pool, ConstMatrixView dstGrad, ConstMatrixView weights,
                 MatrixView srcGrad)
{
    multiply(pool,
             {.left = {dstGrad.data, dstGrad.stride, 1},
              .right = {weights.data, weights.stride, 1},
              .dst = srcGrad.data,
              .dstStride = srcGrad.stride,
              .rows = srcGrad.rows,
              .cols = srcGrad.cols,
              .depth = dstGrad.cols},
             Activation::Linear);
}

void weightsGradient(ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad,
                     MatrixView weightsGrad)
{
    multiply(pool,
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

const MatmulKernels kMatmul = {forward, srcGradient, weightsGradient};

} // namespace cannery::kernels::cpu
