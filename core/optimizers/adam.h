// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"
#include "storage/tf/graphs/node_ref.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

class UpdateEmitter;

/// kernels::AdamUpdate. Slots m, v, and vhat with amsgrad.
std::unique_ptr<Optimizer> makeAdam(const spec::Optimizer& message, OptimizerCommon common);
/// See OptimizerRow::emit.
storage::NodeRef emitAdam(const spec::Optimizer& message, UpdateEmitter& update);

} // namespace cannery::optimizers
