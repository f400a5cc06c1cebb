// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/block_scan.h"
#include "kernels/accelerator/bodies/lookup.h"
#include "kernels/accelerator/bodies/values.h"

#include <limits>

/// The gradient of a table: entries of the batch are sorted by their rows of the table, and equal
/// ones, a segment, are added up in the order of the batch.
namespace cannery::kernels::bodies {

/// Sorts after all rows: an entry that does not count.
inline constexpr std::int32_t kNoRow = std::numeric_limits<std::int32_t>::max();

/// The keys ascending, entries with equal ones in their order. Keys are rows of the table, or
/// kNoRow.
struct SortPairs
{
    const std::int32_t* keys = nullptr;
    std::int32_t* sortedKeys = nullptr;
    const std::int32_t* entries = nullptr;
    std::int32_t* sortedEntries = nullptr;
    std::int64_t count = 0;
    std::int64_t tableRows = 0;
    std::byte* scratch = nullptr;
    std::int64_t scratchBytes = 0;
};

/// Memory of a lookup's gradient, in the operation's scratch memory.
struct LookupScratch
{
    std::int64_t count = 0; ///< entries, and one for row 0
    std::int32_t* keys = nullptr;
    std::int32_t* sortedKeys = nullptr;
    std::int32_t* entries = nullptr;
    std::int32_t* sortedEntries = nullptr;
    std::int32_t* batchRows = nullptr; ///< of each entry, -1: none
    float* factors = nullptr;          ///< of each entry
    std::int32_t* segments = nullptr;  ///< of each sorted entry
    std::int32_t* starts = nullptr;    ///< of each segment and its end, in sorted entries
    std::int32_t* rows = nullptr;      ///< of each segment, if the gradient has none
    std::int64_t* blockHeads = nullptr;
    std::int64_t* segmentCount = nullptr;
    std::byte* sort = nullptr;
    std::int64_t sortBytes = 0;

    /// For ids with this capacity; memory has lookupScratchBytes() of it.
    static LookupScratch in(std::byte* memory, std::int64_t capacity)
    {
        LookupScratch scratch;
        scratch.count = capacity + 1;
        const std::int64_t array = blocksOf((capacity + 2) * 4, kAlignment) * kAlignment;
        std::byte* next = memory;
        const auto take = [&next](auto*& target, std::int64_t bytes) {
            target = reinterpret_cast<std::remove_reference_t<decltype(target)>>(next);
            next += bytes;
        };
        for (std::int32_t** part :
             {&scratch.keys, &scratch.sortedKeys, &scratch.entries, &scratch.sortedEntries,
              &scratch.batchRows, &scratch.segments, &scratch.starts, &scratch.rows}) {
            take(*part, array);
        }
        take(scratch.factors, array);
        take(scratch.blockHeads, 2 * array);
        take(scratch.segmentCount, kAlignment);
        scratch.sort = next;
        scratch.sortBytes = lookupScratchBytes(capacity) - (next - memory);
        return scratch;
    }

    static constexpr std::int64_t kAlignment = 256;
};

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

/// For each row of the batch: its entries that count. `withRowZero`: the last entry is one of row 0
/// when a row has none, and adds nothing.
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
        if (isEmpty && withRowZero) {
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
    CANNERY_HOST_DEVICE std::int64_t heads(Part some) const
    {
        std::int64_t count = 0;
        for (std::int64_t at = some.begin; at < some.end; ++at) {
            count += isHead(at) ? 1 : 0;
        }
        return count;
    }
};

/// How many segments begin in each block of entries.
struct CountHeadsBody
{
    static constexpr int kThreads = HeadsOfBlock::kThreads;
    using Scan = HeadsOfBlock::Scan;
    using Shared = Scan::Shared;

    HeadsOfBlock heads;

    CANNERY_HOST_DEVICE int phases() const { return Scan::phases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        if (phase == 0) {
            Scan::begin(thread, heads.heads(heads.part(thread, block)), shared);
        } else if (phase <= Scan::phases()) {
            Scan::step(phase - 1, thread, shared);
        } else if (thread == 0) {
            heads.scratch.blockHeads[block] = Scan::total(shared);
        }
    }
};

/// One block: how many begin before each block of entries, and in all.
struct SumHeadsBody
{
    static constexpr int kThreads = 1024;
    using Scan = BlockScan<kThreads>;
    using Shared = Scan::Shared;

