// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/gemm_kernels.h"

#include <cstdint>
#include <span>

/// The matrix product of the dense layer, after the scheme of Goto and van de Geijn (Anatomy of
/// high-performance matrix multiplication, 2008): a panel of columns of the right-hand factor is
/// packed to fit into the L1 cache, all rows of the left-hand one into the L2 cache; registers hold
/// a panel of rows by two vectors of sums.
namespace cannery::kernels::cpu {

/// A factor, element (i, k) at data[i * outerStep + k * depthStep]; i counts rows of the left-hand
/// factor, columns of the right-hand one. One of the steps is 1.
struct GemmFactor
{
    const float* data = nullptr;
    std::int64_t outerStep = 0;
    std::int64_t depthStep = 0;

    GemmFactor from(std::int64_t outer) const
    {
        return {data + outer * outerStep, outerStep, depthStep};
    }
};

/// dst[rows x cols] = (accumulate ? dst : 0) + left * right (+ bias) (then max(0, .)).
struct GemmTile
{
    GemmFactor left;
    GemmFactor right;
    float* dst = nullptr;
    std::int64_t dstStride = 0;
    std::int64_t rows = 0; ///< at most kMaxTileRows
    std::int64_t cols = 0;
    std::int64_t depth = 0;
    const float* bias = nullptr; ///< starts at the tile's first column
    bool accumulate = false;
    bool relu = false;
};

inline constexpr std::int64_t kMaxTileRows = 336;
/// An element is summed in order through chunks of this many products, each starting at 0.
inline constexpr std::int64_t kDepthChunk = 256;

inline constexpr std::int64_t kMaxLanes = 16;
/// A packed panel of columns and all packed panels of rows.
inline constexpr std::int64_t kGemmScratch =
    2 * kMaxLanes * kDepthChunk + kMaxTileRows * kDepthChunk + GemmPanels::kMax * kMaxLanes;

/// `scratch` holds at least kGemmScratch floats.
void multiplyTile(const GemmKernels& kernels, const GemmTile& tile, std::span<float> scratch);

} // namespace cannery::kernels::cpu
