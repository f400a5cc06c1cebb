// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::tests {

/// The numbers of a tensor of a golden file (see networks/README.md); true is 1.
std::vector<float> floatsOf(const nlohmann::json& tensor);

/// Where the numbers first differ by more than tolerance * (1 + |expected|), as a sentence.
std::optional<std::string> differenceOf(const std::string& what, std::span<const float> actual,
                                        std::span<const float> expected, double tolerance);

/// What is fair for a case of `layers/<group>.json`.
double toleranceOf(const nlohmann::json& layerCase);

} // namespace cannery::tests
