// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

#include <algorithm>
#include <limits>

/// Sums of gradients by bin, in shared memory first, as the GPU learner of LightGBM (Zhang, Si and
/// Hsieh 2017) has them. They are of integers: threads add in any order, with the same result.
namespace cannery::kernels::bodies {

/// To a number that other threads of the block or the grid add to, too.
CANNERY_HOST_DEVICE inline void addInAnyOrder(std::uint32_t& sum, std::uint32_t number)
{
#ifdef __CUDA_ARCH__
    atomicAdd(&sum, number);
#else
    sum += number;
#endif
}

CANNERY_HOST_DEVICE inline void addInAnyOrder(std::int64_t& sum, std::int64_t number)
{
#ifdef __CUDA_ARCH__
    atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(number));
#else
    sum += number;
#endif
}

/// For each of all sums.
struct BeginSumsBody
{
    std::int64_t* sums = nullptr;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const { sums[index] = 0; }
};

/// A block sums some of the rows for a group, in rounds: in shared memory, then into the sums of
/// all. There the three sums of a bin are numbers of 32 bits, which GPUs add at once: sums of 64
/// bits would be compared and swapped until nobody has come in between. The sums of a bin's columns
/// lie side by side, so that threads that add to different columns hardly ever meet at a bank.
struct SumGradientsBody
{
    static constexpr int kThreads = 512;
    static constexpr std::int64_t kCells = kHistogramGroup * kHistogramBins;
    struct Shared
    {
        std::uint32_t sums[kSumsOfBin][kCells];
    };

    /// Rows of a round: neither gradients nor second derivatives overflow.
    static constexpr std::int64_t kRoundRows = 1 << 16;
    static_assert(kRoundRows * kGradientLimit <= std::numeric_limits<std::int32_t>::max());
    static_assert(kRoundRows * kHessianLimit <= std::numeric_limits<std::uint32_t>::max());
    /// Rows of a block at least: what is done once for each block should not take most of its time.
    static constexpr std::int64_t kLeastRows = 1024;

    SumGradients work;
    std::int64_t parts = 1; ///< blocks of a group

    CANNERY_HOST_DEVICE std::int64_t rowCount() const
    {
        return work.rows == nullptr ? work.table.rows : *work.rowCount;
    }
    /// Rows of a block.
    CANNERY_HOST_DEVICE std::int64_t share() const
    {
        const std::int64_t equal = blocksOf(rowCount(), parts);
        return equal > kLeastRows ? equal : kLeastRows;
    }

    CANNERY_HOST_DEVICE int phases() const
    {
        return kPhases * static_cast<int>(blocksOf(share(), kRoundRows));
    }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        const std::int64_t group = block % work.table.groups();
        const Part rows = rowsOf(block / work.table.groups(), phase / kPhases);
        if (rows.begin >= rows.end) {
            return;
        }
        switch (phase % kPhases) {
        case 0:
            return begin(thread, shared);
        case 1:
            return add(thread, group, rows, shared);
        default:
            return finish(thread, group, shared);
        }
    }

