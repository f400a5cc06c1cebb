// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.estimator.experimental.RNNClassifier: a recurrent network with a binary or multi-class head.
Result<graph::LoweredModel> lowerRnnClassifier(const LoweringRequest& request);

} // namespace cannery::estimators
