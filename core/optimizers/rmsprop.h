// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::RmsPropUpdate. Slots rms, momentum (only if momentum > 0), mg (only if centered).
std::unique_ptr<Optimizer> makeRmsprop(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
