// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/axis_scale.h"
#include "ui/models/series.h"
#include "ui/models/smoothing.h"

#include <optional>
#include <span>
#include <vector>

namespace cannery::ui {

/// Where the points of a series stand on an x axis. Ascends within a segment. An epoch axis without
/// known epochs counts steps. Holds spans of the series: until its next change.
class XColumn
{
public:
    XColumn(const Series& series, XAxis axis);

    double operator[](qsizetype index) const
    {
        switch (m_axis) {
        case XAxis::Step:
            return double(m_steps[size_t(index)]);
        case XAxis::Epoch:
            return double(m_steps[size_t(index)]) * m_scale;
        case XAxis::WallClock:
        case XAxis::Relative:
            break;
        }
        return m_start + double(m_seconds[size_t(index)]);
    }
    /// Looks near this index come soon; `index` is at least 24 from either end.
    void prefetch(qsizetype index) const
    {
        if (m_axis == XAxis::Step || m_axis == XAxis::Epoch) {
            // Columns differ by a block of sixteen: the lines before and behind as well.
            for (const qsizetype near : {-24, -16, -8, 0, 8, 16}) {
                __builtin_prefetch(m_steps.data() + index + near);
            }
        } else {
            for (const qsizetype near : {-16, 0, 16}) {
                __builtin_prefetch(m_seconds.data() + index + near);
            }
        }
    }
    /// First index of [begin, end) whose x is at least `x`, or greater than it.
    qsizetype lowerBound(qsizetype begin, qsizetype end, double x) const;
    qsizetype upperBound(qsizetype begin, qsizetype end, double x) const;

private:
    XAxis m_axis;
    std::span<const std::int64_t> m_steps;
    std::span<const float> m_seconds;
    double m_scale = 1;
    double m_start = 0;
};

/// Values by index and the pyramid over them.
struct YColumn
{
    std::span<const float> values;
    const MinMaxPyramid* pyramid = nullptr;

    MinMaxPyramid::Extremes extremes(qsizetype begin, qsizetype end) const
    {
        return pyramid->query(values, begin, end);
    }
};

struct IndexRange
{
    qsizetype begin = 0;
    qsizetype end = 0;

    qsizetype size() const { return end - begin; }
    bool operator==(const IndexRange&) const = default;
};

/// One series and what a chart derives from it, kept up to date value by value: smoothed values,
/// positive values for a log axis, where the non-finite ones are. GUI thread.
class CurveData
{
public:
    /// The series must outlive this.
    explicit CurveData(const Series& series) : m_series(&series) {}

    const Series& series() const { return *m_series; }
    /// Brings up to date what the options need, at most `budget` values of it. True when all is.
    bool update(const ChartOptions& options, qsizetype& budget);

    /// For drawing; on a log axis what is not positive is a gap.
    YColumn raw(bool logY) const;
    YColumn smoothed(bool logY) const;

    /// Indexes of NaN and infinities, ascending.
    std::span<const qsizetype> nonFinite() const { return m_nonFinite; }
    /// Values ≤ 0; counted while the y axis is logarithmic.
    qint64 notPositiveCount() const { return m_positive.hidden; }

    /// Points of a segment within the limits, and one more on either side, for the lines that leave
    /// the picture.
    IndexRange visible(const SeriesSegment& segment, XAxis axis, AxisLimits limits) const;
    /// The same without those, unless nothing else is left.
    IndexRange inside(const SeriesSegment& segment, XAxis axis, AxisLimits limits) const;
    /// The logged point whose x is nearest, among those that no later one overwrote.
    std::optional<qsizetype> nearest(double x, XAxis axis) const;
    /// Least and greatest x of all points, on a log axis of the positive ones; nothing without.
    std::optional<AxisLimits> xRange(XAxis axis, bool isLog) const;
    std::optional<float> lastValue() const;
    std::optional<double> smoothedAt(qsizetype index) const;

private:
    /// A copy in which what is not positive is NaN; made only where a log axis needs it.
    struct Positive
    {
        std::vector<float> values;
        MinMaxPyramid pyramid;
        qint64 hidden = 0;
        bool needed = false;

        void update(std::span<const float> all);
        void clear() { *this = {}; }
    };

    const Series* m_series;
    quint64 m_revision = ~quint64(0);
    qsizetype m_scanned = 0;
    std::vector<qsizetype> m_nonFinite;
    Smoother m_smoother;
    Positive m_positive;
    Positive m_positiveSmoothed;
};

} // namespace cannery::ui
