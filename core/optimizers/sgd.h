// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::SgdUpdate. Slot momentum, only if momentum > 0.
std::unique_ptr<Optimizer> makeSgd(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
