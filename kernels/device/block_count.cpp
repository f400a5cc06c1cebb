// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/block_count.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace cannery::kernels {

namespace {

/// Workers beyond this limit share the last entry.
constexpr std::size_t kMostWorkers = 64;

struct Count
{
    alignas(64) std::atomic<std::uint64_t> blocks{0};
};

std::atomic<bool> g_isCounting{false};
std::array<Count, kMostWorkers> g_counts;

} // namespace

BlockCount::BlockCount()
{
    for (Count& count : g_counts) {
        count.blocks.store(0, std::memory_order_relaxed);
    }
    g_isCounting.store(true, std::memory_order_release);
}

BlockCount::~BlockCount()
{
    g_isCounting.store(false, std::memory_order_release);
}

std::vector<std::uint64_t> BlockCount::byWorker() const
{
    std::vector<std::uint64_t> blocks;
    for (const Count& count : g_counts) {
        blocks.push_back(count.blocks.load(std::memory_order_relaxed));
    }
    while (!blocks.empty() && blocks.back() == 0) {
        blocks.pop_back();
    }
    return blocks;
}

void BlockCount::add(int worker)
{
    if (g_isCounting.load(std::memory_order_relaxed)) {
        const std::size_t place =
            std::min<std::size_t>(static_cast<std::size_t>(worker), kMostWorkers - 1);
        g_counts[place].blocks.fetch_add(1, std::memory_order_relaxed);
    }
}

} // namespace cannery::kernels
