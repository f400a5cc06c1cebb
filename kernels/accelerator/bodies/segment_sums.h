// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/lookup_scratch.h"

#include <cmath>

/// Sums of segments: of sorted entries that belong together.
namespace cannery::kernels::bodies {

/// Those of a table's row. Their sums go to the values of a sparse gradient, or to rows of a dense
/// one.
struct TableSegments
{
    using Sum = float; ///< of a segment that is not long

    LookupScratch scratch;
    const std::int64_t* count = nullptr;
    const std::int32_t* rows = nullptr;
    ConstMatrixView dstGrad;
    float* values = nullptr; ///< [count, cols]; dense if null
    MatrixView dense;
    std::int64_t mostEntries = 0; ///< of a segment that is not long, see SegmentWindows

    CANNERY_HOST_DEVICE std::int64_t cols() const { return dstGrad.cols; }
    CANNERY_HOST_DEVICE std::int64_t size() const { return *count; }
    CANNERY_HOST_DEVICE Part part(std::int64_t segment) const
    {
        return {scratch.starts[segment], scratch.starts[segment + 1]};
    }
    /// That has a sorted entry; -1 if there is none.
    CANNERY_HOST_DEVICE std::int64_t segmentOf(std::int64_t at) const
    {
        return scratch.sortedKeys[at] == kNoRow ? -1 : scratch.segments[at];
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
    CANNERY_HOST_DEVICE void store(std::int64_t segment, std::int64_t col, double sum) const
    {
        target(segment)[col] = static_cast<float>(sum);
    }
};

/// Whether the entries of a segment do not fit into a window, see SegmentWindows.
template <typename Segments>
CANNERY_HOST_DEVICE bool isLong(const Segments& segments, Part part)
{
    return part.end - part.begin > segments.mostEntries;
}

/// For each element of the segments that are not long.
template <typename Segments>
struct SumSegmentsBody
{
    Segments segments;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, segments.cols());
        if (place.row >= segments.size()) {
            return;
        }
        const Part part = segments.part(place.row);
        if (isLong(segments, part)) {
            return;
        }
        typename Segments::Sum sum = 0;
        for (std::int64_t at = part.begin; at < part.end; ++at) {
            sum += segments.term(at, place.col);
        }
        segments.store(place.row, place.col, sum);
    }
};

/// What a block of threads does for some columns: each thread adds up its terms, then halves are
/// added to halves, then the first threads have the sums.
struct SegmentSumShared
{
    static constexpr int kThreads = 256;

    double sums[kThreads];

    CANNERY_HOST_DEVICE void halve(int step, int thread)
    {
        const int half = kThreads >> step;
        if (thread < half) {
            sums[thread] += sums[thread + half];
        }
    }
};

/// Long segments are summed in parts, so that a few of them keep the whole device busy: the sorted
/// entries are cut into windows, and a segment is long if it does not fit into one. A window has
/// parts of two of them at most: the one of its first entry and the one of its last.
template <typename Segments>
struct SegmentWindows
{
    static constexpr int kThreads = SegmentSumShared::kThreads;
    static constexpr int kMostWidth = 32;
    static constexpr std::int64_t kLeastEntries = 64;
    static constexpr int kSides = 2;

    Segments segments;         ///< `mostEntries` is the length of a window
    int width = 1;             ///< columns at a time, a power of two
    double* partial = nullptr; ///< [windows, kSides, cols]: where the sort had its memory

    static SegmentWindows of(Segments segments)
    {
        const auto& scratch = segments.scratch;
        const std::int64_t bytes = kSides * segments.cols() * std::int64_t{sizeof(double)};
        segments.mostEntries = kLeastEntries;
        // One window needs no memory: it has no long segment.
        for (std::int64_t windows = blocksOf(scratch.count, segments.mostEntries);
             windows > 1 && windows * bytes > scratch.sortBytes;
             windows = blocksOf(scratch.count, segments.mostEntries)) {
            segments.mostEntries *= 2;
        }
        SegmentWindows windows{.segments = segments,
                               .partial = reinterpret_cast<double*>(scratch.sort)};
        while (windows.width < kMostWidth && windows.width < segments.cols()) {
            windows.width *= 2;
        }
        return windows;
    }
    std::int64_t count() const { return blocksOf(segments.scratch.count, segments.mostEntries); }

    /// Sorted entries of a window.
    CANNERY_HOST_DEVICE Part entries(std::int64_t window) const
    {
        const std::int64_t begin = window * segments.mostEntries;
        const std::int64_t end = begin + segments.mostEntries;
        return {begin, end < segments.scratch.count ? end : segments.scratch.count};
    }
    /// The long segment that has a sorted entry, -1 if there is none.
    CANNERY_HOST_DEVICE std::int64_t longSegmentOf(std::int64_t at) const
    {
        const std::int64_t segment = segments.segmentOf(at);
        return segment >= 0 && isLong(segments, segments.part(segment)) ? segment : -1;
    }
    CANNERY_HOST_DEVICE double& sum(std::int64_t window, int side, std::int64_t col) const
    {
        return partial[(window * kSides + side) * segments.cols() + col];
    }

