// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.BaselineRegressor: only a bias, with a regression head.
Result<graph::LoweredModel> lowerBaselineRegressor(const LoweringRequest& request);

} // namespace cannery::estimators
