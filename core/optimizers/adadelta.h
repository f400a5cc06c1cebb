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

/// kernels::AdadeltaUpdate. Slots accum_grad, accum_var.
std::unique_ptr<Optimizer> makeAdadelta(const spec::Optimizer& message, OptimizerCommon common);
/// See OptimizerRow::emit.
storage::NodeRef emitAdadelta(const spec::Optimizer& message, UpdateEmitter& update);

} // namespace cannery::optimizers
