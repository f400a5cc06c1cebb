// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// One instruction set's functions for the matrix product of gemm_tile.h. This header contains data
/// and declarations only: the implementing files are compiled for different processors, and the
/// linker could merge an inline function that two of them share into either version.
namespace cannery::kernels::cpu {

/// dst[rows x cols] = (addToDst ? dst : 0) + left * right (+ bias) (then max(0, .)), small enough
/// for its sums to stay in registers. Each element is one chain of fused products along the depth,
/// starting at 0, so its bits depend neither on the tile nor on the instruction set.
struct GemmMicroTile
{
    const float* left = nullptr; ///< element (i, k) at i * leftRowStep + k * leftDepthStep
    std::int64_t leftRowStep = 0;
    std::int64_t leftDepthStep = 0; ///< one of the two steps is 1
    const float* right = nullptr;   ///< element (k, j) at k * rightStep + j
    std::int64_t rightStep = 0;
    float* dst = nullptr;
    std::int64_t dstStride = 0;
    std::int64_t rows = 0; ///< 1 .. panelRows
    std::int64_t cols = 0; ///< 1 .. panelCols; of a packed `right` whole vectors are read
    std::int64_t depth = 0;
    const float* bias = nullptr;
    bool addToDst = false;
    bool relu = false;
};

/// A tile's rows in panels of nearly equal height (for 32 rows, 11, 11 and 10 are faster than 14,
/// 14 and 4). Panel p has the rows first[p] .. first[p + 1]; when packed, it begins at
/// packedFirst[p].
struct GemmPanels
{
    static constexpr std::int64_t kMax = 64;

    std::int64_t count = 0;
    std::int64_t first[kMax + 1];
    std::int64_t packedFirst[kMax];
};

struct GemmKernels
{
    std::int64_t lanes = 0;     ///< floats per vector
    std::int64_t panelRows = 0; ///< of a tile, at most GemmPanels::kMax panels
    std::int64_t panelCols = 0; ///< two vectors
    void (*multiply)(const GemmMicroTile&) = nullptr;
    /// packed[k * panelCols + j] = source[k * step + j] for j < cols; the rest of the last vector
    /// is set to 0.
    void (*packRows)(const float* source, std::int64_t step, std::int64_t cols, std::int64_t depth,
                     float* packed) = nullptr;
    /// packed[k * packedStep + i] = source[i * step + k] for i < count, count <= panelCols. What is
    /// between count and packedStep is unchanged; nothing else is written.
    void (*packTransposed)(const float* source, std::int64_t step, std::int64_t count,
                           std::int64_t depth, float* packed, std::int64_t packedStep) = nullptr;
    /// The rows of one depth are contiguous, panel after panel: packed[packedFirst[p] + k * height
    /// + i] = source[k * step + first[p] + i]. Writes up to a vector beyond each panel.
    void (*packSideBySide)(const float* source, std::int64_t step, const GemmPanels& panels,
                           std::int64_t depth, float* packed) = nullptr;
};

extern const GemmKernels kGemmAvx2; ///< where the engine is built for x86-64-v3, as the next
extern const GemmKernels kGemmAvx512;
extern const GemmKernels kGemmEigen; ///< on any processor

} // namespace cannery::kernels::cpu
