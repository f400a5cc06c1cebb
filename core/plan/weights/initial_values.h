// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/layer_graph.h"

#include <cstdint>
#include <span>

namespace cannery::plan {

/// Draws the initial values of a variable: each element is a pure function of (seed, variable's
/// name, element), the same on every machine and for any partition of the variable. An
/// initializer's own seed replaces the model's. Distributions as in Keras 2.15; the random numbers
/// are ours. `values` are those from element `first` on.
void drawInitialValues(const graph::Variable& variable, std::uint64_t seed, std::span<float> values,
                       std::int64_t first = 0);

} // namespace cannery::plan
