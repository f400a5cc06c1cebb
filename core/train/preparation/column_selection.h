// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/preparation/linear_solution.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::train {

/// Columns that are selected together, e.g. those of one category.
struct ColumnGroups
{
    std::vector<std::size_t> ofColumn;
    std::size_t count = 0;
};

struct SelectedGroup
{
    std::size_t group;
    LinearWeights weights; ///< of the whole problem, solved on this group and the earlier ones
};

/// Forward selection: in each round, the group with the strongest evidence given what the earlier
/// ones explain (score tests, so that a wide group has no advantage over a narrow one by chance).
/// Fewer than `most` if no group is left.
std::vector<SelectedGroup> selectForward(const LinearProblem& problem,
                                         std::span<const std::int64_t> rows,
                                         const ColumnGroups& groups, std::size_t most, double l2);

} // namespace cannery::train
