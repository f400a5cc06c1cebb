// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace cannery::kernels {

/// Hands out blocks so that passes over equally many have the same worker compute a block, if it is
/// not late: then what a pass has read and written is in that worker's caches in the next one.
/// Which worker computes a block makes no difference to its bits. One caller at a time. Allocates
/// only for the first pool, and for one with another number of threads.
class NearBlocks
{
public:
    /// As ThreadPool::parallelFor().
    template <typename Callable>
    void parallelFor(ThreadPool& pool, std::int64_t blockCount, const Callable& function)
    {
        if (const auto threads = static_cast<std::size_t>(pool.threadCount());
            m_shares.size() != threads) {
            m_shares = std::vector<Share>(threads);
        }
        m_blockCount = blockCount;
        for (std::size_t share = 0; share < m_shares.size(); ++share) {
            m_shares[share].next.store(firstOf(share), std::memory_order_relaxed);
        }
        // One block of the pool for each worker: fetching every block from a counter that all of
        // them change takes as long as a small block.
        const auto all = [&](std::int64_t, int worker) {
            while (const std::optional<std::int64_t> block =
                       take(static_cast<std::size_t>(worker))) {
                function(*block, worker);
            }
        };
        pool.parallelFor(std::min<std::int64_t>(blockCount, pool.threadCount()), all);
    }

private:
    struct alignas(64) Share
    {
        std::atomic<std::int64_t> next{0};
    };

    std::int64_t firstOf(std::size_t share) const
    {
        return m_blockCount * static_cast<std::int64_t>(share) /
               static_cast<std::int64_t>(m_shares.size());
    }

    /// Of the worker's share, or else of one of the others; none once all are taken.
    std::optional<std::int64_t> take(std::size_t worker)
    {
        for (std::size_t share = worker; share < worker + m_shares.size(); ++share) {
            const std::size_t at = share % m_shares.size();
            const std::int64_t block = m_shares[at].next.fetch_add(1, std::memory_order_relaxed);
            if (block < firstOf(at + 1)) {
                return block;
            }
        }
        return std::nullopt;
    }

    std::vector<Share> m_shares;
    std::int64_t m_blockCount = 0;
};

} // namespace cannery::kernels