private:
    static constexpr int kPhases = 3;

    CANNERY_HOST_DEVICE Part rowsOf(std::int64_t part, std::int64_t round) const
    {
        const std::int64_t all = share();
        const std::int64_t count = rowCount();
        const std::int64_t first = part * all + round * kRoundRows;
        const std::int64_t endOfPart = (part + 1) * all;
        const std::int64_t endOfRound = first + kRoundRows;
        const std::int64_t end = endOfPart < endOfRound ? endOfPart : endOfRound;
        return {first, end < count ? end : count};
    }

    CANNERY_HOST_DEVICE static std::int64_t cellOf(std::int64_t bin, std::int64_t column)
    {
        return bin * kHistogramGroup + column;
    }

    CANNERY_HOST_DEVICE static void begin(int thread, Shared& shared)
    {
        for (std::int64_t cell = thread; cell < kCells; cell += kThreads) {
            for (auto& sums : shared.sums) {
                sums[cell] = 0;
            }
        }
    }

    /// A thread has four columns of a row at a time. Threads of successive rows begin with
    /// different ones of the four.
    CANNERY_HOST_DEVICE void add(int thread, std::int64_t group, Part rows, Shared& shared) const
    {
        const std::int64_t width = work.table.width(group);
        const std::int64_t columns = work.table.columnsOf(group);
        const std::uint8_t* const bins = work.table.bins + work.table.offset(group);
        const std::int64_t quads = width / kHistogramWidthUnit;
        const std::int64_t end = (rows.end - rows.begin) * quads;
        for (std::int64_t index = thread; index < end; index += kThreads) {
            const Place place = placeOf(index, quads);
            const std::int64_t at = rows.begin + place.row;
            const std::int64_t row = work.rows == nullptr ? at : work.rows[at];
            const std::uint64_t packed = work.gradients[row];
            const auto gradient = static_cast<std::uint32_t>(packedGradient(packed));
            const auto hessian = static_cast<std::uint32_t>(packedHessian(packed));
            const std::uint32_t quad = *reinterpret_cast<const std::uint32_t*>(
                bins + row * width + place.col * kHistogramWidthUnit);
            for (std::int64_t turn = 0; turn < kHistogramWidthUnit; ++turn) {
                const std::int64_t unit = (turn + place.row) % kHistogramWidthUnit;
                const std::int64_t column = place.col * kHistogramWidthUnit + unit;
                if (column < columns) {
                    const std::int64_t cell = cellOf((quad >> (8 * unit)) & 0xFFU, column);
                    addInAnyOrder(shared.sums[0][cell], gradient);
                    addInAnyOrder(shared.sums[1][cell], hessian);
                    addInAnyOrder(shared.sums[2][cell], 1U);
                }
            }
        }
    }

    /// Threads that write together have four bins of eight columns: whole sectors of memory, and
    /// half of the banks.
    CANNERY_HOST_DEVICE void finish(int thread, std::int64_t group, const Shared& shared) const
    {
        constexpr std::int64_t kBins = 4;
        constexpr std::int64_t kColumns = 8;
        constexpr std::int64_t kParts = kHistogramGroup / kColumns;
        const std::int64_t columns = work.table.columnsOf(group);
        const HistogramRange* const ranges = work.table.ranges + group * kHistogramGroup;
        for (std::int64_t index = thread; index < kCells; index += kThreads) {
            const std::int64_t tile = index / (kBins * kColumns);
            const std::int64_t bin = tile / kParts * kBins + index % kBins;
            const std::int64_t column = tile % kParts * kColumns + index / kBins % kColumns;
            const std::int64_t cell = cellOf(bin, column);
            if (column >= columns || shared.sums[2][cell] == 0) {
                continue;
            }
            std::int64_t* const sums = work.sums + ranges[column].first + bin;
            const std::int64_t next = work.table.binCount;
            addInAnyOrder(sums[0], static_cast<std::int32_t>(shared.sums[0][cell]));
            addInAnyOrder(sums[next], shared.sums[1][cell]);
            addInAnyOrder(sums[2 * next], shared.sums[2][cell]);
        }
    }
};

template <typename Launcher>
void run(Launcher& launcher, const SumGradients& work)
{
    /// Enough for all multiprocessors, of which each has room for two to four.
    constexpr std::int64_t kBlocks = 1024;
    launcher.forEach(kSumsOfBin * work.table.binCount, BeginSumsBody{work.sums});
    const std::int64_t groups = work.table.groups();
    if (groups == 0 || work.table.rows == 0) {
        return;
    }
    const std::int64_t parts = std::clamp(kBlocks / groups, std::int64_t{1},
                                          blocksOf(work.table.rows, SumGradientsBody::kLeastRows));
    launcher.forEachBlock(groups * parts, SumGradientsBody{work, parts});
}

} // namespace cannery::kernels::bodies
