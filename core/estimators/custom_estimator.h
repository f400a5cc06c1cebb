// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// A network of one's own, as the model_fn of a tf.estimator.Estimator: the layers of its graph in
/// an order in which each follows its inputs, the last one written giving the logits. Errors:
/// those of spec::layoutOf() and of the layers, with the name of the layer;
/// "estimators.logits_width".
Result<graph::LoweredModel> lowerCustomEstimator(const LoweringRequest& request);

} // namespace cannery::estimators
