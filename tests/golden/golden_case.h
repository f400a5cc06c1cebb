// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cannery::tests {

/// How far a case may deviate from TensorFlow: the table of "Fair tolerances", widened to ten times
/// the difference between TensorFlow's own runs (`noise.json`).
struct CaseTolerances
{
    double lossRelative = 1e-5;
    /// Adam-like optimizers: from step 21 on.
    double lateLossRelative = 1e-5;
    double weightsRelative = 1e-4;
    double weightsAbsolute = 1e-6;
    double slotsAbsolute = 1e-6;
    double evaluation = 1e-5;  ///< times 1 + |x|
    double predictions = 1e-5; ///< times 1 + |x|
    /// For the elements that batch normalisation makes noise, see noisyElements().
    double noiseAbsolute = 1e-6;
    bool batchNorm = false;
    /// TensorFlow visits the rows in an order of its own, so only what it converges to compares.
    bool onlyOptimum = false;
};

/// A folder that real TensorFlow wrote; see tests/golden/README.md.
struct GoldenCase
{
    std::filesystem::path folder;
    std::string name;
    nlohmann::json description; ///< case.json
    std::string experimentText;

    std::int64_t steps() const { return description.at("steps").get<std::int64_t>(); }
    /// After how many steps TensorFlow's own runs differ; unset: never. Then only the losses of
    /// these are compared, and evaluations, predictions and exports are of TensorFlow's last state.
    std::optional<std::int64_t> deterministicSteps() const;
    /// False: it starts at the experiment's own initial values, and has its last ones as numbers.
    bool hasCheckpoints() const;
    std::string initialPrefix() const;
    std::string finalPrefix() const;
    nlohmann::json read(const std::string& file) const;
    CaseTolerances tolerances() const;
};

/// Reads a case and converts it to an experiment with to_experiment.py.
Result<GoldenCase> readGoldenCase(const std::filesystem::path& folder);

} // namespace cannery::tests
