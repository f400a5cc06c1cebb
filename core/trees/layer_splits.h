// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/layer_options.h"
#include "core/trees/layer_statistics.h"

#include <optional>
#include <span>
#include <vector>

namespace cannery::trees {

/// The value of a leaf that lowers the loss most, given the sums of its gradients and Hessians, and
/// by how much twice: w = -(g -/+ l1) / (h + l2), gain = (|g| - l1)^2 / (h + l2). With several
/// outputs, (H + l2 I) w = -g and gain = -g w, without l1, as in TensorFlow. Where the Hessian does
/// not say which of many values is best, as that of a softmax does not, outputs that only repeat
/// what the others say stay 0.
struct LeafValue
{
    std::vector<float> value;
    float gain = 0.0F;
};
LeafValue bestLeaf(std::span<const float> first, std::span<const float> second,
                   const LayerOptions& options);

/// The best split of a node.
struct SplitCandidate
{
    float gain = 0.0F; ///< beyond the node's own, less the complexity of a split
    std::int32_t feature = 0;
    std::int32_t dimension = 0;
    std::int32_t threshold = 0;
    bool isCategory = false;
    bool missingLeft = true;
    std::vector<float> left; ///< value of the left leaf, before the learning rate
    std::vector<float> right;
};

/// For each node of the statistics the split that TensorFlow's
/// BoostedTreesCalculateBestFeatureSplit finds, in float32 and in its order, which decides between
/// equal gains; nothing for a node whose second derivatives weigh less than minNodeWeight.
std::vector<std::optional<SplitCandidate>> bestSplits(const LayerStatistics& statistics,
                                                      const LayerOptions& options,
                                                      kernels::ThreadPool& pool);

} // namespace cannery::trees
