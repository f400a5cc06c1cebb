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

} // namespace cannery::trees
