// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_axes.h"
#include "ui/charts/curves/chart_content.h"

namespace cannery::ui {

/// Content and geometry of a chart, which a PlotPainter paints onto any device. Not a widget; a
/// ChartFrame shows its ticks. GUI thread.
struct ChartPlot
{
    ChartContent content;
    ChartAxes axes;
};

} // namespace cannery::ui
