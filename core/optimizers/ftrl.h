// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"
#include "storage/tf/graphs/node_ref.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

class UpdateEmitter;

/// kernels::FtrlUpdate. Slots accumulator, initially initial_accumulator_value, and linear.
std::unique_ptr<Optimizer> makeFtrl(const spec::Optimizer& message, OptimizerCommon common);
/// See OptimizerRow::emit.
storage::NodeRef emitFtrl(const spec::Optimizer& message, UpdateEmitter& update);

} // namespace cannery::optimizers
