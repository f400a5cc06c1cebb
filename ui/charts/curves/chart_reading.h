// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/curve.h"
#include "ui/models/curves/chart_options.h"

#include <QList>

#include <optional>

class QPointF;

namespace cannery::ui {

class ChartContent;
struct ChartPlot;

/// The x of the nearest logged point of any curve.
std::optional<double> snappedX(const ChartContent& content, double x);
/// The x of the `by`-th logged point of this curve before or after x.
std::optional<double> neighbourX(const ChartContent& content, int curve, double x, int by);
/// The x of a step; on a time axis according to the first curve's points.
std::optional<double> xOfStep(const ChartContent& content, double step);
/// The values at x, largest first.
QList<ReadoutRow> readoutRows(const ChartPlot& plot, double x);
/// The nearest curve within a few pixels; -1: none.
int curveAt(const ChartPlot& plot, const QPointF& pixel);
/// "falling", "rising", "steady": compares the last fifth of a curve with the fifth before it.
QString trendOf(const ChartContent& content, int curve);
/// "Wall clock".
QString titleOf(XAxis axis);

} // namespace cannery::ui
