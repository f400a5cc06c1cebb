// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cannery::plan {

class Network;

/// The L2 norm of the gradients of a network's variables together: after a backward pass, before an
/// optimizer clips.
double gradientNormOf(Network& network, std::size_t variables);

} // namespace cannery::plan
