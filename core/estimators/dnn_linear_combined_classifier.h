// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.DNNLinearCombinedClassifier: the sum of a linear model and a deep network, with a
/// binary or multi-class head.
Result<graph::LoweredModel> lowerDnnLinearCombinedClassifier(const LoweringRequest& request);

} // namespace cannery::estimators
