// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::tests {

/// Sentences for what distinguishes two ensembles of boosted trees, as TensorFlow's serialized
/// messages: nodes must be the same, values of leaves and gains within 1e-4.
std::vector<std::string> compareTrees(std::span<const std::byte> ours, std::string_view theirs);

} // namespace cannery::tests
