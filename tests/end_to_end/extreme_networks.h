// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace cannery::tests {

/// A network among extremeExperiments().
struct ExtremeNetwork
{
    const char* file;      ///< "sequences.cannery"
    const char* estimator; ///< of columns that every extreme experiment has
    const char* label = R"(column: "amount")";
};

/// Each layer that "network.cannery" lacks, with every number, on the way to the logits; and each
/// loss of a loss_head.
std::span<const ExtremeNetwork> extremeNetworks();

} // namespace cannery::tests
