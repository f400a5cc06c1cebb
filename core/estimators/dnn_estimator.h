// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.DNNEstimator: a deep network with any head.
Result<graph::LoweredModel> lowerDnnEstimator(const LoweringRequest& request);

} // namespace cannery::estimators
