// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/export/tree_model.h"
#include "storage/tf/graphs/emitted_value.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <span>

namespace cannery::exporting {

/// What trees are emitted from.
struct TreeEmission
{
    TreeSource source;
    /// Indexed like features::InputLayout::slots; numbers as they are before they are normalized.
    std::span<const storage::EmittedValue> slots;
    storage::NodeRef batchSize; ///< int32 scalar
};

/// Adds boosted trees to a TensorFlow graph, of core operations only, as no TensorFlow of today
/// has those of boosted trees: the rows as one matrix of whole numbers (see TreeModel), and all
/// trees descended at once, a layer at a time, by gathers and comparisons. Returns the logits, a
/// float tensor [batch, outputs]. Errors: "trees.damaged", "export.tree_boundaries".
Result<storage::NodeRef> emitTrees(storage::GraphDefBuilder& graph, const TreeEmission& emission);

} // namespace cannery::exporting
