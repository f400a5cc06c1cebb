// SPDX-License-Identifier: Apache-2.0
#include "core/trees/layer_statistics.h"

#include <algorithm>

namespace cannery::trees {

void LayerStatistics::begin(std::int32_t firstNode, std::int32_t endNode)
{
    m_firstNode = firstNode;
    m_nodeCount = endNode - firstNode;
    m_batches = 0;
    m_columns.clear();
}

std::size_t LayerStatistics::sizeOfNode(const Column& column) const
{
    const std::int32_t buckets = m_features[static_cast<std::size_t>(column.feature)].buckets;
    return (static_cast<std::size_t>(buckets) + 1) * width();
}

/// Of the dimensions that this batch is the first to have.
void LayerStatistics::addColumns(const FeatureTable& table)
{
    for (std::int32_t feature = 0; feature < table.featureCount(); ++feature) {
        const auto at = static_cast<std::size_t>(feature);
        const std::int32_t dimensions = table.firstColumns[at + 1] - table.firstColumns[at];
        for (std::int32_t dimension = 0; dimension < dimensions; ++dimension) {
            // Columns are kept in order, as batches may have different ones: ragged features differ
            // in length.
            const auto place = std::ranges::lower_bound(
                m_columns, std::pair(feature, dimension), {},
                [](const Column& column) { return std::pair(column.feature, column.dimension); });
            if (place == m_columns.end() || place->feature != feature ||
                place->dimension != dimension) {
                Column column{.feature = feature, .dimension = dimension};
                column.sums.resize(sizeOfNode(column) * static_cast<std::size_t>(m_nodeCount));
                m_columns.insert(place, std::move(column));
            }
        }
    }
}

void LayerStatistics::add(const FeatureTable& table, std::span<const std::int32_t> nodes,
                          const RowGradients& gradients, kernels::ThreadPool& pool)
{
    addColumns(table);
    const auto outputs = static_cast<std::size_t>(m_outputs);
    const auto addColumn = [&](std::int64_t index, int /*worker*/) {
        Column& column = m_columns[static_cast<std::size_t>(index)];
        const FeatureTable::Column* cells = table.find(column.feature, column.dimension);
        const std::int32_t missing = m_features[static_cast<std::size_t>(column.feature)].buckets;
        const std::size_t size = sizeOfNode(column);
        // In double within a batch, float across batches, which is what TensorFlow's accumulators
        // hold.
        std::vector<double> sums(column.sums.size());
        for (std::int64_t row = 0; row < table.rows; ++row) {
            const std::int32_t node = nodes[static_cast<std::size_t>(row)] - m_firstNode;
            if (node < 0 || node >= m_nodeCount) {
                continue;
            }
            // A dimension that the batch lacks is bucket 0 of every row.
            const std::int32_t cell =
                cells == nullptr ? 0 : cells->buckets[static_cast<std::size_t>(row)];
            const auto bucket =
                static_cast<std::size_t>(cell < 0 || cell >= missing ? missing : cell);
            double* target = sums.data() + static_cast<std::size_t>(node) * size + bucket * width();
            for (std::size_t output = 0; output < outputs; ++output) {
                target[output] += static_cast<double>(gradients.first.at(row)[output]);
            }
            for (std::size_t pair = 0; pair < outputs * outputs; ++pair) {
                target[outputs + pair] += static_cast<double>(gradients.second.at(row)[pair]);
            }
        }
        std::ranges::transform(column.sums, sums, column.sums.begin(),
                               [](float all, double one) { return all + static_cast<float>(one); });
    };
    pool.parallelFor(static_cast<std::int64_t>(m_columns.size()), addColumn);
    ++m_batches;
}

void LayerStatistics::pack(std::vector<double>& out) const
{
    out.push_back(static_cast<double>(m_batches));
    for (const Column& column : m_columns) {
        out.push_back(static_cast<double>(column.feature));
        out.push_back(static_cast<double>(column.dimension));
        out.insert(out.end(), column.sums.begin(), column.sums.end());
    }
}

bool LayerStatistics::unpack(std::span<const double> packed)
{
    std::vector<Column> columns;
    const double features = static_cast<double>(m_features.size());
    std::size_t at = 1;
    // Packed by another process: nothing is taken for granted.
    while (at + 2 <= packed.size()) {
        if (!(packed[at] >= 0 && packed[at] < features && packed[at + 1] >= 0 &&
              packed[at + 1] < 0x1p31)) {
            return false;
        }
        Column& column =
            columns.emplace_back(Column{.feature = static_cast<std::int32_t>(packed[at]),
                                        .dimension = static_cast<std::int32_t>(packed[at + 1])});
        at += 2;
        const std::size_t size = sizeOfNode(column) * static_cast<std::size_t>(m_nodeCount);
        if (size > packed.size() - at) {
            return false;
        }
        for (const double sum : packed.subspan(at, size)) {
            column.sums.push_back(static_cast<float>(sum));
        }
        at += size;
    }
    const auto place = [](const Column& column) {
        return std::pair(column.feature, column.dimension);
    };
    if (at != packed.size() || !(packed[0] >= 0 && packed[0] < 0x1p53) ||
        !std::ranges::is_sorted(columns, {}, place)) {
        return false;
    }
    m_batches = static_cast<std::int64_t>(packed[0]);
    m_columns = std::move(columns);
    return true;
}

void LayerStatistics::averages(const Column& column, std::int32_t node,
                               std::vector<float>& out) const
{
    const std::size_t size = sizeOfNode(column);
    const auto begin =
        column.sums.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(node) * size);
    out.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    // TensorFlow's accumulators give the mean over batches.
    if (m_batches > 1) {
        for (float& sum : out) {
            sum /= static_cast<float>(m_batches);
        }
    }
}

} // namespace cannery::trees
