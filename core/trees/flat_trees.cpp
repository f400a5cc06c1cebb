// SPDX-License-Identifier: Apache-2.0
#include "core/trees/flat_trees.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace cannery::trees {

namespace {

/// Rows that walk down in step.
constexpr std::int64_t kWalkers = 8;
/// Rows that stay in the nearest cache while all trees pass over them.
constexpr std::int64_t kBatchRows = 128;
constexpr std::int32_t kWordBits = 64;

/// The outputs that some leaf of the tree changes: first, and number.
std::pair<std::int32_t, std::int32_t> outputsOf(const Tree& tree)
{
    if (tree.output >= 0) {
        return {tree.output, 1};
    }
    std::int32_t first = std::numeric_limits<std::int32_t>::max();
    std::int32_t end = 0;
    for (const Node& node : tree.nodes) {
        for (std::size_t k = 0; node.isLeaf() && k < node.value.size(); ++k) {
            if (node.value[k] != 0.0F) {
                first = std::min(first, static_cast<std::int32_t>(k));
                end = std::max(end, static_cast<std::int32_t>(k) + 1);
            }
        }
    }
    return end == 0 ? std::pair(0, 0) : std::pair(first, end - first);
}

} // namespace

void FlatTrees::clear()
{
    m_nodes.clear();
    m_trees.clear();
    m_values.clear();
    m_sets.clear();
    m_words.clear();
}

void FlatTrees::append(const Tree& tree)
{
    FlatTree flat;
    std::tie(flat.firstOutput, flat.outputs) = outputsOf(tree);
    flat.root = static_cast<std::int32_t>(m_nodes.size());
    m_nodes.emplace_back();
    flatten(tree, 0, flat.root, flat);
    m_trees.push_back(flat);
}

void FlatTrees::flatten(const Tree& tree, std::int32_t node, std::int32_t place, FlatTree& flat)
{
    const Node& from = tree.nodes[static_cast<std::size_t>(node)];
    FlatNode to;
    if (from.isLeaf()) {
        to.child = static_cast<std::int32_t>(m_values.size());
        addValues(tree, from, flat);
        m_nodes[static_cast<std::size_t>(place)] = to;
        return;
    }
    to.cell = m_firstCells[static_cast<std::size_t>(from.feature)] + from.dimension;
    to.cut = from.cut;
    to.missingRight = from.missingLeft ? 0 : 1;
    if (from.kind != SplitKind::Number) {
        to.kind = 1;
        to.missingRight = from.kind == SplitKind::Category ||
                                  (from.kind == SplitKind::Categories && !from.missingLeft)
                              ? 1
                              : 0;
        to.cut = std::bit_cast<float>(addSet(from));
        flat.hasIds = true;
    }
    // Siblings lie side by side: the next node is the child plus 0 or 1, without a branch.
    to.child = static_cast<std::int32_t>(m_nodes.size());
    m_nodes[static_cast<std::size_t>(place)] = to;
    m_nodes.resize(m_nodes.size() + 2);
    flatten(tree, from.left, to.child, flat);
    flatten(tree, from.right, to.child + 1, flat);
}

/// Multiplied by the tree's weight once here instead of for every row.
void FlatTrees::addValues(const Tree& tree, const Node& leaf, const FlatTree& flat)
{
    for (std::int32_t k = 0; k < flat.outputs; ++k) {
        const auto at = static_cast<std::size_t>(tree.output >= 0 ? k : flat.firstOutput + k);
        m_values.push_back(at < leaf.value.size() ? tree.weight * leaf.value[at] : 0.0F);
    }
}

