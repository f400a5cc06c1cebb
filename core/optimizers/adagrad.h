// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"
#include "storage/tf/graphs/node_ref.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

class UpdateEmitter;

/// kernels::AdagradUpdate. Slot accumulator, initially initial_accumulator_value.
std::unique_ptr<Optimizer> makeAdagrad(const spec::Optimizer& message, OptimizerCommon common);
/// See OptimizerRow::emit.
storage::NodeRef emitAdagrad(const spec::Optimizer& message, UpdateEmitter& update);

} // namespace cannery::optimizers
