// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/starting_experiment.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::app {

/// A linear model starts at its solution; these show that it stays there.
constexpr std::int64_t kLinearSteps = 200;

/// What is chosen of a first model beside its columns.
struct ModelChoice
{
    ModelFamily family = ModelFamily::Combined;
    bool buckets = false; ///< the linear part sees buckets of its numbers, too
    double l2 = 1;        ///< of the linear part's solution
    std::vector<std::int64_t> hiddenUnits{64, 32};
    double dropout = 0; ///< 0: none
    double learningRate = 0.003;
    std::int64_t batchSize = 32;
    std::int64_t steps = 1000;

    bool hasLinearPart() const
    {
        return family == ModelFamily::Linear || family == ModelFamily::Combined;
    }
    bool hasDeepPart() const
    {
        return family == ModelFamily::Deep || family == ModelFamily::Combined;
    }
};

/// The choice for a table that nothing has been tried on: by its rows and columns alone.
ModelChoice usualChoice(const StartingExperiment& starting, std::uint64_t rows);

/// The starting experiment with this model: estimator, start, batches and steps; feature columns
/// that it does not use are taken out.
spec::Experiment withModel(const StartingExperiment& starting, const ModelChoice& choice);

/// The column of the table that a feature column is made of.
std::string sourceColumn(const spec::Experiment& experiment, const std::string& handle);

} // namespace cannery::app
