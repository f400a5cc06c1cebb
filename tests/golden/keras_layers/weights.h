// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/spec/layers.pb.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <vector>

namespace cannery::tests {

/// Of {"class": …, "config": …}, or "class_name" as in a layer's config; nothing for a class that
/// we lack.
std::optional<spec::Initializer> initializerOf(const nlohmann::json& object);
std::optional<spec::Regularizer> regularizerOf(const nlohmann::json& object);
std::optional<spec::Constraint> constraintOf(const nlohmann::json& object);

/// What a layer's config has of regularizers and constraints, for variables of its layer of ours:
/// sets `weights` and `activity_regularizer`. False if one of them is a class that we lack, or of a
/// weight that is not among these.
bool takeWeightRules(const nlohmann::json& config,
                     const std::vector<layers::LayerVariable>& variables, spec::Layer& layer);

} // namespace cannery::tests
