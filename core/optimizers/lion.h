// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

#include <memory>

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::LionUpdate, by the rules of tf.keras.optimizers alone. Slot m.
std::unique_ptr<Optimizer> makeLion(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
