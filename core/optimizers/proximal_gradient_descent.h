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

/// kernels::ProximalGradientDescentUpdate. No slots.
std::unique_ptr<Optimizer> makeProximalGradientDescent(const spec::Optimizer& message,
                                                       OptimizerCommon common);
/// See OptimizerRow::emit.
storage::NodeRef emitProximalGradientDescent(const spec::Optimizer& message, UpdateEmitter& update);

} // namespace cannery::optimizers
