// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/block_scan.h"
#include "kernels/accelerator/bodies/map.h"

/// Rows of a table on the device, put together to a batch.
namespace cannery::kernels::bodies {

/// For each four adjacent elements of a row.
struct GatherRowsBody
{
    GatherRows gather;
    bool isAligned = false;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const std::int64_t cols = gather.dst.cols;
        const Place quad = placeOf(index, (cols + kQuad - 1) / kQuad);
        const std::int64_t first = quad.col * kQuad;
        const std::int64_t row = stepValue<std::int64_t>(gather.index)[quad.row];
        const float* const src = &element(gather.table, {row, first});
        float* const dst = &element(gather.dst, {quad.row, first});
        if (isAligned) {
            return storeQuad(dst, loadQuad(src));
        }
        for (std::int64_t unit = 0; unit < kQuad && first + unit < cols; ++unit) {
            dst[unit] = src[unit];
        }
    }
};

/// The offsets of a batch's rows: one block, each thread has some successive rows.
struct GatherOffsetsBody
{
    static constexpr int kThreads = 1024;
    using Scan = BlockScan<kThreads>;
    using Shared = Scan::Shared;

    GatherIds gather;

    CANNERY_HOST_DEVICE int phases() const { return Scan::phases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t, Shared& shared) const
    {
        const Part part = partOf(gather.rows, thread, kThreads);
        if (phase == 0) {
            std::int64_t count = 0;
            for (std::int64_t r = part.begin; r < part.end; ++r) {
                count += lengthOf(r);
            }
            Scan::begin(thread, count, shared);
        } else if (phase <= Scan::phases()) {
            Scan::step(phase - 1, thread, shared);
        } else {
            std::int64_t offset = Scan::before(thread, shared);
            for (std::int64_t r = part.begin; r < part.end; ++r) {
                gather.rowOffsets[r] = offset;
                offset += lengthOf(r);
            }
            if (thread == kThreads - 1) {
                gather.rowOffsets[gather.rows] = offset;
            }
        }
    }

private:
    CANNERY_HOST_DEVICE std::int64_t lengthOf(std::int64_t row) const
    {
        const std::int64_t source = stepValue<std::int64_t>(gather.index)[row];
        return gather.table.rowOffsets[source + 1] - gather.table.rowOffsets[source];
    }
};

/// Number of the row that has an entry: the last one that begins at or before it.
CANNERY_HOST_DEVICE inline std::int64_t rowOfEntry(const std::int64_t* rowOffsets,
                                                   std::int64_t rows, std::int64_t entry)
{
    std::int64_t first = 0;
    std::int64_t last = rows - 1;
    while (first < last) {
        const std::int64_t middle = (first + last + 1) / 2;
        if (rowOffsets[middle] <= entry) {
            first = middle;
        } else {
            last = middle - 1;
        }
    }
    return first;
}

/// For each entry of the batch.
struct GatherEntriesBody
{
    GatherIds gather;

    CANNERY_HOST_DEVICE void operator()(std::int64_t entry) const
    {
        if (entry >= gather.rowOffsets[gather.rows]) {
            return;
        }
        const std::int64_t row = rowOfEntry(gather.rowOffsets, gather.rows, entry);
        const std::int64_t source = stepValue<std::int64_t>(gather.index)[row];
        const std::int64_t at = gather.table.rowOffsets[source] + (entry - gather.rowOffsets[row]);
        gather.ids[entry] = gather.table.ids[at];
        if (gather.weights != nullptr) {
            gather.weights[entry] = gather.table.weights[at];
        }
    }
};

template <typename Launcher>
void run(Launcher& launcher, const GatherRows& gather)
{
    const ConstMatrixView used = gather.table.columns(0, gather.dst.cols);
    launcher.forEach(gather.dst.rows * blocksOf(gather.dst.cols, kQuad),
                     GatherRowsBody{gather, hasQuads(gather.dst) && hasQuads(used)});
}

template <typename Launcher>
void run(Launcher& launcher, const GatherIds& gather)
{
    launcher.forEachBlock(1, GatherOffsetsBody{gather});
    launcher.forEach(gather.rows > 0 ? gather.capacity : 0, GatherEntriesBody{gather});
}

} // namespace cannery::kernels::bodies
