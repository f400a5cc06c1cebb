// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/row_blocks.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>

namespace cannery::kernels::cpu {

/// A sum over the images of a batch in parts of consecutive images, for kernels that have too few
/// elements to keep all threads busy. How many parts there are depends on shapes alone; they are
/// added up in the order of the images.
class PartialSums
{
public:
    /// Blocks of a call that are enough for the threads of a machine.
    static constexpr std::int64_t kEnoughBlocks = 32;

    /// For sums of `elements` floats, each of which is computed in `blocks` blocks, in at most as
    /// many parts as are enough blocks.
    PartialSums(std::int64_t elements, std::int64_t blocks)
        : m_elements(elements),
          m_most(std::max<std::int64_t>(1, kEnoughBlocks / std::max<std::int64_t>(blocks, 1))),
          // Pages that are never written take no memory.
          m_memory(m_most > 1 ? std::make_unique_for_overwrite<float[]>(
                                    static_cast<std::size_t>(m_most * elements))
                              : nullptr)
    {}

    /// Calls function(images, block, sum, worker), which overwrites what it computes of `sum`, for
    /// each block of each part; then `total` is the sum of all. Waits for other callers.
    template <typename Function>
    void compute(ThreadPool& pool, std::int64_t images, std::int64_t blocks, std::span<float> total,
                 const Function& function)
    {
        const std::int64_t partImages = std::max<std::int64_t>(1, (images + m_most - 1) / m_most);
        // Without images there is one part, which is empty.
        const std::int64_t parts =
            std::max<std::int64_t>(1, (images + partImages - 1) / partImages);
        std::unique_lock lock(m_mutex, std::defer_lock);
        if (parts > 1) {
            lock.lock();
        }
        pool.parallelFor(parts * blocks, [&](std::int64_t index, int worker) {
            const std::int64_t part = index / blocks;
            const std::int64_t first = part * partImages;
            function(BlockRange{first, std::min(partImages, images - first)}, index % blocks,
                     parts == 1 ? total.data() : m_memory.get() + part * m_elements, worker);
        });
        if (parts > 1) {
            addUp(pool, parts, total);
        }
    }

private:
    void addUp(ThreadPool& pool, std::int64_t parts, std::span<float> total) const
    {
        forEachBlock(pool, m_elements, kBlockElements, [&](BlockRange block, int) {
            float* to = total.data() + block.first;
            std::copy_n(m_memory.get() + block.first, block.count, to);
            for (std::int64_t part = 1; part < parts; ++part) {
                const float* from = m_memory.get() + part * m_elements + block.first;
                for (std::int64_t i = 0; i < block.count; ++i) {
                    to[i] += from[i];
                }
            }
        });
    }

    std::int64_t m_elements;
    std::int64_t m_most; ///< parts
    std::unique_ptr<float[]> m_memory;
    std::mutex m_mutex;
};

} // namespace cannery::kernels::cpu