    std::int64_t* blockHeads = nullptr;
    std::int64_t blocks = 0;
    std::int64_t* count = nullptr;

    CANNERY_HOST_DEVICE int phases() const { return Scan::phases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t, Shared& shared) const
    {
        const Part part = partOf(blocks, thread, kThreads);
        if (phase == 0) {
            std::int64_t sum = 0;
            for (std::int64_t b = part.begin; b < part.end; ++b) {
                sum += blockHeads[b];
            }
            Scan::begin(thread, sum, shared);
        } else if (phase <= Scan::phases()) {
            Scan::step(phase - 1, thread, shared);
        } else {
            std::int64_t before = Scan::before(thread, shared);
            for (std::int64_t b = part.begin; b < part.end; ++b) {
                const std::int64_t own = blockHeads[b];
                blockHeads[b] = before;
                before += own;
            }
            if (thread == 0) {
                *count = Scan::total(shared);
            }
        }
    }
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
            Scan::begin(thread, heads.heads(part), shared);
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

/// Where the sums of segments go: to the values of a sparse gradient, or to rows of a dense one.
struct Segments
{
    LookupScratch scratch;
    const std::int64_t* count = nullptr;
    const std::int32_t* rows = nullptr;
    ConstMatrixView dstGrad;
    float* values = nullptr; ///< [count, cols]; null: dense
    MatrixView dense;

    CANNERY_HOST_DEVICE std::int64_t cols() const { return dstGrad.cols; }
    CANNERY_HOST_DEVICE Part part(std::int64_t segment) const
    {
        return {scratch.starts[segment], scratch.starts[segment + 1]};
    }
    CANNERY_HOST_DEVICE float* target(std::int64_t segment) const
    {
        return values != nullptr ? values + segment * cols()
                                 : dense.data + rows[segment] * dense.stride;
    }
    /// What a sorted entry adds.
    CANNERY_HOST_DEVICE float term(std::int64_t at, std::int64_t col) const
    {
        const std::int32_t entry = scratch.sortedEntries[at];
        const std::int32_t row = scratch.batchRows[entry];
        return row < 0 ? 0.0F : scratch.factors[entry] * element(dstGrad, {row, col});
    }
};

/// A segment with more entries is summed by a block of threads.
inline constexpr std::int64_t kLongSegment = 128;

/// For each element of the segments.
struct SumSegmentsBody
{
    Segments segments;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, segments.cols());
        if (place.row >= *segments.count) {
            return;
        }
        const Part part = segments.part(place.row);
        if (part.end - part.begin > kLongSegment) {
            return;
        }
        float sum = 0;
        for (std::int64_t at = part.begin; at < part.end; ++at) {
            sum += segments.term(at, place.col);
        }
        segments.target(place.row)[place.col] = sum;
    }
};

/// Long segments: block b has the one with the sorted entry b * kLongSegment, if no block before it
/// has that too. Its threads share the entries, a few columns at a time.
struct SumLongSegmentsBody
{
    static constexpr int kThreads = 256;
    static constexpr int kMostCols = 32;
    struct Shared
    {
        double sums[kThreads];
    };

    Segments segments;
    int width = 1; ///< columns at a time, a power of two

    static SumLongSegmentsBody of(const Segments& segments)
    {
        SumLongSegmentsBody body{.segments = segments};
        while (body.width < kMostCols && body.width < segments.cols()) {
            body.width *= 2;
        }
        return body;
    }

