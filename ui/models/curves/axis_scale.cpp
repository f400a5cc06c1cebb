// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/axis_scale.h"

#include "ui/models/formats.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr double kDay = 86400;

/// The smallest of 1, 2, 5 times a power of ten that is at least `rough`.
double niceStep(double rough)
{
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough * (1 - 1e-9)) {
            return factor * power;
        }
    }
    return 10 * power;
}

double niceSeconds(double rough)
{
    static constexpr std::array kSteps{1.0,    2.0,    5.0,     10.0,    15.0,    30.0,
                                       60.0,   120.0,  300.0,   600.0,   900.0,   1800.0,
                                       3600.0, 7200.0, 10800.0, 21600.0, 43200.0, kDay};
    // Below a second, and beyond a day, time has decimal steps.
    if (rough <= kSteps.front()) {
        return niceStep(rough);
    }
    for (const double step : kSteps) {
        if (step >= rough * (1 - 1e-9)) {
            return step;
        }
    }
    return kDay * niceStep(rough / kDay);
}

/// Fixed decimals in the locale; never "-0".
QString fixed(double value, int decimals)
{
    if (std::fabs(value) < 0.5 * std::pow(10.0, -decimals)) {
        value = 0;
    }
    return withTrueMinus(QLocale().toString(value, 'f', decimals));
}

int decimalsOf(double step)
{
    // log10() of 0.01 may be just below -2, which would add a decimal.
    return std::max(0, int(-std::floor(std::log10(step) + 1e-9)));
}

QString shortCount(double value, double step, double largest)
{
    struct Unit
    {
        double size;
        const char* suffix;
    };
    static constexpr std::array kUnits{Unit{1e9, "G"}, Unit{1e6, "M"}, Unit{1e3, "k"}};
    if (value == 0) {
        return QStringLiteral("0");
    }
    for (const Unit& unit : kUnits) {
        // 200, 400 … 1,000 and not 0.2k, 0.4k … 1.0k; but never 2,000M next to 60G.
        const bool isShorter = step >= unit.size || largest >= 10 * unit.size ||
                               (unit.size > 1e3 && largest > unit.size);
        if (step >= unit.size / 10 && largest >= unit.size && isShorter) {
            const int decimals = step >= unit.size ? 0 : decimalsOf(step / unit.size);
            return fixed(value / unit.size, decimals) + QLatin1String(unit.suffix);
        }
    }
    return fixed(value, decimalsOf(step));
}

QString plainNumber(double value, double step, double largest)
{
    if (largest >= 1e6 && step >= 1e3) {
        return shortCount(value, step, largest);
    }
    // One power of ten for all labels of the axis, that of the largest, so that they can be
    // compared.
    if (step < 1e-4 && largest < 1e-2) {
        if (value == 0) {
            return QStringLiteral("0");
        }
        const int exponent = int(std::floor(std::log10(largest) + 1e-9));
        const double power = std::pow(10.0, exponent);
        return fixed(value / power, decimalsOf(step / power)) + QStringLiteral("·10") +
               superscript(exponent);
    }
    return fixed(value, decimalsOf(step));
}

