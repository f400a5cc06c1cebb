// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.DNNClassifier: a deep network with a binary or multi-class head.
Result<graph::LoweredModel> lowerDnnClassifier(const LoweringRequest& request);

} // namespace cannery::estimators
