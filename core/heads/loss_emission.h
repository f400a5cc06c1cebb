// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/heads/supervised_head.h"
#include "core/losses/loss.h"
#include "storage/tf/graphs/float_nodes.h"

#include <cstdint>

namespace cannery::heads {

/// A loss as nodes.
struct LossNodes
{
    storage::NodeRef losses;     ///< before weighting: [batch, 1] or, one per logit, [batch, width]
    storage::NodeRef loss;       ///< reduced, a scalar
    storage::NodeRef logitsGrad; ///< d loss / d logits, [batch, width]
};

/// Class ids, [batch, 1], as 1 for the class and 0 for the others, [batch, classes].
storage::NodeRef emitOneHot(const storage::FloatNodes& nodes, const storage::NodeRef& ids,
                            std::int64_t classes);

/// Emits the formulas of losses::Loss (kernels/math/losses.h) with their slopes, into the open
/// scope. `width`: logits per row.
LossNodes emitLoss(storage::GraphDefBuilder& graph, losses::LossKind kind, std::int64_t width,
                   losses::Reduction reduction, const SupervisedInputs& inputs);

} // namespace cannery::heads
