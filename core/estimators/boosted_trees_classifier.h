// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerBoostedTreesClassifier(const LoweringRequest& request);

} // namespace cannery::estimators
