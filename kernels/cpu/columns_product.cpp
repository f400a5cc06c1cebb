// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/columns_product.h"

#include "kernels/cpu/columns_kernels.h"
#include "kernels/device/instructions.h"
#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <array>

namespace cannery::kernels::cpu {

namespace {

/// Parts that are summed before dst is written; more of them take several passes.
constexpr std::size_t kMostParts = 32;

ColumnsTilePart tilePart(const ColumnsPart& part, std::int64_t firstRow)
{
    ColumnsTilePart tile;
    tile.weights = part.weights.data;
    tile.weightStep = part.weights.stride;
    tile.weightRows = part.weights.rows;
    if (part.values.data != nullptr) {
        tile.values = part.values.at(firstRow);
        tile.valueStep = part.values.stride;
        return tile;
    }
    tile.rowOffsets = part.ids.rowOffsets.data() + firstRow;
    tile.ids = part.ids.ids.data();
    tile.idWeights = part.ids.weights.empty() ? nullptr : part.ids.weights.data();
    tile.idEnd = part.ids.rowOffsets.back();
    return tile;
}

/// Cost of a row, in the elements by which blocks are measured: four products or additions each.
std::int64_t costOf(std::span<const ColumnsPart> parts, std::int64_t cols)
{
    std::int64_t depth = 0;
    for (const ColumnsPart& part : parts) {
        depth += part.values.data != nullptr ? part.values.cols : 1;
    }
    return depth * cols / 4;
}

template <void (*Multiply)(const ColumnsTile&)>
void forward(ThreadPool& pool, std::span<const ColumnsPart> parts, std::span<const float> bias,
             bool relu, MatrixView dst)
{
    forEachRowBlock(pool, dst.rows, costOf(parts, dst.cols), [&](BlockRange rows, int) {
        // On the stack: a step allocates nothing.
        std::array<ColumnsTilePart, kMostParts> tileParts;
        ColumnsTile tile{.parts = tileParts.data(),
                         .dst = dst.at(rows.first),
                         .dstStep = dst.stride,
                         .rows = rows.count,
                         .cols = dst.cols};
        std::size_t done = 0;
        // At least once, as without any part the bias still has to be written.
        do {
            const std::size_t count = std::min(parts.size() - done, kMostParts);
            for (std::size_t i = 0; i < count; ++i) {
                tileParts[i] = tilePart(parts[done + i], rows.first);
            }
            tile.partCount = static_cast<std::int64_t>(count);
            tile.addToDst = done > 0;
            done += count;
            const bool isLast = done == parts.size();
            tile.bias = isLast && !bias.empty() ? bias.data() : nullptr;
            tile.relu = isLast && relu;
            Multiply(tile);
        } while (done < parts.size());
    });
}

} // namespace

#if CANNERY_X86_64_V3
const ColumnsProductKernels kColumnsProduct = {forward<multiplyColumnsAvx2>};
const ColumnsProductKernels kColumnsProductAvx512 = {forward<multiplyColumnsAvx512>};
#endif
const ColumnsProductKernels kColumnsProductEigen = {forward<multiplyColumnsEigen>};

} // namespace cannery::kernels::cpu
