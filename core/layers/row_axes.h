// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"

#include <span>
#include <string_view>
#include <vector>

namespace cannery::layers {

/// The index into graph::rowShape() of a dimension as TensorFlow counts it: 0 is the batch, -1 the
/// last one. "layers.axis" if rows do not have it.
Result<std::size_t> rowAxis(std::string_view layer, const graph::Value& input, std::int64_t axis);
/// Several, ascending; the last dimension if none is given. "layers.axis", "layers.axis_twice".
Result<std::vector<std::size_t>> rowAxes(std::string_view layer, const graph::Value& input,
                                         std::span<const std::int64_t> axes);

/// The same for a row of this rank that has been checked.
std::size_t rowAxis(std::size_t rank, std::int64_t axis);
std::vector<std::size_t> rowAxes(std::size_t rank, std::span<const std::int64_t> axes);

} // namespace cannery::layers
