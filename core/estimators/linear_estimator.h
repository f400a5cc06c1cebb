// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.LinearEstimator: a linear model with any head.
Result<graph::LoweredModel> lowerLinearEstimator(const LoweringRequest& request);

} // namespace cannery::estimators
