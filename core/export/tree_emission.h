// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/lowered_model.h"
#include "storage/tf/emitted_value.h"
#include "storage/tf/graph_def_builder.h"
#include "storage/tf/tensor.h"

#include <cstdint>
#include <span>

namespace cannery::exporting {

/// What trees are emitted from.
struct TreeEmission
{
    const graph::LearnerDescription& learner;
    std::int64_t outputs = 1; ///< logits per row
    /// Of the checkpoint; without the ensemble (before the first step) the model has no trees.
    std::span<const storage::NamedTensor> tensors;
    std::span<const storage::EmittedValue> slots; ///< indexed like features::InputLayout::slots
    storage::NodeRef batchSize;                   ///< int32 scalar
};

/// Adds boosted trees to a TensorFlow graph, of core operations only, as no TensorFlow of today
/// has those of boosted trees: the rows as one matrix of floats, and all trees descended at once,
/// a layer at a time, by gathers and comparisons. Returns the logits, a float tensor [batch,
/// outputs]. Errors: "trees.damaged", "export.tree_boundaries".
Result<storage::NodeRef> emitTrees(storage::GraphDefBuilder& graph, const TreeEmission& emission);

} // namespace cannery::exporting
