// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/axis_scale.h"
#include "ui/models/curves/series.h"
#include "ui/models/curves/smoothing.h"

#include <optional>
#include <span>
#include <vector>

namespace cannery::ui {

/// The x positions of a series' points. Ascends within a segment. An epoch axis without known
/// epochs counts steps. Holds spans of the series, valid until its next change.
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
    /// Announces accesses near this index; `index` is at least 24 from either end.
    void prefetch(qsizetype index) const
    {
        if (m_axis == XAxis::Step || m_axis == XAxis::Epoch) {
            // Columns differ by a block of sixteen: prefetch the adjacent cache lines as well.
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

/// Values by index, and the pyramid above them.
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

/// One series and what a chart derives from it, updated incrementally: smoothed values, positive
/// values for a log axis, positions of non-finite values. GUI thread.
class CurveData
{
public:
    /// The series must outlive this.
    explicit CurveData(const Series& series) : m_series(&series) {}

    const Series& series() const { return *m_series; }
    /// Updates what the options need, at most `budget` values. True when everything is up to date.
    bool update(const ChartOptions& options, qsizetype& budget);

    /// For drawing; on a log axis non-positive values are gaps.
    YColumn raw(bool logY) const;
    YColumn smoothed(bool logY) const;

    /// Indexes of NaN and infinities, ascending.
    std::span<const qsizetype> nonFinite() const { return m_nonFinite; }
    /// Values ≤ 0; counted while the y axis is logarithmic.
    qint64 notPositiveCount() const { return m_positive.hidden; }

    /// Points of a segment within the limits, plus one on either side for the lines that leave the
    /// picture.
    IndexRange visible(const SeriesSegment& segment, XAxis axis, AxisLimits limits) const;
    /// Without those two, unless nothing else is left.
    IndexRange inside(const SeriesSegment& segment, XAxis axis, AxisLimits limits) const;
    /// The logged point with the nearest x, among those not overwritten by a later one.
    std::optional<qsizetype> nearest(double x, XAxis axis) const;
    /// Smallest and largest x of all points (on a log axis: of the positive ones); empty without
    /// points.
    std::optional<AxisLimits> xRange(XAxis axis, bool isLog) const;
    std::optional<float> lastValue() const;
    std::optional<double> smoothedAt(qsizetype index) const;

private:
    /// A copy with non-positive values as NaN; made only if a log axis needs it.
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
