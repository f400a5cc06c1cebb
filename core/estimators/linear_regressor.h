// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.LinearRegressor: a linear model with a regression head.
Result<graph::LoweredModel> lowerLinearRegressor(const LoweringRequest& request);

} // namespace cannery::estimators
