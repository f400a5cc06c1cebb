// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cannery::plan {

/// The shards of a training step: each has a batch of its own, and their gradients are added up as
/// one binary tree over all shards. Which process or thread computes a shard changes no bit.
struct Sharding
{
    std::int64_t total = 1;
    std::int64_t first = 0; ///< those of this process: [first, first + count)
    std::int64_t count = 1;
    std::int64_t batchRows = 0; ///< of a full batch; needed if total > 1
    bool isAcross = false;      ///< layers that can look across shards do: batch normalization

    bool operator==(const Sharding&) const = default;
};

/// Where the tree over `count` > 1 shards divides: the left part is the largest power of two below
/// count, so aligned blocks of a power of two are subtrees.
std::int64_t leftPart(std::int64_t count);

/// How many shards one thread computes, a power of two, if all are spread over the threads.
std::int64_t shardsPerLane(std::int64_t count, int threads);

} // namespace cannery::plan
