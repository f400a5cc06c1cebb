// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"

#include <QStringList>

#include <vector>

namespace cannery::ui {

/// Positions of values on an axis, linear or logarithmic: position 0 at the limits' min, 1 at their
/// max.
class AxisScale
{
public:
    AxisScale() = default;
    /// On a log axis both limits must be positive.
    AxisScale(AxisLimits limits, bool isLog);

    bool isLog() const { return m_isLog; }
    AxisLimits limits() const { return m_limits; }
    /// False for values that a log axis cannot show, and for NaN.
    bool canShow(double value) const { return m_isLog ? value > 0 : value == value; }

    double toPosition(double value) const { return (transformed(value) - m_from) / m_length; }
    double toValue(double position) const;
    /// The limits that show positions [from, to] of this scale, for zooming and panning.
    AxisLimits limitsOf(double from, double to) const;

private:
    double transformed(double value) const;

    AxisLimits m_limits;
    bool m_isLog = false;
    double m_from = 0;
    double m_length = 1;
};

/// How the numbers of an axis are formatted.
enum class TickFormat
{
    Number,    ///< the same number of decimals on the whole axis
    Count,     ///< steps: 500, 2k, 1.5M
    WallClock, ///< seconds since 1970: 14:31, 12 Nov
    Duration,  ///< seconds: 40 s, 5 min, 2 h
};

struct AxisTicks
{
    std::vector<double> values;
    QStringList labels; ///< one per value
};

/// Round values within the limits, at most `atMost` (at least two): multiples of 1, 2 or 5 times a
/// power of ten or of clock units; powers of ten on a log axis.
AxisTicks makeTicks(const AxisScale& scale, TickFormat format, int atMost);
/// Whether ticks made for other limits still fit a linear scale: inside it, reaching both its ends,
/// and as dense as makeTicks() would set them.
bool suits(const AxisTicks& ticks, const AxisScale& scale, int atMost);
/// Limits slightly wider than the data, ending on round values; sensible for a single value too.
AxisLimits niceLimits(AxisLimits data, bool isLog, int ticks);
/// One value of the axis in full, for the chip at the cursor: "5,000", "14:31:05", "3 min 20 s".
QString formatAxisValue(double value, TickFormat format);
TickFormat tickFormatOf(XAxis axis);

} // namespace cannery::ui
