// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/heads/head.h"
#include "core/heads/loss_head.h"

#include <memory>
#include <span>

namespace cannery::spec {
class Head;
}

namespace cannery::heads {

/// Several heads on slices of the logits, in order; the loss is the sum of head_weights * losses
/// (tf.estimator.MultiHead). Labels and weight columns are concatenated in the same order.
Result<std::unique_ptr<Head>> makeMultiHead(const spec::Head& message);
/// The same with the activations that a network leaves to its heads, see makeHead().
Result<std::unique_ptr<Head>> makeMultiHead(const spec::Head& message,
                                            std::span<const OutputActivation> activations);

} // namespace cannery::heads
