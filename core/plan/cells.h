// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/model.h"

#include <cstdint>
#include <vector>

namespace cannery::plan {

/// Tables of fewer weights stay in the caches whatever their layout.
inline constexpr std::int64_t kFewestCells = std::int64_t{64} << 10U;

/// For each variable of the graph, the floats of a cell: a weight and all its slots side by side,
/// so that a step waits for one place in memory where separate tensors are several. 0: the variable
/// and its slots are tensors of their own. Cells have large tables of one column that start at
/// zero, of which steps on this machine's processor, and nothing else, read and change the rows of
/// a batch. Errors: those of optimizers::makeOptimizer.
Result<std::vector<std::int64_t>> cellSizes(const graph::LoweredModel& lowered,
                                            const ModelOptions& options);

} // namespace cannery::plan
