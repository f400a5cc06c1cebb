// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

/// Networks of ours that models of Keras are.
namespace cannery::tests {

/// A model's inputs become numeric columns of features of their names.
/// `logits`: layers whose softmax the head computes. Errors: a layer that we lack.
Result<void> networkOfKeras(const nlohmann::json& model, const std::vector<std::string>& logits,
                            spec::Experiment& experiment);

/// The layers that give the outputs of a model, and the names of these, in the order of names where
/// the model has any (Keras, too, goes by that).
struct ModelOutput
{
    std::string name;
    std::string layer;
};
std::vector<ModelOutput> outputsOfKeras(const nlohmann::json& model);

} // namespace cannery::tests
