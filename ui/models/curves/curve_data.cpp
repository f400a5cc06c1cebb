// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/curve_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::ui {

XColumn::XColumn(const Series& series, XAxis axis)
    : m_axis(axis), m_steps(series.steps()), m_seconds(series.seconds())
{
    if (axis == XAxis::Epoch && series.stepsPerEpoch() > 0) {
        m_scale = 1 / series.stepsPerEpoch();
    }
    if (axis == XAxis::WallClock) {
        m_start = series.wallStart();
    }
}

qsizetype XColumn::lowerBound(qsizetype begin, qsizetype end, double x) const
{
    while (begin < end) {
        const qsizetype middle = begin + (end - begin) / 2;
        if ((*this)[middle] < x) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

qsizetype XColumn::upperBound(qsizetype begin, qsizetype end, double x) const
{
    while (begin < end) {
        const qsizetype middle = begin + (end - begin) / 2;
        if ((*this)[middle] <= x) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

void CurveData::Positive::update(std::span<const float> all)
{
    if (all.size() < values.size()) {
        clear();
    }
    values.reserve(all.size());
    for (size_t i = values.size(); i < all.size(); ++i) {
        // A logarithmic axis has no place for it: NaN makes a gap, and it is counted.
        const bool isHidden = all[i] <= 0 && std::isfinite(all[i]);
        hidden += isHidden ? 1 : 0;
        values.push_back(isHidden ? std::numeric_limits<float>::quiet_NaN() : all[i]);
    }
    pyramid.update(values);
    needed = true;
}

bool CurveData::update(const ChartOptions& options, qsizetype& budget)
{
    const std::span<const float> values = m_series->values();
    const auto size = qsizetype(values.size());
    // Fewer points than before: the series is read anew.
    if (size < m_scanned) {
        *this = CurveData(*m_series);
    }
    // The counts are kept by the loading thread, so that only a series with such values is
    // searched.
    if (m_series->nanCount() + m_series->positiveInfinityCount() +
            m_series->negativeInfinityCount() >
        qint64(m_nonFinite.size())) {
        for (qsizetype i = m_scanned; i < size; ++i) {
            if (!std::isfinite(values[size_t(i)])) {
                m_nonFinite.push_back(i);
            }
        }
    }
    m_scanned = size;
    bool isComplete = true;
    if (!options.smoothing.isOff()) {
        const Smoothing before = m_smoother.smoothing();
        m_smoother.setSmoothing(options.smoothing);
        if (!(before == m_smoother.smoothing())) {
            m_positiveSmoothed.clear();
        }
        isComplete = m_smoother.update(*m_series, budget);
    }
    if (!options.logY) {
        m_positive.clear();
        m_positiveSmoothed.clear();
        return isComplete;
    }
    const auto isNeeded = [](const YColumn& column) {
        const auto extremes = column.extremes(0, qsizetype(column.values.size()));
        return !extremes.empty && extremes.min <= 0;
    };
    // A copy is made only for a series that has values at or below 0.
    if (m_positive.needed || isNeeded(raw(false))) {
        m_positive.update(values);
    }
    if (!options.smoothing.isOff() && (m_positiveSmoothed.needed || isNeeded(smoothed(false)))) {
        m_positiveSmoothed.update(m_smoother.values());
    }
    return isComplete;
}

YColumn CurveData::raw(bool logY) const
{
    if (logY && m_positive.needed) {
        return {m_positive.values, &m_positive.pyramid};
    }
    return {m_series->values(), &m_series->pyramid()};
}

YColumn CurveData::smoothed(bool logY) const
{
    if (logY && m_positiveSmoothed.needed) {
        return {m_positiveSmoothed.values, &m_positiveSmoothed.pyramid};
    }
    return {m_smoother.values(), &m_smoother.pyramid()};
}

IndexRange CurveData::visible(const SeriesSegment& segment, XAxis axis, AxisLimits limits) const
{
    const XColumn x(*m_series, axis);
    const qsizetype begin = x.lowerBound(segment.begin, segment.end, limits.min);
    const qsizetype end = x.upperBound(begin, segment.end, limits.max);
    // One point more on each side: lines that leave the picture lead to them.
    return {std::max(segment.begin, begin - 1), std::min(segment.end, end + 1)};
}

IndexRange CurveData::inside(const SeriesSegment& segment, XAxis axis, AxisLimits limits) const
{
    const XColumn x(*m_series, axis);
    const qsizetype begin = x.lowerBound(segment.begin, segment.end, limits.min);
    const qsizetype end = x.upperBound(begin, segment.end, limits.max);
    return begin < end ? IndexRange{begin, end} : visible(segment, axis, limits);
}

std::optional<qsizetype> CurveData::nearest(double x, XAxis axis) const
{
    const XColumn column(*m_series, axis);
    std::optional<qsizetype> best;
    double bestDistance = std::numeric_limits<double>::infinity();
    for (const SeriesSegment& segment : m_series->segments()) {
        // Not what a later session has logged again.
        const qsizetype end = std::min(segment.overwrittenFrom, segment.end);
        const qsizetype right = column.lowerBound(segment.begin, end, x);
        for (const qsizetype index : {right - 1, right}) {
            if (index < segment.begin || index >= end) {
                continue;
            }
            const double distance = std::fabs(column[index] - x);
            if (distance <= bestDistance) {
                bestDistance = distance;
                best = index;
            }
        }
    }
    return best;
}

std::optional<AxisLimits> CurveData::xRange(XAxis axis, bool isLog) const
{
    const XColumn column(*m_series, axis);
    std::optional<AxisLimits> range;
    for (const SeriesSegment& segment : m_series->segments()) {
        const qsizetype begin =
            isLog ? column.upperBound(segment.begin, segment.end, 0) : segment.begin;
        if (begin == segment.end) {
            continue;
        }
        const AxisLimits own{column[begin], column[segment.end - 1]};
        range =
            range ? AxisLimits{std::min(range->min, own.min), std::max(range->max, own.max)} : own;
    }
    return range;
}

std::optional<float> CurveData::lastValue() const
{
    const std::span<const float> values = m_series->values();
    return values.empty() ? std::nullopt : std::optional<float>(values.back());
}

std::optional<double> CurveData::smoothedAt(qsizetype index) const
{
    const std::span<const float> values = m_smoother.values();
    if (m_smoother.smoothing().isOff() || index >= qsizetype(values.size())) {
        return std::nullopt;
    }
    return double(values[size_t(index)]);
}

} // namespace cannery::ui
