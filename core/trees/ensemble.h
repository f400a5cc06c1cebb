// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "kernels/device/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::trees {

/// Rows as trees see them: for each feature one or more dimensions, each a column of buckets (or
/// ids), of numbers, or of both. A missing number is NaN, a missing bucket or id negative.
struct FeatureTable
{
    struct Column
    {
        std::vector<std::int32_t> buckets;
        std::vector<float> numbers;
    };

    std::int64_t rows = 0;
    std::vector<std::int32_t> firstColumns; ///< by feature, and the number of columns at the end
    std::vector<Column> columns;

    std::int32_t featureCount() const { return static_cast<std::int32_t>(firstColumns.size()) - 1; }
    /// Null beyond the feature's dimensions: a row has fewer categories than the tree asks for.
    const Column* find(std::int32_t feature, std::int32_t dimension) const;
};

enum class SplitKind
{
    Leaf,
    Bucket,     ///< left: bucket <= threshold. Missing ones go left, as TensorFlow has it
    Category,   ///< left: id == threshold
    Number,     ///< left: number <= cut; NaN goes where missingLeft says
    Categories, ///< left: id is among `categories`; a missing one goes where missingLeft says
};

struct Node
{
    SplitKind kind = SplitKind::Leaf;
    std::int32_t feature = 0;
    std::int32_t dimension = 0;
    std::int32_t threshold = 0;
    float cut = 0.0F;
    std::vector<std::int32_t> categories; ///< sorted
    bool missingLeft = true;
    std::int32_t left = 0; ///< nodes of the same tree
    std::int32_t right = 0;
    float gain = 0.0F; ///< of the split
    /// Of a leaf, or what it was before it was split; one number per output (of a tree of one
    /// output, that one), or empty: all 0.
    std::vector<float> value;

    bool isLeaf() const { return kind == SplitKind::Leaf; }
};

/// What post-pruning made of a node: TensorFlow corrects cached predictions by it.
struct PrunedNode
{
    std::int32_t newNode = 0;
    std::vector<float> change;
};

struct Tree
{
    std::vector<Node> nodes; ///< the first is the root
    std::int32_t output =
        -1; ///< the only one of several outputs that it changes; -1 if it changes all
    float weight = 1.0F;
    std::int32_t layersGrown = 0;
    bool isFinal = false;
    std::vector<PrunedNode> pruned;
};

/// A sum of trees, with the fields of TensorFlow's TreeEnsemble message (boosted_trees.proto),
/// which can also say what TensorFlow's cannot: cuts at numbers with a direction for missing ones,
/// and sets of categories. Trees that TensorFlow's growth makes use Bucket and Category only.
struct Ensemble
{
    std::vector<Tree> trees;
    std::int64_t treesAttempted = 0;
    std::int64_t layersAttempted = 0;
    std::int32_t lastLayerBegin = 0; ///< nodes of the last tree that may be split next
    std::int32_t lastLayerEnd = 0;

    std::int64_t finalTrees() const;
    /// A new last tree of one leaf; `value` may be empty. It is the only node of the last layer.
    void addTree(std::vector<float> value = {});

    /// The node below a split that a row of the table goes to.
    static std::int32_t childOf(const Node& node, const FeatureTable& table, std::int64_t row);
    /// The leaf that a row of the table ends in.
    static std::int32_t leafOf(const Tree& tree, const FeatureTable& table, std::int64_t row);
    /// Sets `logits` ([last - first rows, outputs]) to the sums over all trees, in order, for rows
    /// [first, last) of the table. Thread-safe.
    void predict(const FeatureTable& table, std::int64_t first, std::int64_t last,
                 kernels::MatrixView logits) const;

    /// TensorFlow's TreeEnsemble message; deterministic. An ensemble without trees is empty.
    std::string serialize() const;
    /// Errors: "trees.damaged" if the bytes are no such message, or a node refers to one that is
    /// not there or not below it, or to a feature beyond `features`, or values have another number
    /// than `outputs`.
    static Result<Ensemble> parse(std::span<const std::byte> bytes, std::int32_t features,
                                  std::int64_t outputs);
};

} // namespace cannery::trees
