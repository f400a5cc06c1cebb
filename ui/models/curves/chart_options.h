// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QJsonObject>
#include <QtGlobal>

#include <optional>

namespace cannery::ui {

enum class XAxis
{
    Step,
    Epoch,
    WallClock,
    Relative, ///< seconds since the run's first point
};

enum class SmoothingKind
{
    Off,
    Exponential,  ///< de-biased; weight in [0, 0.999]
    WindowMean,   ///< window in points
    WindowMedian, ///< window in points
};

struct Smoothing
{
    SmoothingKind kind = SmoothingKind::Off;
    double weight = 0.6; ///< of Exponential
    int window = 15;     ///< for the windowed methods, odd

    bool isOff() const { return kind == SmoothingKind::Off; }
    bool operator==(const Smoothing&) const = default;
};

struct AxisLimits
{
    double min = 0;
    double max = 1;

    bool operator==(const AxisLimits&) const = default;
};

/// How a chart is drawn, not what it draws. Part of the view state saved with a project.
struct ChartOptions
{
    XAxis xAxis = XAxis::Step;
    bool logX = false;
    bool logY = false;
    bool ignoreOutliers =
        false; ///< y range from the 5th to the 95th percentile of the visible values
    bool showOverwritten = true; ///< steps that a resumed run logged again, dotted
    Smoothing smoothing;
    std::optional<AxisLimits> xLimits; ///< typed or zoomed; if empty, all, following new data
    std::optional<AxisLimits> yLimits;

    bool follows() const { return !xLimits.has_value(); }
    bool operator==(const ChartOptions&) const = default;
};

QJsonObject toJson(const ChartOptions& options);
/// Anything that cannot be parsed keeps its default.
ChartOptions chartOptionsFromJson(const QJsonObject& json);

} // namespace cannery::ui
