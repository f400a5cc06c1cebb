// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// A linear classifier whose logits are multiplied by a constant.
Result<graph::LoweredModel> lowerScaledClassifier(const LoweringRequest& request);

} // namespace cannery::estimators
