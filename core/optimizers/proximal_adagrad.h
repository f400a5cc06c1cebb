// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"
#include "storage/tf/graphs/node_ref.h"

#include <memory>

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

class UpdateEmitter;

/// kernels::ProximalAdagradUpdate. One slot, initially initial_accumulator_value, which
/// TensorFlow names after the optimizer.
std::unique_ptr<Optimizer> makeProximalAdagrad(const spec::Optimizer& message,
                                               OptimizerCommon common);
/// See OptimizerRow::emit.
storage::NodeRef emitProximalAdagrad(const spec::Optimizer& message, UpdateEmitter& update);

} // namespace cannery::optimizers