    /// Of a few columns: sums, halvings, the end.
    CANNERY_HOST_DEVICE int phasesOfCols() const { return halvings(kThreads / width) + 2; }
    CANNERY_HOST_DEVICE int phases() const
    {
        return phasesOfCols() * static_cast<int>((segments.cols() + width - 1) / width);
    }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        const std::int64_t at = block * kLongSegment;
        if (segments.scratch.sortedKeys[at] == kNoRow) {
            return;
        }
        const std::int64_t segment = segments.scratch.segments[at];
        const Part part = segments.part(segment);
        const bool isFirst = part.begin > at - kLongSegment;
        if (part.end - part.begin <= kLongSegment || !isFirst) {
            return;
        }
        const std::int64_t col = std::int64_t{phase / phasesOfCols()} * width + thread % width;
        const int step = phase % phasesOfCols();
        if (step == 0) {
            shared.sums[thread] = col < segments.cols() ? sum(part, thread, col) : 0.0;
        } else if (step < phasesOfCols() - 1) {
            const int half = kThreads >> step;
            if (thread < half) {
                shared.sums[thread] += shared.sums[thread + half];
            }
        } else if (thread < width && col < segments.cols()) {
            segments.target(segment)[col] = static_cast<float>(shared.sums[thread]);
        }
    }

private:
    CANNERY_HOST_DEVICE double sum(Part part, int thread, std::int64_t col) const
    {
        double sum = 0;
        for (std::int64_t i = part.begin + thread / width; i < part.end; i += kThreads / width) {
            sum += segments.term(i, col);
        }
        return sum;
    }
};

/// For each segment: y = x limit / |x|, so dx = limit / |x| (dy - x (x . dy) / |x|^2); shorter rows
/// pass unchanged.
struct DifferentiateClipBody
{
    Segments segments;
    ConstMatrixView table;
    float limit = 0.0F;

    CANNERY_HOST_DEVICE void operator()(std::int64_t segment) const
    {
        if (segment >= *segments.count) {
            return;
        }
        const float* const x = table.data + segments.rows[segment] * table.stride;
        float* const grad = segments.target(segment);
        const float squares = squaredNorm(x, segments.cols());
        const float norm = std::sqrt(squares);
        if (!(norm > limit)) {
            return;
        }
        float product = 0;
        for (std::int64_t c = 0; c < segments.cols(); ++c) {
            product += x[c] * grad[c];
        }
        for (std::int64_t c = 0; c < segments.cols(); ++c) {
            grad[c] = limit / norm * (grad[c] - x[c] * product / squares);
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
    launcher.forEachBlock(heads.blocks(), CountHeadsBody{heads});
    launcher.forEachBlock(1, SumHeadsBody{scratch.blockHeads, heads.blocks(), count});
    launcher.forEachBlock(heads.blocks(), NumberSegmentsBody{heads, count, rows});
}

/// `most`: segments that there may be.
template <typename Launcher>
void sumSegments(Launcher& launcher, const Segments& segments, std::int64_t most,
                 ConstMatrixView table, const SparseCombineOptions& options)
{
    launcher.forEach(most * segments.cols(), SumSegmentsBody{segments});
    launcher.forEachBlock(blocksOf(segments.scratch.count, kLongSegment),
                          SumLongSegmentsBody::of(segments));
    if (options.maxNorm) {
        launcher.forEach(most, DifferentiateClipBody{segments, table, *options.maxNorm});
    }
}

template <typename Launcher>
void run(Launcher& launcher, const LookupGradient& lookup)
{
    const LookupScratch scratch = LookupScratch::in(lookup.scratch, lookup.ids.capacity);
    const DeviceSparse& gradient = lookup.gradient;
    findSegments(launcher, Entries::of(lookup.ids, lookup.table.rows, lookup.options), scratch,
                 lookup.withRowZero && lookup.table.rows > 0, gradient.count, gradient.rows);
    sumSegments(
        launcher,
        Segments{scratch, gradient.count, gradient.rows, lookup.dstGrad, gradient.values, {}},
        gradient.capacity, lookup.table, lookup.options);
}

template <typename Launcher>
void run(Launcher& launcher, const LookupDenseGradient& lookup)
{
    const LookupScratch scratch = LookupScratch::in(lookup.scratch, lookup.ids.capacity);
    run(launcher, FillValues{lookup.tableGrad, 0.0F});
    findSegments(launcher, Entries::of(lookup.ids, lookup.table.rows, lookup.options), scratch,
                 false, scratch.segmentCount, scratch.rows);
    sumSegments(launcher,
                Segments{scratch, scratch.segmentCount, scratch.rows, lookup.dstGrad, nullptr,
                         lookup.tableGrad},
                lookup.ids.capacity, lookup.table, lookup.options);
}

} // namespace cannery::kernels::bodies
