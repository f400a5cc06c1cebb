// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/layer_graph.h"
#include "core/layers/graph_emitter.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <optional>

namespace cannery::exporting {

/// Adds the penalties of weights and of layers' outputs in a batch, a float32 scalar, by the
/// formulas of plan::WeightPenalty and layers::ActivityPenaltyLayer and by operations that have
/// gradients. `batchSize`: an int32 scalar. Returns nullopt if the model has no penalties.
std::optional<storage::NodeRef> emitPenalty(storage::GraphDefBuilder& graph,
                                            const graph::LayerGraph& layers,
                                            const layers::EmittedLayers& emitted,
                                            const storage::NodeRef& batchSize);

} // namespace cannery::exporting
