// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.LinearClassifier: a linear model with a binary or multi-class head.
Result<graph::LoweredModel> lowerLinearClassifier(const LoweringRequest& request);

} // namespace cannery::estimators
