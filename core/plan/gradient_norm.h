// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cannery::plan {

class Network;
struct StepRecord;

/// Records, if the step's record wants it, the L2 norm of the gradients of a network's variables
/// together: after a backward pass, before an optimizer clips.
void recordGradientNorm(Network& network, std::size_t variables, StepRecord& record);

} // namespace cannery::plan
