// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/linear_solution.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::train {

/// Columns that are taken or left together: those of one category, say.
struct ColumnGroups
{
    std::vector<std::size_t> ofColumn;
    std::size_t count = 0;
};

struct SelectedGroup
{
    std::size_t group;
    LinearWeights weights; ///< of the whole problem, solved on this group and those before
};

/// Forward selection: each time the group that the rows speak most for after what those before it
/// explain (score tests, so that a wide group is no better than a narrow one by chance). Fewer than
/// `most` when no group is left.
std::vector<SelectedGroup> selectForward(const LinearProblem& problem,
                                         std::span<const std::int64_t> rows,
                                         const ColumnGroups& groups, std::size_t most, double l2);

} // namespace cannery::train
