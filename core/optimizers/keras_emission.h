// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/node_ref.h"

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

class UpdateEmitter;

/// Whether there are nodes for an optimizer with `rules: keras`: adafactor has none.
bool canEmitKeras(const spec::Optimizer& message);

/// The nodes of one update with `rules: keras`, weight decay and moving averages included; returns
/// the last operation. A gradient of some rows becomes one of all rows, which is the same to these
/// rules. `decays`: whether weight decay concerns the variable.
storage::NodeRef emitKeras(const spec::Optimizer& message, bool decays, UpdateEmitter& update);

} // namespace cannery::optimizers
