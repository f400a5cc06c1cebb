// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/chart_options.h"

#include <QStringList>

#include <vector>

namespace cannery::ui {

/// Where values stand on an axis, linear or truly logarithmic: position 0 at the limits' min, 1 at
/// their max.
class AxisScale
{
public:
    AxisScale() = default;
    /// On a log axis both limits must be positive.
    AxisScale(AxisLimits limits, bool isLog);

    bool isLog() const { return m_isLog; }
    AxisLimits limits() const { return m_limits; }
    /// False of values that a log axis cannot show, and of NaN.
    bool canShow(double value) const { return m_isLog ? value > 0 : value == value; }

    double toPosition(double value) const { return (transformed(value) - m_from) / m_length; }
    double toValue(double position) const;
    /// The limits that show positions [from, to] of this scale: zooming and panning.
    AxisLimits limitsOf(double from, double to) const;

private:
    double transformed(double value) const;

    AxisLimits m_limits;
    bool m_isLog = false;
    double m_from = 0;
    double m_length = 1;
};

/// How the numbers of an axis are written.
enum class TickFormat
{
    Number,    ///< one number of decimals per axis
    Count,     ///< steps: 500, 2k, 1.5M
    WallClock, ///< seconds since 1970: 14:31, 12 Nov
    Duration,  ///< seconds: 40 s, 5 min, 2 h
};

struct AxisTicks
{
    std::vector<double> values;
    QStringList labels; ///< one a value
};

/// Round values within the limits, `atMost` of them (at least two): multiples of 1, 2 or 5 times a
/// power of ten, of clock units, or on a log axis powers of ten.
AxisTicks makeTicks(const AxisScale& scale, TickFormat format, int atMost);
/// Whether ticks that were made for other limits still stand well on a linear scale: within it, to
/// both its ends, and neither closer nor rarer than makeTicks() would set them.
bool suits(const AxisTicks& ticks, const AxisScale& scale, int atMost);
/// Limits a little wider than the data, ending on round values; sensible for a single value too.
AxisLimits niceLimits(AxisLimits data, bool isLog, int ticks);
/// One value of the axis in full, for the chip at the cursor: "5,000", "14:31:05", "3 min 20 s".
QString formatAxisValue(double value, TickFormat format);
TickFormat tickFormatOf(XAxis axis);

} // namespace cannery::ui
