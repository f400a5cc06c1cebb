// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"

#include <span>
#include <string_view>

namespace cannery::layers {

constexpr ErrorKind kInputCount{"layers.input_count", "A layer {} takes {} input(s), not {}."};
constexpr ErrorKind kInputKind{"layers.input_kind",
                               "A layer {} cannot take the {} input '{}'; it takes {}."};

constexpr ErrorKind kNoColumns{"layers.no_columns",
                               "The {} has no feature column; give it at least one."};

/// "layers.input_count" unless the number of inputs matches.
Result<void> expectInputs(std::string_view layer, std::span<const graph::Value* const> inputs,
                          std::size_t count);
/// "layers.input_kind" unless the input is dense.
Result<void> expectDense(std::string_view layer, const graph::Value& input);
/// "layers.input_count" unless there are two or more, "layers.input_kind" unless all are dense.
Result<void> expectSeveralDense(std::string_view layer,
                                std::span<const graph::Value* const> inputs);
/// Whole numbers beyond it are not exact in a double; memory ends long before.
inline constexpr double kMostCountable = 9e15;
/// "layers.output_too_large" unless rows of so many numbers can be counted: before whole numbers
/// overflow. Whether they fit into memory is for the plan.
Result<void> expectCountable(std::string_view layer, const graph::Value& input, double numbers);

} // namespace cannery::layers
