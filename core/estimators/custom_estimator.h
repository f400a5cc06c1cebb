// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// A network of one's own, as the model_fn of a tf.estimator.Estimator: the layers of its graph in
/// an order in which each follows its inputs. The logits are its outputs side by side, in the order
/// of the heads, or the last layer written. Where a loss_head's loss is computed from the values
/// behind a sigmoid or softmax, that activation is the head's and not the network's. Errors: those
/// of spec::layoutOf() and of the layers, with the name of the layer; "spec.output_count",
/// "estimators.logits_width", "estimators.logits_of_steps".
Result<graph::LoweredModel> lowerCustomEstimator(const LoweringRequest& request);

} // namespace cannery::estimators
