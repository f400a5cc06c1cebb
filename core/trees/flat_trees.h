// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/ensemble.h"
#include "kernels/device/tensor_view.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::trees {

/// A cell of a row that trees read: a number (NaN: missing), or the bits of an id (negative:
/// missing).
union RowCell
{
    float number;
    std::int32_t id;
};

/// The trees of an ensemble in a form that predicts fast: nodes of 16 bytes, which several rows
/// walk down in step, so that none waits for the memory of another. Gives the bits of
/// Ensemble::predict. Reads while nobody appends may be concurrent.
class FlatTrees
{
public:
    /// `firstCells`: where the dimensions of each feature begin in a row; they follow each other.
    explicit FlatTrees(std::vector<std::int32_t> firstCells) : m_firstCells(std::move(firstCells))
    {}

    void clear();
    void append(const Tree& tree);

    /// Sets `logits` to the sums over all trees, in order. `rows`: logits.rows times `stride`
    /// cells.
    void predict(const RowCell* rows, std::int64_t stride, kernels::MatrixView logits) const;

private:
    struct FlatNode
    {
        float cut = 0.0F;       ///< of a number: greater ones go right
        std::int32_t cell = -1; ///< that decides; -1 in a leaf
        std::int32_t child = 0; ///< the left one, which the right one follows; of a leaf: its
                                ///< values
        std::int16_t kind = 0;  ///< 0: a number, 1: an id
        std::int16_t missingRight = 0;
    };
    /// The ids that go left.
    struct IdSet
    {
        std::int32_t size = 0;
        std::size_t firstWord = 0;
    };
    struct FlatTree
    {
        std::int32_t root = 0;
        std::int32_t outputs = 0;     ///< values of a leaf
        std::int32_t firstOutput = 0; ///< that they are added to
        bool hasIds = false;
    };

    void flatten(const Tree& tree, std::int32_t node, std::int32_t place, FlatTree& flat);
    void addValues(const Tree& tree, const Node& leaf, const FlatTree& flat);
    std::int32_t addSet(const Node& node);
    template <bool HasIds>
    std::int32_t next(const FlatNode& node, const RowCell* row) const;
    template <bool HasIds>
    void add(const FlatTree& tree, const RowCell* rows, std::int64_t stride,
             kernels::MatrixView logits) const;

    std::vector<std::int32_t> m_firstCells;
    std::vector<FlatNode> m_nodes;
    std::vector<FlatTree> m_trees;
    std::vector<float> m_values;
    std::vector<IdSet> m_sets;
    std::vector<std::uint64_t> m_words;
};

} // namespace cannery::trees
