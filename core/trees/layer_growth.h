// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/layer_splits.h"

#include <optional>
#include <span>
#include <vector>

namespace cannery::trees {

/// Applies the best splits of the last layer's nodes (from its first one on) to the last tree of
/// the ensemble, as TensorFlow's BoostedTreesUpdateEnsemble does: children have the node's value
/// and their own on top, nodes are numbered as they are made, a tree of maxDepth layers is
/// finished, pruned if wanted, and followed by a tree of one leaf.
void growLayer(Ensemble& ensemble, std::span<const std::optional<SplitCandidate>> splits,
               const LayerOptions& options);

/// Removes, from the bottom up, splits of two leaves that gain less than 0. Values are unchanged;
/// nodes are numbered anew, and Tree::pruned has where each has gone.
void pruneTree(Tree& tree, std::int64_t outputs);

/// One step to the mean prediction, before the first tree: begins with a tree of one leaf, or
/// corrects it, by the leaf value of mean derivatives. Whether another step is needed: the first
/// one always asks for it, the next ones if they change the leaf by more than a hundredth.
bool centerBias(Ensemble& ensemble, float meanFirst, float meanSecond, const LayerOptions& options);

/// TensorFlow stops at as many finished trees as wanted, or twice as many attempts at layers as
/// they have.
bool isComplete(const Ensemble& ensemble, const LayerOptions& options);

} // namespace cannery::trees
