// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <optional>

/// What all estimators of boosted trees share, read by the names and options of the schema: nothing
/// here refers to a specific estimator or kind of feature column.
namespace cannery::spec {

/// Their common arguments; the schema describes them.
struct TreeArguments
{
    std::int64_t treeCount = 0;
    std::int64_t maxDepth = 0;
    std::int64_t batchesPerLayer = 0;
    double learningRate = 0.0;
    double l1 = 0.0;
    double l2 = 0.0;
    double complexity = 0.0;
    double minNodeWeight = 0.0;
    double quantileEpsilon = 0.0;
    bool centerBias = false;
    bool inMemory = false; ///< of an estimator without train_in_memory: false
    TreePruning::Mode pruning = TreePruning::none;
};

/// Nothing if the estimator has no trees.
std::optional<TreeArguments> treeArgumentsOf(const Estimator& estimator);

/// How trees split a feature column.
enum class TreeReading
{
    Numbers,    ///< at quantiles
    Buckets,    ///< at its own boundaries
    Categories, ///< one id against the others
    Indicator,  ///< by whether an id of the wrapped column is there
};

/// Nothing for a column that trees cannot read: one with trained or weighted values.
std::optional<TreeReading> treeReadingOf(const FeatureColumn& column);

} // namespace cannery::spec
