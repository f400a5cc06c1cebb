// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::RmsPropUpdate. Slots rms, momentum (only with a momentum above 0), mg (only when
/// centered).
std::unique_ptr<Optimizer> makeRmsprop(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
