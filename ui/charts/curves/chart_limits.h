// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/axis_scale.h"

namespace cannery::ui {

class ChartContent;

/// The limits of x that show all points.
AxisLimits limitsOfAll(const ChartContent& content);
/// The limits of y that show what lies within these of x, without outliers if they are ignored; at
/// round numbers for about so many ticks.
AxisLimits limitsWithin(const ChartContent& content, AxisLimits x, int ticks);

} // namespace cannery::ui
