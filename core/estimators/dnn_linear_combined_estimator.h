// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.DNNLinearCombinedEstimator: the sum of a linear model and a deep network, with any
/// head.
Result<graph::LoweredModel> lowerDnnLinearCombinedEstimator(const LoweringRequest& request);

} // namespace cannery::estimators
