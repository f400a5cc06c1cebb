// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/ensemble.h"
#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::trees {

/// A feature as growth by layers sees it.
struct BucketFeature
{
    std::int32_t buckets = 2;  ///< of its group: as TensorFlow has it, at least the feature's own
    bool isCategory = false;   ///< split by equality, otherwise by order
    bool isBucketized = false; ///< of a bucketized column: searched last in its group
};

struct RowGradients
{
    kernels::ConstMatrixView first;  ///< [rows, outputs]
    kernels::ConstMatrixView second; ///< each row's Hessian, row by row: [rows, outputs * outputs]
};

/// The sums that splits of the last layer's nodes are found from: for each of the nodes, each
/// column and each bucket, and for missing values, the sums of first and second derivatives of its
/// rows. Those of one batch are added in double and kept as float32, as TensorFlow keeps them;
/// those of several batches are averaged. The same bits for any number of threads.
class LayerStatistics
{
public:
    explicit LayerStatistics(std::vector<BucketFeature> features, std::int64_t outputs)
        : m_features(std::move(features)), m_outputs(outputs)
    {}

    /// Forgets everything; the next batches are of these nodes of a tree.
    void begin(std::int32_t firstNode, std::int32_t endNode);
    /// `nodes`: the node of each row of the table; rows of nodes before the first are left out.
    void add(const FeatureTable& table, std::span<const std::int32_t> nodes,
             const RowGradients& gradients, kernels::ThreadPool& pool);
    std::int64_t batches() const { return m_batches; }
    std::int32_t firstNode() const { return m_firstNode; }
    std::int32_t nodeCount() const { return m_nodeCount; }
    std::int64_t outputs() const { return m_outputs; }
    const std::vector<BucketFeature>& features() const { return m_features; }

    /// A column that has statistics: a dimension of a feature.
    struct Column
    {
        std::int32_t feature = 0;
        std::int32_t dimension = 0;
        /// [nodes, buckets + 1, width()]: the last bucket has the missing values.
        std::vector<float> sums;
    };
    const std::vector<Column>& columns() const { return m_columns; }
    /// Sums of a bucket: of the gradients, then of the Hessians.
    std::size_t width() const { return static_cast<std::size_t>(m_outputs * (1 + m_outputs)); }
    /// The averages over batches of a node and a column: [buckets + 1, width()].
    void averages(const Column& column, std::int32_t node, std::vector<float>& out) const;

    /// Everything since begin(), to be continued elsewhere.
    void pack(std::vector<double>& out) const;
    /// Continues from what pack() has added for the same nodes; false if it does not fit.
    bool unpack(std::span<const double> packed);

private:
    std::size_t sizeOfNode(const Column& column) const;
    void addColumns(const FeatureTable& table);

    std::vector<BucketFeature> m_features;
    std::int64_t m_outputs = 1;
    std::int32_t m_firstNode = 0;
    std::int32_t m_nodeCount = 0;
    std::int64_t m_batches = 0;
    std::vector<Column> m_columns; ///< by feature, then dimension
};

} // namespace cannery::trees
