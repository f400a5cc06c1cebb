// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"
#include "storage/tf/graphs/node_ref.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

class UpdateEmitter;

/// kernels::SgdUpdate. Slot momentum, only if momentum > 0.
std::unique_ptr<Optimizer> makeSgd(const spec::Optimizer& message, OptimizerCommon common);
/// See OptimizerRow::emit.
storage::NodeRef emitSgd(const spec::Optimizer& message, UpdateEmitter& update);

} // namespace cannery::optimizers