    /// A few columns: sums, halvings, the end.
    CANNERY_HOST_DEVICE int phasesOfCols() const { return halvings(kThreads / width) + 2; }
    CANNERY_HOST_DEVICE int colGroups() const
    {
        return static_cast<int>((segments.cols() + width - 1) / width);
    }
    CANNERY_HOST_DEVICE std::int64_t colOf(int thread, int group) const
    {
        return std::int64_t{group} * width + thread % width;
    }
};

/// For each window: the sums of its parts of long segments.
template <typename Segments>
struct SumWindowsBody
{
    using Windows = SegmentWindows<Segments>;
    static constexpr int kThreads = Windows::kThreads;
    using Shared = SegmentSumShared;

    Windows windows;

    CANNERY_HOST_DEVICE int phases() const
    {
        return windows.phasesOfCols() * windows.colGroups() * Windows::kSides;
    }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t window,
                                        Shared& shared) const
    {
        const int step = phase % windows.phasesOfCols();
        const int side = phase / windows.phasesOfCols() % Windows::kSides;
        const int group = phase / windows.phasesOfCols() / Windows::kSides;
        const Part entries = windows.entries(window);
        const std::int64_t first = windows.longSegmentOf(entries.begin);
        const std::int64_t segment = side == 0 ? first : windows.longSegmentOf(entries.end - 1);
        if (segment < 0 || (side > 0 && segment == first)) {
            return;
        }
        const std::int64_t col = windows.colOf(thread, group);
        const bool hasCol = col < windows.segments.cols();
        if (step == 0) {
            shared.sums[thread] = hasCol ? sum(segment, entries, thread, col) : 0.0;
        } else if (step < windows.phasesOfCols() - 1) {
            shared.halve(step, thread);
        } else if (thread < windows.width && hasCol) {
            windows.sum(window, side, col) = shared.sums[thread];
        }
    }

private:
    /// Of the entries of a window that are in the segment.
    CANNERY_HOST_DEVICE double sum(std::int64_t segment, Part entries, int thread,
                                   std::int64_t col) const
    {
        const Part part = windows.segments.part(segment);
        const std::int64_t begin = part.begin > entries.begin ? part.begin : entries.begin;
        const std::int64_t end = part.end < entries.end ? part.end : entries.end;
        double sum = 0;
        for (std::int64_t at = begin + thread / windows.width; at < end;
             at += kThreads / windows.width) {
            sum += windows.segments.term(at, col);
        }
        return sum;
    }
};

/// For each window: the sum of the long segment that begins in it, if one does. It has the window's
/// last entry.
template <typename Segments>
struct SumLongSegmentsBody
{
    using Windows = SegmentWindows<Segments>;
    static constexpr int kThreads = Windows::kThreads;
    using Shared = SegmentSumShared;

    Windows windows;

    CANNERY_HOST_DEVICE int phases() const { return windows.phasesOfCols() * windows.colGroups(); }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t window,
                                        Shared& shared) const
    {
        const Part entries = windows.entries(window);
        const std::int64_t segment = windows.longSegmentOf(entries.end - 1);
        if (segment < 0 || windows.segments.part(segment).begin < entries.begin) {
            return;
        }
        const int step = phase % windows.phasesOfCols();
        const std::int64_t col = windows.colOf(thread, phase / windows.phasesOfCols());
        const bool hasCol = col < windows.segments.cols();
        if (step == 0) {
            shared.sums[thread] = hasCol ? sum(segment, window, thread, col) : 0.0;
        } else if (step < windows.phasesOfCols() - 1) {
            shared.halve(step, thread);
        } else if (thread < windows.width && hasCol) {
            windows.segments.store(segment, col, shared.sums[thread]);
        }
    }

private:
    CANNERY_HOST_DEVICE double sum(std::int64_t segment, std::int64_t window, int thread,
                                   std::int64_t col) const
    {
        const Part part = windows.segments.part(segment);
        const bool hasFirstEntry = part.begin == windows.entries(window).begin;
        const std::int64_t last = (part.end - 1) / windows.segments.mostEntries;
        double sum = 0;
        for (std::int64_t w = window + thread / windows.width; w <= last;
             w += kThreads / windows.width) {
            sum += windows.sum(w, w == window && !hasFirstEntry ? 1 : 0, col);
        }
        return sum;
    }
};

/// For each segment: y = x limit / |x|, so dx = limit / |x| (dy - x (x . dy) / |x|^2); shorter rows
/// pass unchanged.
struct DifferentiateClipBody
{
    TableSegments segments;
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

/// `most`: segments that there may be.
template <typename Launcher, typename Segments>
void sumSegments(Launcher& launcher, const Segments& segments, std::int64_t most)
{
    const auto windows = SegmentWindows<Segments>::of(segments);
    launcher.forEach(most * segments.cols(), SumSegmentsBody<Segments>{windows.segments});
    launcher.forEachBlock(windows.count(), SumWindowsBody<Segments>{windows});
    launcher.forEachBlock(windows.count(), SumLongSegmentsBody<Segments>{windows});
}

} // namespace cannery::kernels::bodies
