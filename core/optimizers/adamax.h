// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

#include <memory>

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::AdamaxUpdate. Slots m, v.
std::unique_ptr<Optimizer> makeAdamax(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
