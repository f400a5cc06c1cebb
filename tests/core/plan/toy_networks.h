// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/core/plan/toy_model.h"

#include <span>

namespace cannery::tests {

/// The networks of one's own among toyEstimators().
std::span<const ToyEstimator> toyNetworks();

} // namespace cannery::tests
