// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

namespace cannery::kernels::bodies {

/// Sums of a number from each thread of a block and all threads before it (Hillis and Steele 1986).
/// begin() in one phase, step(0) … step(phases() - 1) in the next ones, then the sums.
template <int kThreads>
struct BlockScan
{
    struct Shared
    {
        std::int64_t sums[2][kThreads];
    };

    CANNERY_HOST_DEVICE static constexpr int phases() { return halvings(kThreads); }

    CANNERY_HOST_DEVICE static void begin(int thread, std::int64_t number, Shared& shared)
    {
        shared.sums[0][thread] = number;
    }
    CANNERY_HOST_DEVICE static void step(int phase, int thread, Shared& shared)
    {
        const int distance = 1 << phase;
        const std::int64_t* const from = shared.sums[phase % 2];
        shared.sums[(phase + 1) % 2][thread] =
            from[thread] + (thread >= distance ? from[thread - distance] : 0);
    }
    /// Of the threads before this one.
    CANNERY_HOST_DEVICE static std::int64_t before(int thread, const Shared& shared)
    {
        return thread == 0 ? 0 : shared.sums[phases() % 2][thread - 1];
    }
    /// Of all threads.
    CANNERY_HOST_DEVICE static std::int64_t total(const Shared& shared)
    {
        return shared.sums[phases() % 2][kThreads - 1];
    }
};

/// How many of some items each block has. Items has part(thread, block), count(part), and totals()
/// with a number of each block.
template <typename Items>
struct CountOfBlocksBody
{
    static constexpr int kThreads = Items::kThreads;
    using Scan = BlockScan<kThreads>;
    using Shared = typename Scan::Shared;

    Items items;

    CANNERY_HOST_DEVICE int phases() const { return Scan::phases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        if (phase == 0) {
            Scan::begin(thread, items.count(items.part(thread, block)), shared);
        } else if (phase <= Scan::phases()) {
            Scan::step(phase - 1, thread, shared);
        } else if (thread == 0) {
            items.totals()[block] = Scan::total(shared);
        }
    }
};

/// One block: counts[i] becomes the sum of those before it, and *total that of all.
struct ScanCountsBody
{
    static constexpr int kThreads = 1024;
    using Scan = BlockScan<kThreads>;
    using Shared = Scan::Shared;

    std::int64_t* counts = nullptr;
    std::int64_t size = 0;
    std::int64_t* total = nullptr;

    CANNERY_HOST_DEVICE int phases() const { return Scan::phases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t, Shared& shared) const
    {
        const Part part = partOf(size, thread, kThreads);
        if (phase == 0) {
            std::int64_t sum = 0;
            for (std::int64_t i = part.begin; i < part.end; ++i) {
                sum += counts[i];
            }
            Scan::begin(thread, sum, shared);
        } else if (phase <= Scan::phases()) {
            Scan::step(phase - 1, thread, shared);
        } else {
            std::int64_t before = Scan::before(thread, shared);
            for (std::int64_t i = part.begin; i < part.end; ++i) {
                const std::int64_t own = counts[i];
                counts[i] = before;
                before += own;
            }
            if (thread == 0) {
                *total = Scan::total(shared);
            }
        }
    }
};

} // namespace cannery::kernels::bodies
