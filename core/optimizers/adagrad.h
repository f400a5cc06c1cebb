// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::AdagradUpdate. Slot accumulator, initially initial_accumulator_value.
std::unique_ptr<Optimizer> makeAdagrad(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
