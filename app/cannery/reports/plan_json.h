// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/reports/model_plan.h"

#include <string>
#include <vector>

namespace cannery::app {

/// What `cannery plan --json` prints: one object. "steps" and "warm_start" if there are any,
/// "measured_steps" and what was measured with them if steps were taken, "probe" if messages were
/// timed; speeds are null without a measurement.
std::string planJson(const ModelPlan& plan);

/// `{"learning_rates":[{"path","optimizer","schedule","steps","rates"}]}`
std::string learningRatesJson(const std::vector<LearningRateCurve>& curves);

} // namespace cannery::app
