// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.experimental.RNNEstimator: a recurrent network with any head.
Result<graph::LoweredModel> lowerRnnEstimator(const LoweringRequest& request);

} // namespace cannery::estimators
