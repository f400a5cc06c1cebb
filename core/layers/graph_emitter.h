// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "storage/tf/emitted_value.h"
#include "storage/tf/graph_def_builder.h"

#include <span>

namespace cannery::layers {

/// Adds a whole LayerGraph in inference form to a TensorFlow graph: its variables by their names,
/// its nodes below scopes of their names. `slots` are the emitted feature slots, indexed like
/// features::InputLayout::slots; `batchSize` is an int32 scalar, the number of rows. Returns the
/// logits, a float tensor [batch, logits width], or a sequence.
Result<storage::EmittedValue> emitGraph(storage::GraphDefBuilder& graph,
                                        const graph::LayerGraph& layers,
                                        std::span<const storage::EmittedValue> slots,
                                        const storage::NodeRef& batchSize);

} // namespace cannery::layers