QString clockLabel(double value, double step)
{
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(qint64(std::llround(value * 1000)));
    const QLocale locale;
    // Midnight is shown as the day that begins.
    if (time.time() == QTime(0, 0) && step >= 60) {
        return locale.toString(time, QStringLiteral("d MMM"));
    }
    if (step < 1) {
        return locale.toString(time, QStringLiteral("ss.zzz"));
    }
    return locale.toString(time, step < 60 ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm"));
}

QString durationLabel(double value, double step)
{
    struct Unit
    {
        double size;
        const char* name;
    };
    static constexpr std::array kUnits{Unit{kDay, "d"}, Unit{3600, "h"}, Unit{60, "min"}};
    if (value == 0) {
        return QStringLiteral("0");
    }
    for (const Unit& unit : kUnits) {
        if (step >= unit.size) {
            return withUnit(fixed(value / unit.size, 0), QLatin1String(unit.name));
        }
    }
    return withUnit(fixed(value, decimalsOf(step)), QStringLiteral("s"));
}

QString label(double value, double step, double largest, TickFormat format)
{
    switch (format) {
    case TickFormat::Count:
        return shortCount(value, step, largest);
    case TickFormat::WallClock:
        return clockLabel(value, step);
    case TickFormat::Duration:
        return durationLabel(value, step);
    case TickFormat::Number:
        break;
    }
    return plainNumber(value, step, largest);
}

AxisTicks linearTicks(AxisLimits limits, TickFormat format, int atMost)
{
    const double rough = (limits.max - limits.min) / std::max(1, atMost);
    const bool isTime = format == TickFormat::WallClock || format == TickFormat::Duration;
    double step = isTime ? niceSeconds(rough) : niceStep(rough);
    // There is nothing between two steps.
    if (format == TickFormat::Count) {
        step = std::max(step, 1.0);
    }
    // Ticks are at whole hours of the local time. The offset is that of the axis' start: a change
    // of clocks within it moves the later ones.
    double offset = 0;
    if (format == TickFormat::WallClock) {
        const auto start = QDateTime::fromSecsSinceEpoch(qint64(limits.min));
        offset = -start.offsetFromUtc();
    }
    AxisTicks ticks;
    // A tick on the very end of the axis is one, in spite of rounding.
    const double slack = step * 1e-6;
    const double first = std::ceil((limits.min - offset - slack) / step);
    const double largest = std::max(std::fabs(limits.min), std::fabs(limits.max));
    // Each from the first, so that errors do not add up; bounded, should the step be lost in
    // rounding.
    for (int i = 0; i <= 2 * atMost + 2; ++i) {
        const double value = (first + i) * step + offset;
        if (value > limits.max + slack) {
            break;
        }
        ticks.values.push_back(value);
        ticks.labels += label(value, step, largest, format);
    }
    return ticks;
}

QString logLabel(int exponent, int factor, TickFormat format)
{
    const double value = factor * std::pow(10.0, exponent);
    if (format == TickFormat::Count && exponent >= 0) {
        return shortCount(value, value, value);
    }
    if (factor == 1) {
        return QStringLiteral("10") + superscript(exponent);
    }
    return QString::number(factor) + QStringLiteral("·10") + superscript(exponent);
}

AxisTicks logTicks(AxisLimits limits, TickFormat format, int atMost)
{
    const double from = std::log10(limits.min) - 1e-9;
    const double to = std::log10(limits.max) + 1e-9;
    const int decades = int(std::floor(to)) - int(std::ceil(from)) + 1;
    AxisTicks ticks;
    if (decades >= 2) {
        // Only multiples of the stride, not every nth from the start: ticks stay where they are
        // while the axis grows.
        const int stride = (decades + std::max(1, atMost) - 1) / std::max(1, atMost);
        for (int exponent = int(std::ceil(from)); exponent <= int(std::floor(to)); ++exponent) {
            if (exponent % stride == 0) {
                ticks.values.push_back(std::pow(10.0, exponent));
                ticks.labels += logLabel(exponent, 1, format);
            }
        }
        return ticks;
    }
    for (int exponent = int(std::floor(from)); exponent <= int(std::floor(to)); ++exponent) {
        for (const int factor : {1, 2, 5}) {
            const double value = factor * std::pow(10.0, exponent);
            if (std::log10(value) >= from && std::log10(value) <= to) {
                ticks.values.push_back(value);
                ticks.labels += logLabel(exponent, factor, format);
            }
        }
    }
    return ticks.values.size() >= 2 ? ticks : linearTicks(limits, format, atMost);
}

AxisLimits niceLogLimits(AxisLimits data)
{
    const double from = std::log10(data.min);
    const double to = std::log10(data.max);
    // From a decade on, the ends are powers of ten, unless the data only just reaches into the next
    // one.
    if (to - from >= 1) {
        const double low = std::floor(from + 0.02);
        const double high = std::ceil(to - 0.02);
        return {std::pow(10.0, std::min(low, from)), std::pow(10.0, std::max(high, to))};
    }
    const double room = std::max(0.05 * (to - from), 0.02);
    return {std::pow(10.0, from - room), std::pow(10.0, to + room)};
}

} // namespace

