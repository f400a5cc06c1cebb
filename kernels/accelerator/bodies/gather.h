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

/// Lengths of a batch's rows. A block has some successive rows of each thread.
struct RowLengths
{
    static constexpr int kThreads = 256;
    static constexpr std::int64_t kLeastRowsOfThread = 4;
    using Scan = BlockScan<kThreads>;

    GatherIds gather;
    std::int64_t rowsOfThread = 0;
    std::int64_t* entries = nullptr; ///< of each block, then of those before it

    /// `memory`: kMostPartialSums numbers.
    static RowLengths of(const GatherIds& gather, double* memory)
    {
        const std::int64_t share = blocksOf(gather.rows, kMostPartialSums * kThreads);
        return {gather, share > kLeastRowsOfThread ? share : kLeastRowsOfThread,
                reinterpret_cast<std::int64_t*>(memory)};
    }
    std::int64_t blocks() const { return blocksOf(gather.rows, kThreads * rowsOfThread); }

    CANNERY_HOST_DEVICE Part part(int thread, std::int64_t block) const
    {
        const std::int64_t begin = (block * kThreads + thread) * rowsOfThread;
        const std::int64_t end = begin + rowsOfThread;
        return {begin < gather.rows ? begin : gather.rows, end < gather.rows ? end : gather.rows};
    }
    CANNERY_HOST_DEVICE std::int64_t lengthOf(std::int64_t row) const
    {
        const std::int64_t source = stepValue<std::int64_t>(gather.index)[row];
        return gather.table.rowOffsets[source + 1] - gather.table.rowOffsets[source];
    }
    /// Of entries.
    CANNERY_HOST_DEVICE std::int64_t count(Part rows) const
    {
        std::int64_t count = 0;
        for (std::int64_t r = rows.begin; r < rows.end; ++r) {
            count += lengthOf(r);
        }
        return count;
    }
    CANNERY_HOST_DEVICE std::int64_t* totals() const { return entries; }
};

/// The offsets of rows, but for the last one.
struct GatherOffsetsBody
{
    static constexpr int kThreads = RowLengths::kThreads;
    using Scan = RowLengths::Scan;
    using Shared = Scan::Shared;

    RowLengths lengths;

    CANNERY_HOST_DEVICE int phases() const { return Scan::phases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        const Part part = lengths.part(thread, block);
        if (phase == 0) {
            return Scan::begin(thread, lengths.count(part), shared);
        }
        if (phase <= Scan::phases()) {
            return Scan::step(phase - 1, thread, shared);
        }
        std::int64_t offset = lengths.entries[block] + Scan::before(thread, shared);
        for (std::int64_t r = part.begin; r < part.end; ++r) {
            lengths.gather.rowOffsets[r] = offset;
            offset += lengths.lengthOf(r);
        }
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
    const RowLengths lengths = RowLengths::of(gather, launcher.partialSums());
    launcher.forEachBlock(lengths.blocks(), CountOfBlocksBody<RowLengths>{lengths});
    launcher.forEachBlock(
        1, ScanCountsBody{lengths.entries, lengths.blocks(), gather.rowOffsets + gather.rows});
    launcher.forEachBlock(lengths.blocks(), GatherOffsetsBody{lengths});
    launcher.forEach(gather.rows > 0 ? gather.capacity : 0, GatherEntriesBody{gather});
}

} // namespace cannery::kernels::bodies
