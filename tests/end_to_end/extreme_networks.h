// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace cannery::tests {

/// A network among extremeExperiments(), with the regression label "amount".
struct ExtremeNetwork
{
    const char* file;      ///< "sequences.cannery"
    const char* estimator; ///< of columns that every extreme experiment has
};

/// Each layer that "network.cannery" lacks, with every number, on the way to the logits.
std::span<const ExtremeNetwork> extremeNetworks();

} // namespace cannery::tests
