// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "storage/tf/graphs/emitted_value.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <optional>
#include <span>
#include <vector>

namespace cannery::layers {

enum class EmitMode
{
    Inference,
    Training, ///< as a training step computes the logits: with dropout, by the batch's moments
};

/// Outputs of a layer that add to the loss: see ActivityPenaltyLayer.
struct EmittedActivity
{
    storage::NodeRef value; ///< float [batch, ...]
    float l1 = 0.0F;
    float l2 = 0.0F;
};

struct EmittedLayers
{
    storage::NodeRef logits; ///< float [batch, logits width], or of steps: [batch, steps, width]
    std::optional<storage::NodeRef> stepCounts; ///< of steps: int64 [batch], how many each row has
    /// In training: operations of a step besides those of its optimizers.
    std::vector<storage::NodeRef> updates;
    std::vector<EmittedActivity> activities;
};

/// Adds a whole LayerGraph to a TensorFlow graph: its variables by their names, its nodes below
/// scopes of their names. `slots` are the emitted feature slots, indexed like
/// features::InputLayout::slots; `batchSize` is an int32 scalar, the number of rows.
Result<EmittedLayers> emitGraph(storage::GraphDefBuilder& graph, const graph::LayerGraph& layers,
                                std::span<const storage::EmittedValue> slots,
                                const storage::NodeRef& batchSize,
                                EmitMode mode = EmitMode::Inference);

} // namespace cannery::layers
