// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "app/cannery/reports/strategy_plan.h"

namespace cannery::app {

/// Prints a table of strategies and how many workers are worth it; `withCurve`: also how fast each
/// number of workers is.
void printStrategies(const Console& console, const StrategyPlan& plan, bool withCurve);

} // namespace cannery::app
