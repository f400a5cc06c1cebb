// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/ensemble.h"
#include "core/trees/histogram_builder.h"
#include "core/trees/histogram_gradients.h"
#include "core/trees/histogram_growth.h"
#include "core/trees/histogram_split.h"
#include "core/trees/histogram_table.h"
#include "core/trees/leaf_device.h"
#include "core/trees/row_partition.h"
#include "kernels/device/thread_pool.h"

#include <bitset>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace cannery::trees {

/// Which tree grows next.
struct GrowthTarget
{
    std::int64_t tree = 0;    ///< its number: what is drawn for it depends on it
    std::int64_t output = 0;  ///< that its leaves change
    std::int64_t outputs = 1; ///< of the model
    float bias = 0.0F;        ///< added to every value
    /// No child of a split has a smaller sum of second derivatives, and no leaf's value is computed
    /// with a smaller one.
    double leastHessian = 0.0;
};

/// Grows trees leaf by leaf: always the split that takes most off the loss, among all leaves. The
/// sums of the smaller part of a split leaf are built, those of the larger are what is left. Sums
/// that decide are of integers, so any number of threads grows the same tree. One caller at a
/// time.
class HistogramGrower
{
public:
    /// All but the options must outlive it. `device` has the table; the CPU does all if null.
    HistogramGrower(const HistogramTable& table, HistogramGrowthOptions options,
                    kernels::ThreadPool& pool, LeafDevice* device = nullptr);

    /// Adds the values of the new tree to `predictions`, one number a row, `stride` apart. Errors:
    /// of the device; then nothing is added.
    Result<Tree> grow(const GrowthTarget& target, const TreeGradients& gradients,
                      float* predictions, std::int64_t stride);

private:
    struct Leaf
    {
        std::int32_t node = 0;
        RowRange rows;
        std::int64_t depth = 0;
        GradientTotals totals;
        ValueBounds bounds;
        HistogramSplit split;
        std::unique_ptr<LeafHistogram> histogram; ///< null if it is not kept
    };

    void beginTree(const TreeGradients& gradients);
    Result<void> growLeaves();
    Result<void> growRoot();
    Result<void> splitBest();
    void splitLeaf(Leaf& leaf, Leaf& right);
    void boundChildren(const HistogramSplit& split, Leaf& left, Leaf& right) const;
    Result<void> findSplits(Leaf& left, Leaf& right, std::unique_ptr<LeafHistogram> parent);
    template <typename Prepare>
    void search(const std::vector<Leaf*>& leaves, const Prepare& prepare);
    Result<std::unique_ptr<LeafHistogram>> sumUp(const Leaf& leaf);
    bool maySplit(const Leaf& leaf) const;
    void offer(std::size_t index);
    Node splitNode(const HistogramSplit& split) const;
    std::vector<float> valueOf(double value) const;
    std::unique_ptr<LeafHistogram> takeHistogram();
    void giveBack(std::unique_ptr<LeafHistogram> histogram);
    void setLeafValues(const TreeGradients& gradients);
    void addToPredictions(float* predictions, std::int64_t stride) const;

    const HistogramTable& m_table;
    HistogramGrowthOptions m_options;
    kernels::ThreadPool& m_pool;
    LeafDevice* m_device;
    HistogramBuilder m_builder;
    RowPartition m_partition;
    std::vector<std::uint64_t> m_ownPacked; ///< unless the device keeps them
    std::span<std::uint64_t> m_packed;
    std::vector<std::unique_ptr<LeafHistogram>> m_spare;
    std::int64_t m_mostKept = 0; ///< histograms of leaves that wait to be split
    std::int64_t m_kept = 0;

    // Of the present tree.
    GrowthTarget m_target;
    GradientUnits m_units;
    std::vector<std::size_t> m_columns;
    std::vector<Leaf> m_leaves;
    std::vector<std::bitset<kernels::kHistogramBins>> m_leftBins; ///< by node
    std::vector<std::int32_t> m_columnOfNode;
    std::priority_queue<std::pair<double, std::int64_t>> m_queue; ///< gain, -leaf
    Tree m_tree;
};

} // namespace cannery::trees
