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

/// kernels::AdamaxUpdate. Slots m, v.
std::unique_ptr<Optimizer> makeAdamax(const spec::Optimizer& message, OptimizerCommon common);
/// See OptimizerRow::emit.
storage::NodeRef emitAdamax(const spec::Optimizer& message, UpdateEmitter& update);

} // namespace cannery::optimizers
