// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerBoostedTreesRegressor(const LoweringRequest& request);

} // namespace cannery::estimators
