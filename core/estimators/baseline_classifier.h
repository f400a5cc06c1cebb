// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.BaselineClassifier: only a bias, with a binary or multi-class head.
Result<graph::LoweredModel> lowerBaselineClassifier(const LoweringRequest& request);

} // namespace cannery::estimators
