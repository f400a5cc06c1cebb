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

/// What is compared of splits whose gains differ by less than 1e-4, so that float32 decides.
enum class Ties
{
    LeftOut, ///< nothing: such a split and what is below it may be another one
    Same,    ///< everything, as of others
};

/// Sentences for what distinguishes two ensembles of boosted trees, as TensorFlow's serialized
/// messages: nodes must be the same, values of leaves and gains within 1e-4.
std::vector<std::string> compareTrees(std::span<const std::byte> ours, std::string_view theirs,
                                      Ties ties);

/// The same of what columns matter, with `feature_importances` of ensemble.json. TensorFlow has
/// none of trees that split by category.
std::vector<std::string> compareImportances(const std::vector<std::pair<std::string, double>>& ours,
                                            const nlohmann::json& theirs);

} // namespace cannery::tests
