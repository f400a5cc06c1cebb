// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/layers.pb.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cannery::tests {

/// The layer of ours that a Keras class with this config is; nothing if we have none that does the
/// same.
std::optional<spec::Layer> layerOfKeras(const std::string& className, const nlohmann::json& config);

/// Runs a case of `layers/<group>.json` (see README.md) through its layer and compares outputs,
/// gradients of inputs and weights, penalties, and moving statistics. A sentence for each
/// difference; nothing if there is no layer of ours for it.
std::optional<std::vector<std::string>> compareLayerCase(const nlohmann::json& layerCase);

} // namespace cannery::tests
