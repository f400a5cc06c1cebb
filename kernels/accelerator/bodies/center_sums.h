// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/segment_sums.h"
#include "kernels/math/center_formulas.h"

#include <type_traits>

/// The rows of each center added up, and what becomes of the centers: rows are sorted by their
/// centers, so that those of one are a segment, in the order of the batch.
namespace cannery::kernels::bodies {

/// Working memory of SumByCenter.
struct CenterScratch
{
    std::int64_t count = 0; ///< rows
    std::int32_t* entries = nullptr;
    std::int32_t* sortedKeys = nullptr;
    std::int32_t* sortedEntries = nullptr;
    std::int32_t* starts = nullptr; ///< of each center and the last one's end, in sorted entries
    std::byte* sort = nullptr;
    std::int64_t sortBytes = 0;

    static CenterScratch of(const SumByCenter& sum)
    {
        CenterScratch scratch{.count = sum.points.rows};
        std::byte* next = sum.scratch;
        const auto take = [&next](std::int32_t*& target, std::int64_t count) {
            target = reinterpret_cast<std::int32_t*>(next);
            next += blocksOf(count * std::int64_t{sizeof(std::int32_t)}, kAlignment) * kAlignment;
        };
        take(scratch.entries, scratch.count);
        take(scratch.sortedKeys, scratch.count);
        take(scratch.sortedEntries, scratch.count);
        take(scratch.starts, sum.centers + 1);
        scratch.sort = next;
        scratch.sortBytes = centerScratchBytes(sum.points.rows, sum.centers) - (next - sum.scratch);
        return scratch;
    }

    static constexpr std::int64_t kAlignment = 256;
};

/// For each row.
struct NumberRowsBody
{
    CenterScratch scratch;

    CANNERY_HOST_DEVICE void operator()(std::int64_t row) const
    {
        scratch.entries[row] = static_cast<std::int32_t>(row);
    }
};

/// For each center and the end: how many sorted entries have a center before it.
struct FindStartsBody
{
    CenterScratch scratch;

    CANNERY_HOST_DEVICE void operator()(std::int64_t center) const
    {
        std::int64_t first = 0;
        std::int64_t last = scratch.count;
        while (first < last) {
            const std::int64_t middle = (first + last) / 2;
            if (scratch.sortedKeys[middle] < center) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        scratch.starts[center] = static_cast<std::int32_t>(first);
    }
};

/// See TableSegments.
struct CenterSegments
{
    using Sum = double;

    CenterScratch scratch;
    SumByCenter sum;
    std::int64_t mostEntries = 0; ///< of a segment that is not long, see SegmentWindows

    CANNERY_HOST_DEVICE std::int64_t cols() const { return sum.points.cols; }
    CANNERY_HOST_DEVICE std::int64_t size() const { return sum.centers; }
    CANNERY_HOST_DEVICE Part part(std::int64_t center) const
    {
        return {scratch.starts[center], scratch.starts[center + 1]};
    }
    CANNERY_HOST_DEVICE std::int64_t segmentOf(std::int64_t at) const
    {
        return scratch.sortedKeys[at];
    }
    CANNERY_HOST_DEVICE double term(std::int64_t at, std::int64_t col) const
    {
        return element(sum.points, {scratch.sortedEntries[at], col});
    }
    CANNERY_HOST_DEVICE void store(std::int64_t center, std::int64_t col, double total) const
    {
        sum.sums[center * cols() + col] = total;
    }
};

/// For each center.
struct CountRowsBody
{
    CenterSegments segments;

    CANNERY_HOST_DEVICE void operator()(std::int64_t center) const
    {
        const Part part = segments.part(center);
        segments.sum.rowsOf[center] = part.end - part.begin;
    }
};

/// For each element of the centers.
struct MoveCentersBody
{
    MoveCenters move;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, move.centers.cols);
        const std::int64_t rows = move.rowsOf[place.row];
        float& center = element(move.centers, place);
        if (move.counts == nullptr) {
            center = meanOfRows(move.sums[index], rows);
        } else if (rows > 0) {
            center = movedTowardsRows(center, move.sums[index], rows, move.counts[place.row]);
        }
    }
};

/// For each center, after that.
struct AddToCountsBody
{
    MoveCenters move;

    CANNERY_HOST_DEVICE void operator()(std::int64_t center) const
    {
        move.counts[center] += move.rowsOf[center];
    }
};

/// For each center.
struct BeginIterationBody
{
    BeginIteration iteration;

    CANNERY_HOST_DEVICE void operator()(std::int64_t center) const
    {
        if (*stepValue<std::int64_t>(iteration.begins) == 0) {
            return;
        }
        const std::int64_t cols = iteration.updated.cols;
        const float* const updated = &element(iteration.updated, {center, 0});
        const float scale = iteration.ofUnitLength ? scaleToUnitLength(updated, cols) : 1.0F;
        for (std::int64_t c = 0; c < cols; ++c) {
            element(iteration.centers, {center, c}) = updated[c] * scale;
        }
        iteration.counts[center] = 0;
    }
};

template <typename Launcher>
void run(Launcher& launcher, const SumByCenter& sum)
{
    const CenterSegments segments{CenterScratch::of(sum), sum};
    const CenterScratch& scratch = segments.scratch;
    launcher.forEach(scratch.count, NumberRowsBody{scratch});
    launcher.sort(SortPairs{sum.index, scratch.sortedKeys, scratch.entries, scratch.sortedEntries,
                            scratch.count, sum.centers, scratch.sort, scratch.sortBytes});
    launcher.forEach(sum.centers + 1, FindStartsBody{scratch});
    launcher.forEach(sum.centers, CountRowsBody{segments});
    sumSegments(launcher, segments, sum.centers);
}

template <typename Launcher>
void run(Launcher& launcher, const MoveCenters& move)
{
    launcher.forEach(move.centers.rows * move.centers.cols, MoveCentersBody{move});
    if (move.counts != nullptr) {
        launcher.forEach(move.centers.rows, AddToCountsBody{move});
    }
}

template <typename Launcher>
void run(Launcher& launcher, const BeginIteration& iteration)
{
    launcher.forEach(iteration.centers.rows, BeginIterationBody{iteration});
}

} // namespace cannery::kernels::bodies
