// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/chart_options.h"

#include <QJsonArray>
#include <QString>

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::ui {
namespace {

struct AxisName
{
    XAxis axis;
    const char* name;
};
constexpr std::array kAxisNames{AxisName{XAxis::Step, "step"}, AxisName{XAxis::Epoch, "epoch"},
                                AxisName{XAxis::WallClock, "wall_clock"},
                                AxisName{XAxis::Relative, "relative"}};

struct SmoothingName
{
    SmoothingKind kind;
    const char* name;
};
constexpr std::array kSmoothingNames{SmoothingName{SmoothingKind::Off, "off"},
                                     SmoothingName{SmoothingKind::Exponential, "exponential"},
                                     SmoothingName{SmoothingKind::WindowMean, "window_mean"},
                                     SmoothingName{SmoothingKind::WindowMedian, "window_median"}};

QJsonArray limitsToJson(const AxisLimits& limits)
{
    return {limits.min, limits.max};
}

std::optional<AxisLimits> limitsFromJson(const QJsonValue& value)
{
    const QJsonArray pair = value.toArray();
    if (pair.size() != 2 || !pair[0].isDouble() || !pair[1].isDouble()) {
        return std::nullopt;
    }
    const AxisLimits limits{pair[0].toDouble(), pair[1].toDouble()};
    if (!std::isfinite(limits.min) || !std::isfinite(limits.max) || limits.min >= limits.max) {
        return std::nullopt;
    }
    return limits;
}

} // namespace

QJsonObject toJson(const ChartOptions& options)
{
    QJsonObject json;
    for (const AxisName& row : kAxisNames) {
        if (row.axis == options.xAxis) {
            json["x_axis"] = QString::fromLatin1(row.name);
        }
    }
    json["log_x"] = options.logX;
    json["log_y"] = options.logY;
    json["ignore_outliers"] = options.ignoreOutliers;
    json["show_overwritten"] = options.showOverwritten;
    for (const SmoothingName& row : kSmoothingNames) {
        if (row.kind == options.smoothing.kind) {
            json["smoothing"] = QString::fromLatin1(row.name);
        }
    }
    json["smoothing_weight"] = options.smoothing.weight;
    json["smoothing_window"] = options.smoothing.window;
    if (options.xLimits) {
        json["x_limits"] = limitsToJson(*options.xLimits);
    }
    if (options.yLimits) {
        json["y_limits"] = limitsToJson(*options.yLimits);
    }
    return json;
}

ChartOptions chartOptionsFromJson(const QJsonObject& json)
{
    ChartOptions options;
    for (const AxisName& row : kAxisNames) {
        if (json["x_axis"].toString() == QLatin1String(row.name)) {
            options.xAxis = row.axis;
        }
    }
    options.logX = json["log_x"].toBool(options.logX);
    options.logY = json["log_y"].toBool(options.logY);
    options.ignoreOutliers = json["ignore_outliers"].toBool(options.ignoreOutliers);
    options.showOverwritten = json["show_overwritten"].toBool(options.showOverwritten);
    for (const SmoothingName& row : kSmoothingNames) {
        if (json["smoothing"].toString() == QLatin1String(row.name)) {
            options.smoothing.kind = row.kind;
        }
    }
    options.smoothing.weight =
        std::clamp(json["smoothing_weight"].toDouble(options.smoothing.weight), 0.0, 0.999);
    options.smoothing.window =
        std::clamp(json["smoothing_window"].toInt(options.smoothing.window), 1, 9999);
    options.xLimits = limitsFromJson(json["x_limits"]);
    options.yLimits = limitsFromJson(json["y_limits"]);
    return options;
}

} // namespace cannery::ui
