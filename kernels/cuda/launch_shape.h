// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

/// How many blocks of threads a kernel gets. No CUDA here: tests compile it everywhere.
namespace cannery::kernels::cuda {

/// Threads of a block of an elementwise kernel.
inline constexpr int kElementThreads = 256;
/// What the first dimension of a grid may have.
inline constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();

/// Blocks in a grid; 0 if there is nothing to launch. Work beyond the grid is the turn of the same
/// blocks again.
constexpr unsigned gridOf(std::int64_t blocks)
{
    return static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 0, kMostBlocks));
}

/// For `count` elements, one per thread.
constexpr unsigned gridOfElements(std::int64_t count)
{
    return gridOf(count / kElementThreads + (count % kElementThreads > 0 ? 1 : 0));
}

} // namespace cannery::kernels::cuda
