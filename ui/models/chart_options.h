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
    int window = 15;     ///< of the windowed ones, odd

    bool isOff() const { return kind == SmoothingKind::Off; }
    bool operator==(const Smoothing&) const = default;
};

struct AxisLimits
{
    double min = 0;
    double max = 1;

    bool operator==(const AxisLimits&) const = default;
};

/// How a chart is drawn, apart from what it draws. Part of the view state that a project keeps.
struct ChartOptions
{
    XAxis xAxis = XAxis::Step;
    bool logX = false;
    bool logY = false;
    bool ignoreOutliers = false; ///< y range from the 5th to the 95th percentile of what is visible
    bool showOverwritten = true; ///< steps that a resumed run logged again, dotted
    Smoothing smoothing;
    std::optional<AxisLimits> xLimits; ///< typed or zoomed; nothing: all, following new data
    std::optional<AxisLimits> yLimits;

    bool follows() const { return !xLimits.has_value(); }
    bool operator==(const ChartOptions&) const = default;
};

QJsonObject toJson(const ChartOptions& options);
/// What cannot be understood stays at its default.
ChartOptions chartOptionsFromJson(const QJsonObject& json);

} // namespace cannery::ui
