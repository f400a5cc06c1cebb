// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cannery::tests {

/// Whether a case of `layers/<group>.json` is about more than one layer of ours: about masks that
/// flow, or a Keras class that is several of our layers (stacked cells), or one with outputs that
/// are parts of ours (return_state).
bool isNetworkCase(const nlohmann::json& layerCase);

/// As compareLayerCase(), through a graph of nodes; compares the mask of the output, too. Of an
/// output that ours does not give (an LSTM's cell state) nothing is compared, nor then gradients,
/// to which it adds.
std::optional<std::vector<std::string>> compareNetworkCase(const nlohmann::json& layerCase);

} // namespace cannery::tests
