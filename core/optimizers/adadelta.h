// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

#include <memory>

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::AdadeltaUpdate. Slots accum_grad, accum_var.
std::unique_ptr<Optimizer> makeAdadelta(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
