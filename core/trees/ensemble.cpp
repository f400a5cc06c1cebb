// SPDX-License-Identifier: Apache-2.0
#include "core/trees/ensemble.h"

#include <algorithm>
#include <cmath>

namespace cannery::trees {

namespace {

bool goesLeft(const Node& node, const FeatureTable& table, std::int64_t row)
{
    const FeatureTable::Column* column = table.find(node.feature, node.dimension);
    const auto at = static_cast<std::size_t>(row);
    if (node.kind == SplitKind::Number) {
        // <= as the bins of training are cut; a missing number takes the direction that training
        // found.
        const float number = column->numbers[at];
        return std::isnan(number) ? node.missingLeft : number <= node.cut;
    }
    // A row with fewer values than the tree has dimensions falls into bucket 0, as in TensorFlow's
    // dense tensors.
    const std::int32_t bucket = column == nullptr ? 0 : column->buckets[at];
    switch (node.kind) {
    case SplitKind::Category:
        return bucket == node.threshold;
    case SplitKind::Categories:
        return bucket < 0 ? node.missingLeft : std::ranges::binary_search(node.categories, bucket);
    default:
        return bucket <= node.threshold;
    }
}

} // namespace

const FeatureTable::Column* FeatureTable::find(std::int32_t feature, std::int32_t dimension) const
{
    const auto at = static_cast<std::size_t>(feature);
    const std::int32_t column = firstColumns[at] + dimension;
    return column < firstColumns[at + 1] ? &columns[static_cast<std::size_t>(column)] : nullptr;
}

std::int64_t Ensemble::finalTrees() const
{
    return std::ranges::count_if(trees, &Tree::isFinal);
}

void Ensemble::addTree(std::vector<float> value)
{
    Tree& tree = trees.emplace_back();
    tree.nodes.emplace_back().value = std::move(value);
    lastLayerBegin = 0;
    lastLayerEnd = 1;
}

std::int32_t Ensemble::childOf(const Node& node, const FeatureTable& table, std::int64_t row)
{
    return goesLeft(node, table, row) ? node.left : node.right;
}

std::int32_t Ensemble::leafOf(const Tree& tree, const FeatureTable& table, std::int64_t row)
{
    std::int32_t at = 0;
    while (!tree.nodes[static_cast<std::size_t>(at)].isLeaf()) {
        at = childOf(tree.nodes[static_cast<std::size_t>(at)], table, row);
    }
    return at;
}

/// Tree by tree for all rows, not row by row: each logit is summed in the order of the trees,
/// whatever the batch.
void Ensemble::predict(const FeatureTable& table, std::int64_t first, std::int64_t last,
                       kernels::MatrixView logits) const
{
    for (std::int64_t row = first; row < last; ++row) {
        std::ranges::fill(logits.row(row - first), 0.0F);
    }
    for (const Tree& tree : trees) {
        for (std::int64_t row = first; row < last; ++row) {
            const std::int32_t leaf = leafOf(tree, table, row);
            const std::vector<float>& value = tree.nodes[static_cast<std::size_t>(leaf)].value;
            float* sums = logits.at(row - first) + std::max(tree.output, 0);
            for (std::size_t output = 0; output < value.size(); ++output) {
                sums[output] += tree.weight * value[output];
            }
        }
    }
}

} // namespace cannery::trees
