// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cannery::kernels {

/// Counts, while it exists, the blocks that each worker of every thread pool of this process runs:
/// lets a test of determinism show that several threads did work. One at a time; a step costs
/// nothing extra while there is none.
class BlockCount
{
public:
    BlockCount();
    ~BlockCount();
    BlockCount(const BlockCount&) = delete;
    BlockCount& operator=(const BlockCount&) = delete;

    /// Number of blocks of worker 0 (the caller of parallelFor), 1, …, up to the last one that ran
    /// any.
    std::vector<std::uint64_t> byWorker() const;

    /// For ThreadPool.
    static void add(int worker);
};

} // namespace cannery::kernels
