// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/graph_def_reader.h"

#include <vector>

namespace cannery::exporting {

/// Changes arithmetic as TensorFlow's graph optimizer does before it runs a graph (its constant
/// folding and arithmetic optimizer): a division by a constant becomes a product with its
/// reciprocal, the logarithm of x + 1 becomes log1p. Neither gives the same last bit. Returns
/// whether there was any.
bool rewriteArithmetic(std::vector<storage::GraphNode>& nodes);

} // namespace cannery::exporting
