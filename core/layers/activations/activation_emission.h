// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/activations.h"
#include "storage/tf/graphs/graph_def_builder.h"

namespace cannery::layers {

/// The nodes of an activation function as TensorFlow builds it; the input itself for Linear.
storage::NodeRef emitActivation(storage::GraphDefBuilder& graph, kernels::Activation activation,
                                const storage::NodeRef& input);

} // namespace cannery::layers
