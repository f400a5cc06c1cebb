// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/reports/model_plan.h"
#include "core/reports/plan.pb.h"

#include <vector>

namespace cannery::app {

/// What `cannery plan --json` prints.
reports::Plan planReport(const ModelPlan& plan);

/// What it prints with `--learning-rates`.
reports::LearningRates learningRatesReport(const std::vector<LearningRateCurve>& curves);

} // namespace cannery::app
