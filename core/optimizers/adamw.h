// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

#include <memory>

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::AdamWUpdate, as tf.keras.optimizers.AdamW of Keras 2.15; checkpoints have the form that
/// those of legacy optimizers have. Slots m, v.
std::unique_ptr<Optimizer> makeAdamW(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
