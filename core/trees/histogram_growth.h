// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace cannery::trees {

/// How a tree grows over histograms. Sums of gradients and second derivatives are over rows, not
/// means.
struct HistogramGrowthOptions
{
    std::int64_t maxLeaves = 31;
    /// Layers of splits.
    std::int64_t maxDepth = std::numeric_limits<std::int64_t>::max();
    std::int64_t minRowsPerLeaf = 20;
    /// A node with a smaller sum of second derivatives is not split.
    double minNodeWeight = 0.0;
    double learningRate = 0.1;
    double l1 = 0.0;
    double l2 = 0.0;
    /// The gain that a split must exceed.
    double complexity = 0.0;
    double rowFraction = 1.0;
    double columnFraction = 1.0;
    /// By column: 1 if the prediction may only rise with it, -1 if only fall, otherwise 0. Empty:
    /// all 0.
    std::vector<std::int8_t> monotone;
    std::uint64_t seed = 0;
};

/// A node of a grown tree.
struct HistogramNode
{
    std::int32_t column = -1; ///< that it splits on; -1: a leaf
    float threshold = 0.0F;   ///< of a number: x <= threshold goes left
    bool restGoesLeft = false; ///< where a missing number goes
    /// Of a categorical column, ascending: these go left, all others and missing ones right.
    std::vector<std::int32_t> leftCategories;
    std::int32_t left = -1;
    std::int32_t right = -1;
    float value = 0.0F; ///< what the tree adds to the prediction, were this a leaf
    float gain = 0.0F;  ///< of the split: what it takes off the loss, twice
    std::int64_t rows = 0;

    bool operator==(const HistogramNode&) const = default;
};

/// Node 0 is the root; children come after their parent.
using HistogramTree = std::vector<HistogramNode>;

} // namespace cannery::trees
