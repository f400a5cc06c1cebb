// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::FtrlUpdate. Slots accumulator, initially initial_accumulator_value, and linear.
std::unique_ptr<Optimizer> makeFtrl(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
