// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/heads/loss_emission.h"
#include "core/losses/loss.h"
#include "kernels/ops/row_loss.h"

#include <cstdint>

namespace cannery::heads {

/// Emits the formulas of kernels/math/row_losses.h and kernels/reference/row_loss.cpp with their
/// slopes, into the open scope. `width`: outputs per row.
LossNodes emitRowLoss(storage::GraphDefBuilder& graph, const kernels::RowLossRule& rule,
                      std::int64_t width, losses::Reduction reduction,
                      const SupervisedInputs& inputs);

} // namespace cannery::heads
