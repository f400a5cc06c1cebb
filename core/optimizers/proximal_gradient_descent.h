// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

#include <memory>

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::ProximalGradientDescentUpdate. No slots.
std::unique_ptr<Optimizer> makeProximalGradientDescent(const spec::Optimizer& message,
                                                       OptimizerCommon common);

} // namespace cannery::optimizers
