// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <vector>

namespace cannery::trees {

/// What a tree is drawn by: pure functions of these and the row or column.
struct TreeDraw
{
    std::uint64_t seed = 0;
    std::uint64_t tree = 0;
};

/// Ascending; each row with probability `fraction`.
std::vector<std::uint32_t> drawRows(kernels::ThreadPool& pool, const TreeDraw& draw,
                                    std::int64_t rows, double fraction);

/// Ascending; the fraction of the columns, rounded up.
std::vector<std::size_t> drawColumns(const TreeDraw& draw, std::size_t columns, double fraction);

} // namespace cannery::trees
