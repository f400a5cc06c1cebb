// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace cannery::tests {

/// A case of attention, softmax or batch normalization as our layers take it: masks are inputs of 0
/// and 1 without a gradient, behind a key, and causal is part of the config. With "key_is_value"
/// the gradient of input 2 belongs to input 1; with "only_output" gradients are not comparable.
/// Other cases come back as they are.
nlohmann::json withMasksAsInputs(nlohmann::json layerCase);

} // namespace cannery::tests