/// A bucket goes left up to a threshold, a category if it is the one or among some.
std::int32_t FlatTrees::addSet(const Node& node)
{
    std::int32_t size = node.threshold + 1;
    if (node.kind == SplitKind::Categories) {
        size = node.categories.empty() ? 0 : node.categories.back() + 1;
    }
    const std::size_t firstWord = m_words.size();
    m_words.resize(firstWord + static_cast<std::size_t>((size + kWordBits - 1) / kWordBits));
    const auto insert = [&](std::int32_t id) {
        m_words[firstWord + static_cast<std::size_t>(id / kWordBits)] |= std::uint64_t{1}
                                                                         << (id % kWordBits);
    };
    for (std::int32_t id = 0; id < size; ++id) {
        const bool isIn =
            node.kind == SplitKind::Bucket ||
            (node.kind == SplitKind::Category ? id == node.threshold
                                              : std::ranges::binary_search(node.categories, id));
        if (isIn) {
            insert(id);
        }
    }
    m_sets.push_back({size, firstWord});
    return static_cast<std::int32_t>(m_sets.size()) - 1;
}

/// Numbers are compared by one flag each, so that the usual tree has no unpredictable branch.
template <bool HasIds>
std::int32_t FlatTrees::next(const FlatNode& node, const RowCell* row) const
{
    const RowCell cell = row[node.cell];
    if (HasIds && node.kind != 0) {
        if (cell.id < 0) {
            return node.child + node.missingRight;
        }
        // The cut of a node of ids holds the number of its set.
        const IdSet& set = m_sets[std::bit_cast<std::uint32_t>(node.cut)];
        if (cell.id >= set.size) {
            return node.child + 1;
        }
        const std::uint64_t word =
            m_words[set.firstWord + static_cast<std::size_t>(cell.id / kWordBits)];
        return node.child + 1 - static_cast<std::int32_t>((word >> (cell.id % kWordBits)) & 1U);
    }
    const auto isGreater = static_cast<std::int32_t>(cell.number > node.cut);
    const auto isMissing = static_cast<std::int32_t>(std::isnan(cell.number));
    return node.child + (isGreater | (isMissing & node.missingRight));
}

template <bool HasIds>
void FlatTrees::add(const FlatTree& tree, const RowCell* rows, std::int64_t stride,
                    kernels::MatrixView logits) const
{
    // Several rows descend at once: the loads of one overlap those of the others, where a single
    // row would wait for each node in turn.
    for (std::int64_t first = 0; first < logits.rows; first += kWalkers) {
        const std::int64_t count = std::min(kWalkers, logits.rows - first);
        std::array<std::int32_t, kWalkers> at;
        at.fill(tree.root);
        for (bool walks = true; walks;) {
            walks = false;
            for (std::int64_t i = 0; i < count; ++i) {
                const FlatNode& node = m_nodes[static_cast<std::size_t>(at[i])];
                const bool isLeaf = node.cell < 0;
                // A row that has arrived stays on its leaf until the slowest of the group has, too.
                at[i] = isLeaf ? at[i] : next<HasIds>(node, rows + (first + i) * stride);
                walks = walks || !isLeaf;
            }
        }
        for (std::int64_t i = 0; i < count; ++i) {
            const float* values = m_values.data() + m_nodes[static_cast<std::size_t>(at[i])].child;
            float* sums = logits.at(first + i) + tree.firstOutput;
            for (std::int32_t k = 0; k < tree.outputs; ++k) {
                sums[k] += values[k];
            }
        }
    }
}

void FlatTrees::predict(const RowCell* rows, std::int64_t stride, kernels::MatrixView logits) const
{
    for (std::int64_t first = 0; first < logits.rows; first += kBatchRows) {
        const std::int64_t count = std::min(kBatchRows, logits.rows - first);
        const kernels::MatrixView batch = logits.slice(first, count);
        for (std::int64_t row = 0; row < count; ++row) {
            std::ranges::fill(batch.row(row), 0.0F);
        }
        for (const FlatTree& tree : m_trees) {
            if (tree.hasIds) {
                add<true>(tree, rows + first * stride, stride, batch);
            } else {
                add<false>(tree, rows + first * stride, stride, batch);
            }
        }
    }
}

} // namespace cannery::trees
