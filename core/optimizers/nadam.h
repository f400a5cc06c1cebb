// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"
#include "storage/tf/graphs/node_ref.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

class UpdateEmitter;

/// kernels::NadamUpdate. Slots m, v; the scalar momentum_cache is state. Keras's Nadam names its
/// schedule_decay `decay`, fixes it at 0.004 and ignores any other decay; so does this one.
std::unique_ptr<Optimizer> makeNadam(const spec::Optimizer& message, OptimizerCommon common);
/// See OptimizerRow::emit.
storage::NodeRef emitNadam(const spec::Optimizer& message, UpdateEmitter& update);

} // namespace cannery::optimizers
