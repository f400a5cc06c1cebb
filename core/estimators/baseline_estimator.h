// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.BaselineEstimator: only a bias, with any head.
Result<graph::LoweredModel> lowerBaselineEstimator(const LoweringRequest& request);

} // namespace cannery::estimators
