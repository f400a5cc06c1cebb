// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace cannery::tests {

/// Runs a case of `tables/losses.json` (see README.md) through its loss, and through the nodes that
/// an export has of it, and compares the losses of the rows, both reductions and the gradient. A
/// sentence for each difference.
std::vector<std::string> compareLossCase(const nlohmann::json& lossCase);

} // namespace cannery::tests
