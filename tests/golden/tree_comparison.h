// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::tests {

/// Sentences for what distinguishes two ensembles of boosted trees, as TensorFlow's serialized
/// messages: nodes must be the same, values of leaves and gains within 1e-4. Splits whose gains
/// differ by less are a tie, which float32 decides: what is below them is left out.
std::vector<std::string> compareTrees(std::span<const std::byte> ours, std::string_view theirs);

/// The same of what columns matter, with `feature_importances` of ensemble.json.
std::vector<std::string> compareImportances(const std::vector<std::pair<std::string, double>>& ours,
                                            const nlohmann::json& theirs);

} // namespace cannery::tests
