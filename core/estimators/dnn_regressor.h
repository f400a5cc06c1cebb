// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.DNNRegressor: a deep network with a regression head.
Result<graph::LoweredModel> lowerDnnRegressor(const LoweringRequest& request);

} // namespace cannery::estimators
