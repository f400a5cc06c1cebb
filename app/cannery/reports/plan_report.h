// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "app/cannery/reports/model_plan.h"

#include <vector>

namespace cannery::app {

/// A line for each optimizer.
void printLearningRates(const Console& console, const std::vector<LearningRateCurve>& curves);

/// The layers as a table, then rows, memory and what was measured, a line each.
void printPlan(const Console& console, const ModelPlan& plan);

} // namespace cannery::app
