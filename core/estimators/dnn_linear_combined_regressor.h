// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.DNNLinearCombinedRegressor: the sum of a linear model and a deep network, with a
/// regression head.
Result<graph::LoweredModel> lowerDnnLinearCombinedRegressor(const LoweringRequest& request);

} // namespace cannery::estimators
