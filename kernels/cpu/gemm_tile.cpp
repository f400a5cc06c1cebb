// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/gemm_tile.h"

#include "core/base/check.h"

#include <algorithm>
#include <cstring>

namespace cannery::kernels::cpu {

namespace {

GemmPanels panelsOf(const GemmKernels& kernels, std::int64_t rows, std::int64_t depth)
{
    GemmPanels panels;
    panels.count = (rows + kernels.panelRows - 1) / kernels.panelRows;
    CANNERY_CHECK(panels.count <= GemmPanels::kMax);
    // Panels of nearly equal height: a last panel of one row would use few registers.
    const std::int64_t height = rows / panels.count;
    const std::int64_t higher = rows % panels.count;
    std::int64_t first = 0;
    for (std::int64_t panel = 0; panel < panels.count; ++panel) {
        panels.first[panel] = first;
        // Room for one vector more, as a whole one is stored at the end of each panel.
        panels.packedFirst[panel] = first * depth + panel * kMaxLanes;
        first += panel < higher ? height + 1 : height;
    }
    panels.first[panels.count] = first;
    return panels;
}

/// The rows of one depth are contiguous, panel by panel.
void packLeft(const GemmKernels& kernels, const GemmTile& tile, const GemmPanels& panels,
              float* packed)
{
    // Neighbouring rows lie next to each other already, so all panels are packed in one pass.
    if (tile.left.outerStep == 1) {
        kernels.packSideBySide(tile.left.data, tile.left.depthStep, panels, tile.depth, packed);
        return;
    }
    for (std::int64_t panel = 0; panel < panels.count; ++panel) {
        const std::int64_t height = panels.first[panel + 1] - panels.first[panel];
        kernels.packTransposed(tile.left.from(panels.first[panel]).data, tile.left.outerStep,
                               height, tile.depth, packed + panels.packedFirst[panel], height);
    }
}

/// Whether packing the left-hand factor pays off. Read in place, rows that are a multiple of a few
/// hundred bytes apart fall into the same sets of the L1 cache, and each column into its own page.
bool packsLeft(const GemmKernels& kernels, const GemmTile& tile)
{
    // Packing is read and written once, and pays off only if it is used often.
    const bool manyUses = tile.cols > 2 * kernels.panelCols && tile.depth >= 16;
    return manyUses && (tile.left.outerStep == 1 || tile.rows > kernels.panelRows);
}

void packRight(const GemmKernels& kernels, const GemmFactor& right, std::int64_t cols,
               std::int64_t depth, float* packed)
{
    // Columns lie next to each other: a copy.
    if (right.outerStep == 1) {
        kernels.packRows(right.data, right.depthStep, cols, depth, packed);
        return;
    }
    // Lanes beyond the columns are multiplied, and must not be NaN or slow.
    if (cols < kernels.panelCols) {
        std::memset(packed, 0, static_cast<std::size_t>(depth * kernels.panelCols) * sizeof(float));
    }
    kernels.packTransposed(right.data, right.outerStep, cols, depth, packed, kernels.panelCols);
}

/// All rows of one panel of columns. `packedLeft` may be null: the factor is read in place.
void multiplyPanel(const GemmKernels& kernels, const GemmTile& tile, const GemmPanels& panels,
                   const float* packedLeft, GemmMicroTile micro)
{
    for (std::int64_t panel = 0; panel < panels.count; ++panel) {
        const std::int64_t first = panels.first[panel];
        micro.rows = panels.first[panel + 1] - first;
        micro.dst = tile.dst + first * tile.dstStride;
        if (packedLeft != nullptr) {
            micro.left = packedLeft + panels.packedFirst[panel];
            // Packed panels are as high as their rows.
            micro.leftRowStep = 1;
            micro.leftDepthStep = micro.rows;
        } else {
            micro.left = tile.left.from(first).data;
            micro.leftRowStep = tile.left.outerStep;
            micro.leftDepthStep = tile.left.depthStep;
        }
        kernels.multiply(micro);
    }
}

/// One chunk of depths, for all rows and columns of a tile.
void multiplyChunk(const GemmKernels& kernels, const GemmTile& chunk, std::span<float> scratch)
{
    float* packedRight = scratch.data();
    float* packedLeft = packedRight + 2 * kMaxLanes * kDepthChunk;
    const GemmPanels panels = panelsOf(kernels, chunk.rows, chunk.depth);
    const bool packs = packsLeft(kernels, chunk);
    if (packs) {
        packLeft(kernels, chunk, panels, packedLeft);
    }
    for (std::int64_t j = 0; j < chunk.cols; j += kernels.panelCols) {
        const std::int64_t cols = std::min(kernels.panelCols, chunk.cols - j);
        const GemmFactor right = chunk.right.from(j);
        // Few panels read it once or twice: packing would take longer.
        const bool direct = right.outerStep == 1 && panels.count <= 2;
        if (!direct) {
            packRight(kernels, right, cols, chunk.depth, packedRight);
        }
        GemmTile panel = chunk;
        panel.dst = chunk.dst + j;
        multiplyPanel(kernels, panel, panels, packs ? packedLeft : nullptr,
                      {.right = direct ? right.data : packedRight,
                       .rightStep = direct ? right.depthStep : kernels.panelCols,
                       .dstStride = chunk.dstStride,
                       .cols = cols,
                       .depth = chunk.depth,
                       .bias = chunk.bias == nullptr ? nullptr : chunk.bias + j,
                       .addToDst = chunk.accumulate,
                       .relu = chunk.relu});
    }
}

} // namespace

/// Chunks of depth stay in the cache. Bias and activation come with the last one.
void multiplyTile(const GemmKernels& kernels, const GemmTile& tile, std::span<float> scratch)
{
    GemmTile chunk = tile;
    std::int64_t done = 0;
    do {
        chunk.depth = std::min(kDepthChunk, tile.depth - done);
        const bool last = done + chunk.depth == tile.depth;
        chunk.left.data = tile.left.data + done * tile.left.depthStep;
        chunk.right.data = tile.right.data + done * tile.right.depthStep;
        // Later chunks are added to what the first has left.
        chunk.accumulate = tile.accumulate || done > 0;
        chunk.bias = last ? tile.bias : nullptr;
        chunk.relu = last && tile.relu;
        multiplyChunk(kernels, chunk, scratch);
        done += chunk.depth;
    } while (done < tile.depth);
}

} // namespace cannery::kernels::cpu