AxisScale::AxisScale(AxisLimits limits, bool isLog) : m_limits(limits), m_isLog(isLog)
{
    m_from = transformed(limits.min);
    m_length = transformed(limits.max) - m_from;
    if (!(m_length > 0)) {
        m_length = 1;
    }
}

double AxisScale::transformed(double value) const
{
    return m_isLog ? std::log10(value) : value;
}

double AxisScale::toValue(double position) const
{
    const double value = m_from + position * m_length;
    return m_isLog ? std::pow(10.0, value) : value;
}

AxisLimits AxisScale::limitsOf(double from, double to) const
{
    return {toValue(from), toValue(to)};
}

AxisTicks makeTicks(const AxisScale& scale, TickFormat format, int atMost)
{
    atMost = std::max(atMost, 2);
    return scale.isLog() ? logTicks(scale.limits(), format, atMost)
                         : linearTicks(scale.limits(), format, atMost);
}

bool suits(const AxisTicks& ticks, const AxisScale& scale, int atMost)
{
    if (scale.isLog() || ticks.values.size() < 2) {
        return false;
    }
    const AxisLimits limits = scale.limits();
    const double step = ticks.values[1] - ticks.values[0];
    const double slack = step * 1e-6;
    const double intervals = (limits.max - limits.min) / step;
    const bool reaches = ticks.values.front() - step < limits.min - slack &&
                         ticks.values.back() + step > limits.max + slack;
    const bool isWithin =
        ticks.values.front() >= limits.min - slack && ticks.values.back() <= limits.max + slack;
    // From one round step to the next is at most a factor of 2.5.
    return reaches && isWithin && intervals <= atMost && intervals * 2.5 >= atMost;
}

AxisLimits niceLimits(AxisLimits data, bool isLog, int ticks)
{
    if (isLog) {
        return niceLogLimits(data);
    }
    const double largest = std::max(std::fabs(data.min), std::fabs(data.max));
    double length = data.max - data.min;
    // A constant, up to float rounding: it is shown in the middle, not as a magnified rounding
    // error.
    if (length <= largest * 1e-6) {
        const double room = largest == 0 ? 1 : largest * 0.1;
        data = {data.min - room, data.max + room};
        length = 2 * room;
    } else if (data.min > 0 && data.min < 0.25 * data.max) {
        // An axis that begins near 0 begins at 0: heights can then be compared.
        data.min = 0;
        length = data.max;
    } else if (data.max < 0 && data.max > 0.25 * data.min) {
        data.max = 0;
        length = -data.min;
    }
    // A curve that touches a round value does not need another interval.
    const auto rounded = [&](double grain) {
        return AxisLimits{std::floor(data.min / grain + 1e-6) * grain,
                          std::ceil(data.max / grain - 1e-6) * grain};
    };
    // Ends on ticks, unless that would leave too much empty space.
    const double step = niceStep(length / std::max(2, ticks));
    const AxisLimits onTicks = rounded(step);
    return length > 0.7 * (onTicks.max - onTicks.min) ? onTicks : rounded(step / 2);
}

QString formatAxisValue(double value, TickFormat format)
{
    switch (format) {
    case TickFormat::Count:
        return formatCount(qint64(std::llround(value)));
    case TickFormat::WallClock:
        return formatClock(QDateTime::fromMSecsSinceEpoch(qint64(std::llround(value * 1000))));
    case TickFormat::Duration:
        return formatDuration(value);
    case TickFormat::Number:
        break;
    }
    return formatNumber(value);
}

TickFormat tickFormatOf(XAxis axis)
{
    switch (axis) {
    case XAxis::Step:
        return TickFormat::Count;
    case XAxis::Epoch:
        return TickFormat::Number;
    case XAxis::WallClock:
        return TickFormat::WallClock;
    case XAxis::Relative:
        return TickFormat::Duration;
    }
    return TickFormat::Number;
}

} // namespace cannery::ui
