// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/spec/experiment.pb.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cannery::tests {

/// One output of a compiled model.
struct CompiledOutput
{
    std::string name;       ///< in its predictions
    std::string prediction; ///< the key of these in ours
    bool isClass = false;   ///< its label is the number of a class
};

/// A model of Keras with the settings of its compile(), as an experiment of ours.
struct CompiledModel
{
    spec::Experiment experiment; ///< resolved
    std::vector<CompiledOutput> outputs;

    /// Rows of data.json: "train" or "eval".
    data::FeatureBatch rows(const nlohmann::json& part) const;
};

/// Of the files model.json, case.json and data.json of a training. Errors: what we lack.
Result<CompiledModel> compiledModelOf(const nlohmann::json& model, const nlohmann::json& settings,
                                      const nlohmann::json& data);

} // namespace cannery::tests
