// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/starting_experiment.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::advice {

/// A linear model starts at its solution; these steps show that it stays there.
constexpr std::int64_t kLinearSteps = 200;

/// How boosted trees of a first model grow. The defaults are those of the estimator.
struct TreeChoice
{
    std::int64_t leaves = 31;
    std::int64_t rowsPerLeaf = 20;
    double rate = 0.1;
    double rowFraction = 1; ///< drawn for each tree
    double columnFraction = 1;
    double leafPenalty = 0; ///< the L2 norm: about one row's share of the loss
};

/// The settings of a first model other than its columns.
struct ModelChoice
{
    ModelFamily family = ModelFamily::Combined;
    bool buckets = false; ///< the linear part also gets buckets of its numbers
    double l2 = 1;        ///< of the linear part's solution
    std::vector<std::int64_t> hiddenUnits{64, 32};
    double dropout = 0; ///< 0 if there is none
    double learningRate = 0.003;
    std::int64_t batchSize = 32;
    TreeChoice trees = {};
    std::int64_t steps = 1000; ///< of trees: as many per class

    bool hasLinearPart() const
    {
        return family == ModelFamily::Linear || family == ModelFamily::Combined;
    }
    bool hasTrees() const { return family == ModelFamily::Trees; }
    bool hasDeepPart() const
    {
        return family == ModelFamily::Deep || family == ModelFamily::Combined;
    }
};

/// The choice for a table on which nothing was tried, from its numbers of rows and columns.
ModelChoice usualChoice(const StartingExperiment& starting, std::uint64_t rows);

/// Whether trees can learn from the table: they read one category per cell, so that columns of
/// lists are not among theirs.
bool fitsTrees(const StartingExperiment& starting);

/// Deep parts to try on a table of so many rows, at least two.
std::vector<ModelChoice> deepChoices(const ModelChoice& base, std::int64_t rows);

/// The starting experiment with this model: estimator, initial values, batches and steps; feature
/// columns that it does not use are removed.
spec::Experiment withModel(const StartingExperiment& starting, const ModelChoice& choice);

/// The table column that a feature column is derived from.
std::string sourceColumn(const spec::Experiment& experiment, const std::string& handle);

} // namespace cannery::advice
