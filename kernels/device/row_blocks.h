// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <cstdint>

namespace cannery::kernels {

/// Number of elements that make a block worth another thread.
inline constexpr std::int64_t kBlockElements = 16 * 1024;
/// Columns per block in a sum over rows.
inline constexpr std::int64_t kBlockCols = 64;

/// Splits a rows x cols matrix into blocks of whole rows: function(BlockRange of rows, worker).
template <typename Function>
void forEachRowBlock(ThreadPool& pool, std::int64_t rows, std::int64_t cols, Function&& function)
{
    const std::int64_t blockRows =
        std::max<std::int64_t>(1, kBlockElements / std::max<std::int64_t>(cols, 1));
    forEachBlock(pool, rows, blockRows, function);
}

/// Splits the columns into blocks of at most kBlockCols: function(BlockRange of columns, worker).
/// Small matrices are processed by the caller alone; the blocks are the same.
template <typename Function>
void forEachColumnBlock(ThreadPool& pool, std::int64_t rows, std::int64_t cols, Function&& function)
{
    if (rows * cols >= 2 * kBlockElements) {
        forEachBlock(pool, cols, kBlockCols, function);
        return;
    }
    for (std::int64_t first = 0; first < cols; first += kBlockCols) {
        function(BlockRange{first, std::min(kBlockCols, cols - first)}, 0);
    }
}

} // namespace cannery::kernels
