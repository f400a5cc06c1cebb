// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::AdamUpdate. Slots m, v, and vhat with amsgrad.
std::unique_ptr<Optimizer> makeAdam(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
