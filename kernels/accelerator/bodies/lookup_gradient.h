// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/block_scan.h"
#include "kernels/accelerator/bodies/segment_sums.h"
#include "kernels/accelerator/bodies/values.h"

/// The gradient of a table: entries of the batch are sorted by their rows of the table, and equal
/// ones, a segment, are added up in the order of the batch.
namespace cannery::kernels::bodies {

/// Every entry, before those that count are marked.
struct ForgetEntriesBody
{
    LookupScratch scratch;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        scratch.keys[index] = kNoRow;
        scratch.entries[index] = static_cast<std::int32_t>(index);
        scratch.batchRows[index] = -1;
    }
};

/// For each row of the batch: its entries that count. `withRowZero`: if a row has no such
/// entry, the last entry is one of row 0, which adds 0.
struct MarkEntriesBody
{
    Entries entries;
    LookupScratch scratch;
    bool withRowZero = false;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Part row = entries.row(index);
        const float divisor = entries.divisor(row);
        const std::int64_t first = entries.ids.rowOffsets[0];
        bool isEmpty = true;
        for (std::int64_t e = row.begin; e < row.end; ++e) {
            if (entries.counts(e)) {
                scratch.keys[e - first] = entries.ids.ids[e];
                scratch.batchRows[e - first] = static_cast<std::int32_t>(index);
                scratch.factors[e - first] = entries.factor(e, divisor);
                isEmpty = false;
            }
        }
        if (isEmpty && withRowZero && entries.isInUse(index)) {
            // Whichever threads write it write the same.
            scratch.keys[scratch.count - 1] = 0;
        }
    }
};

/// Where segments begin. A block has kItems successive sorted entries of each thread.
struct HeadsOfBlock
{
    static constexpr int kThreads = 256;
    static constexpr int kItems = 8;
    static constexpr std::int64_t kPerBlock = std::int64_t{kThreads} * kItems;
    using Scan = BlockScan<kThreads>;

    LookupScratch scratch;

    std::int64_t blocks() const { return blocksOf(scratch.count, kPerBlock); }
    CANNERY_HOST_DEVICE Part part(int thread, std::int64_t block) const
    {
        const std::int64_t begin = block * kPerBlock + std::int64_t{thread} * kItems;
        const std::int64_t end = begin + kItems < scratch.count ? begin + kItems : scratch.count;
        return {begin, end};
    }
    CANNERY_HOST_DEVICE bool isHead(std::int64_t at) const
    {
        const std::int32_t key = scratch.sortedKeys[at];
        return key != kNoRow && (at == 0 || key != scratch.sortedKeys[at - 1]);
    }
    CANNERY_HOST_DEVICE std::int64_t count(Part some) const
    {
        std::int64_t count = 0;
        for (std::int64_t at = some.begin; at < some.end; ++at) {
            count += isHead(at) ? 1 : 0;
        }
        return count;
    }
    CANNERY_HOST_DEVICE std::int64_t* totals() const { return scratch.blockHeads; }
};

/// Numbers the segments.
struct NumberSegmentsBody
{
    static constexpr int kThreads = HeadsOfBlock::kThreads;
    using Scan = HeadsOfBlock::Scan;
    using Shared = Scan::Shared;

    HeadsOfBlock heads;
    const std::int64_t* count = nullptr;
    std::int32_t* rows = nullptr; ///< of each segment

    CANNERY_HOST_DEVICE int phases() const { return Scan::phases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        const LookupScratch& scratch = heads.scratch;
        const Part part = heads.part(thread, block);
        if (phase == 0) {
            Scan::begin(thread, heads.count(part), shared);
            return;
        }
        if (phase <= Scan::phases()) {
            return Scan::step(phase - 1, thread, shared);
        }
        std::int64_t next = scratch.blockHeads[block] + Scan::before(thread, shared);
        for (std::int64_t at = part.begin; at < part.end; ++at) {
            const std::int32_t key = scratch.sortedKeys[at];
            if (heads.isHead(at)) {
                rows[next] = key;
                scratch.starts[next] = static_cast<std::int32_t>(at);
                ++next;
            }
            scratch.segments[at] = static_cast<std::int32_t>(next - 1);
            const bool isLast = at + 1 == scratch.count || scratch.sortedKeys[at + 1] == kNoRow;
            if (key != kNoRow && isLast) {
                scratch.starts[*count] = static_cast<std::int32_t>(at + 1);
            }
        }
    }
};

/// Sorts the entries and finds the segments: their number goes to `count`, their rows to `rows`.
template <typename Launcher>
void findSegments(Launcher& launcher, const Entries& entries, const LookupScratch& scratch,
                  bool withRowZero, std::int64_t* count, std::int32_t* rows)
{
    launcher.forEach(scratch.count, ForgetEntriesBody{scratch});
    launcher.forEach(entries.ids.rows, MarkEntriesBody{entries, scratch, withRowZero});
    launcher.sort(SortPairs{scratch.keys, scratch.sortedKeys, scratch.entries,
                            scratch.sortedEntries, scratch.count, entries.tableRows, scratch.sort,
                            scratch.sortBytes});
    const HeadsOfBlock heads{scratch};
    launcher.forEachBlock(heads.blocks(), CountOfBlocksBody<HeadsOfBlock>{heads});
    launcher.forEachBlock(1, ScanCountsBody{scratch.blockHeads, heads.blocks(), count});
    launcher.forEachBlock(heads.blocks(), NumberSegmentsBody{heads, count, rows});
}

/// What sumSegments() gives of a table whose rows are clipped is the gradient of the clipped ones.
template <typename Launcher, typename Lookup>
void sumTableSegments(Launcher& launcher, const Lookup& lookup, const TableSegments& segments,
                      std::int64_t most)
{
    sumSegments(launcher, segments, most);
    if (lookup.options.maxNorm) {
        launcher.forEach(most,
                         DifferentiateClipBody{segments, lookup.table, *lookup.options.maxNorm});
    }
}

template <typename Launcher>
void run(Launcher& launcher, const LookupGradient& lookup)
{
    const LookupScratch scratch = LookupScratch::in(lookup.scratch, lookup.ids.capacity);
    const DeviceSparse& gradient = lookup.gradient;
    findSegments(launcher, Entries::of(lookup.ids, lookup.table.rows, lookup.options), scratch,
                 lookup.withRowZero && lookup.table.rows > 0, gradient.count, gradient.rows);
    sumTableSegments(launcher, lookup,
                     {scratch, gradient.count, gradient.rows, lookup.dstGrad, gradient.values, {}},
                     gradient.capacity);
}

template <typename Launcher>
void run(Launcher& launcher, const LookupDenseGradient& lookup)
{
    const LookupScratch scratch = LookupScratch::in(lookup.scratch, lookup.ids.capacity);
    run(launcher, FillValues{lookup.tableGrad, 0.0F});
    findSegments(launcher, Entries::of(lookup.ids, lookup.table.rows, lookup.options), scratch,
                 false, scratch.segmentCount, scratch.rows);
    sumTableSegments(
        launcher, lookup,
        {scratch, scratch.segmentCount, scratch.rows, lookup.dstGrad, nullptr, lookup.tableGrad},
        lookup.ids.capacity);
}

} // namespace cannery::kernels::bodies
