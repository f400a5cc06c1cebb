// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/layers/layer.h"

#include <vector>

namespace cannery::layers {

/// Gives a node's variables what the `weights` of its message say: initial values, penalties,
/// constraints. A weight is called by the end of its variable's name, whole parts of it
/// ("kernel" of "dense/kernel"), in which "forward" and "backward" stand for the layer of that
/// direction ("forward/kernel" of "forward_lstm/lstm_cell/kernel"). `isOwner`: the variables are
/// the node's own, not another's. Errors: "layers.unknown_weight", "layers.ambiguous_weight",
/// "layers.weight_twice", "layers.measured_weight", "layers.shared_weight", and, with the weight's
/// name, those of graph::checkInitializer(), checkRegularizer() and checkConstraint().
Result<void> setWeights(const graph::Node& node, bool isOwner,
                        std::vector<LayerVariable>& variables);

} // namespace cannery::layers
