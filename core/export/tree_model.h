// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/feature_encoder.h"
#include "core/features/raw_order.h"
#include "core/graph/lowered_model.h"
#include "core/trees/ensemble.h"
#include "storage/tf/tensor.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace cannery::exporting {

/// A split as an exported graph compares it, in whole numbers: right if the cell is above the cut,
/// or, for a category, if it is another one. A missing number goes right too if it says so.
struct TreeTest
{
    /// No cell is above this.
    static constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

    std::int32_t column = 0;
    std::int32_t cut = kNever;
    bool isEquality = false;
    bool missingRight = false;
    std::vector<std::int32_t> categories; ///< of a set
    bool isSet = false;
};

/// What the trees of a checkpoint are read from.
struct TreeSource
{
    const graph::LearnerDescription& learner;
    const features::FeatureEncoder& encoder;
    std::int64_t outputs = 1; ///< logits per row
    /// Of the checkpoint; without the ensemble (before the first step) the model has no trees.
    std::span<const storage::NamedTensor> tensors;
};

/// Trees, and a matrix of whole numbers that they read: one row per row, one column or more per
/// feature, those of numbers first. A number's cell is its place (features::RawOrder), a
/// category's its id.
class TreeModel
{
public:
    /// Errors: "trees.damaged".
    static Result<TreeModel> read(const TreeSource& source);

    const std::vector<trees::Tree>& trees() const { return m_ensemble.trees; }
    /// Errors: "export.tree_boundaries".
    Result<TreeTest> testOf(const trees::Node& node) const;

    std::int32_t width() const { return m_width; }
    /// How the raw numbers of the first columns are ordered.
    const std::vector<features::RawOrder>& orders() const { return m_orders; }
    /// How many columns an input has that is not a number.
    std::int32_t columnsOf(const graph::LearnerInput& input) const;
    /// Whether the input is split by sets of categories, for which a missing one is none.
    bool hasSets(const graph::LearnerInput& input) const;

    /// The raw numbers at which trees branch. Errors: those of testOf().
    Result<void> addEdges(std::vector<features::RawEdges>& edges) const;

private:
    /// Where a feature lies in the matrix.
    struct Placed
    {
        const graph::LearnerInput* input = nullptr;
        std::int32_t column = 0;  ///< of the feature's first dimension
        std::int64_t number = -1; ///< of a number: its index among all of them
        std::int64_t element = 0; ///< of the input
    };

    explicit TreeModel(const TreeSource& source) : m_source(source) {}
    void placeNumbers();
    void placeOthers();
    const storage::TensorView* find(const std::string& name) const;
    std::int32_t dimensionsOf(std::size_t feature) const;
    Result<std::int32_t> cutOf(const trees::Node& node, const Placed& placed) const;
    std::int32_t cutAbove(float number, const Placed& placed) const;

    TreeSource m_source;
    trees::Ensemble m_ensemble;
    std::vector<Placed> m_features;
    std::vector<features::RawOrder> m_orders;
    std::int32_t m_width = 0;
};

} // namespace cannery::exporting
