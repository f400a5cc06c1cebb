// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/float_nodes.h"

#include <cstdint>
#include <vector>

/// TensorFlow nodes of numbers [units] beside rows of which one dimension, `axis` of `rank`, is
/// that of the units.
namespace cannery::layers {

/// In a shape that TensorFlow repeats over the dimensions behind them.
storage::NodeRef besideRows(const storage::FloatNodes& nodes, const storage::NodeRef& numbers,
                            std::size_t rank, std::size_t axis);

/// The sum of rows of shape `row` over all other dimensions: [units].
storage::NodeRef sumOfUnits(const storage::FloatNodes& nodes, storage::NodeRef values,
                            const std::vector<std::int64_t>& row, std::size_t axis);

} // namespace cannery::layers
