// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_plot.h"

#include "ui/widgets/style/theme.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

/// The number of values used for percentiles; of more, evenly chosen ones.
constexpr qsizetype kPercentileSamples = 32'768;
constexpr qint64 kTickHold = 1000;
/// Between an axis of a QChart and its labels.
constexpr double kLabelGap = 4;

AxisLimits united(const std::optional<AxisLimits>& a, AxisLimits b)
{
    return a ? AxisLimits{std::min(a->min, b.min), std::max(a->max, b.max)} : b;
}

} // namespace

void ChartPlot::layOut(const QSizeF& size, const QMargins& around, qint64 now, bool byPerson)
{
    const QFontMetricsF metrics(textFont(TextRole::Axis));
    // Widths and heights of the widest possible labels, not of the current ones: the plot does not
    // move with its numbers.
    const double left =
        std::max(double(scaled(44)), metrics.horizontalAdvance(QStringLiteral("−100,000")) + 8);
    const double bottom = metrics.height() + scaled(9);
    m_size = size;
    m_around = around;
    m_plot = QRectF(QPointF(around.left() + std::ceil(left), around.top() + scaled(8)),
                    QPointF(size.width() - around.right() - scaled(10),
                            std::floor(size.height() - around.bottom() - bottom)));
    m_plot.setWidth(std::max(m_plot.width(), 10.0));
    m_plot.setHeight(std::max(m_plot.height(), 10.0));

    const AxisLimits beforeX = m_x.limits();
    const AxisLimits beforeY = m_y.limits();
    const bool sameKind = m_x.isLog() == m_options.logX && m_y.isLog() == m_options.logY;
    m_x = AxisScale(m_options.xLimits.value_or(dataX()), m_options.logX);
    m_y = AxisScale(m_options.yLimits.value_or(dataY()), m_options.logY);
    const bool moved = beforeX != m_x.limits() || beforeY != m_y.limits();
    const int across = std::clamp(int(m_plot.width() / std::max(double(scaled(52)), 40.0)), 2, 8);
    // Ticks do not jump while numbers stream in, but never remain where they no longer fit.
    const bool hold = !moved || (now - m_ticksMade < kTickHold && suits(m_xTicks, m_x, across) &&
                                 suits(m_yTicks, m_y, tickCountY()));
    if (m_ticksMade >= 0 && sameKind && !byPerson && hold) {
        return;
    }
    m_ticksMade = now;
    m_xTicks = makeTicks(m_x, tickFormatOf(m_options.xAxis), across);
    m_yTicks = makeTicks(m_y, TickFormat::Number, tickCountY());
}

QList<QRectF> ChartPlot::xLabelBoxes() const
{
    const QFontMetricsF metrics(textFont(TextRole::Axis));
    QList<QRectF> boxes;
    for (const AxisLabel& label : xLabels()) {
        const double width = metrics.horizontalAdvance(label.text);
        boxes += QRectF(m_plot.left() + label.position * m_plot.width() - width / 2,
                        m_plot.bottom() + kLabelGap, width, metrics.height());
    }
    return boxes;
}

QList<AxisLabel> ChartPlot::xLabels() const
{
    const QFontMetricsF metrics(textFont(TextRole::Axis));
    QList<AxisLabel> labels;
    double free = 0;
    for (size_t i = 0; i < m_xTicks.values.size(); ++i) {
        const double x = m_x.canShow(m_xTicks.values[i]) ? toPixel(m_xTicks.values[i]) : -1;
        const double width = metrics.horizontalAdvance(m_xTicks.labels[qsizetype(i)]);
        // The last one is shifted rather than drawn beyond the edge.
        const double left = std::clamp(x - width / 2, 0.0, m_size.width() - width);
        if (x >= m_plot.left() - 1 && x <= m_plot.right() + 1 && left >= free) {
            labels.append({(left + width / 2 - m_plot.left()) / m_plot.width(),
                           m_xTicks.labels[qsizetype(i)]});
            free = left + width + 6;
        }
    }
    return labels;
}

QList<AxisLabel> ChartPlot::yLabels() const
{
    QList<AxisLabel> labels;
    for (size_t i = 0; i < m_yTicks.values.size(); ++i) {
        // On whole pixels, for sharp grid lines.
        const double y =
            m_y.canShow(m_yTicks.values[i]) ? std::floor(yToPixel(m_yTicks.values[i])) : -1;
        if (y >= m_plot.top() - 1 && y <= m_plot.bottom() + 1) {
            const double inside = std::clamp(y, m_plot.top(), m_plot.bottom());
            labels.append(
                {(m_plot.bottom() - inside) / m_plot.height(), m_yTicks.labels[qsizetype(i)]});
        }
    }
    return labels;
}

int ChartPlot::tickCountY() const
{
    return std::clamp(int(m_plot.height() / std::max(double(scaled(18)), 14.0)), 2, 5);
}

AxisLimits ChartPlot::dataX() const
{
    std::optional<AxisLimits> range;
    for (size_t i = 0; i < m_data.size(); ++i) {
        if (m_data[i]) {
            if (const auto own = m_data[i]->xRange(m_options.xAxis, m_options.logX)) {
                range = united(range, *own);
            }
        } else if (m_curves[qsizetype(i)].band && !m_curves[qsizetype(i)].band->steps.empty()) {
            const std::vector<double>& steps = m_curves[qsizetype(i)].band->steps;
            if (!m_options.logX || steps.front() > 0) {
                range = united(range, {steps.front(), steps.back()});
            }
        }
    }
    if (!range) {
        return {m_options.logX ? 1.0 : 0.0, m_options.logX ? 10.0 : 1.0};
    }
    if (m_options.logX) {
        return range->max > range->min ? *range : AxisLimits{range->min / 2, range->max * 2};
    }
    const double length = range->max - range->min;
    if (length <= 0) {
        const double room = m_options.xAxis == XAxis::WallClock ? 30 : 1;
        return {range->min - room, range->max + room};
    }
    if (m_options.xAxis != XAxis::WallClock && range->min > 0 && range->min < 0.05 * length) {
        range->min = 0;
    }
    // Room for the dot of a live end.
    return {range->min, range->max + 0.02 * length};
}

std::optional<AxisLimits> ChartPlot::visibleExtremes() const
{
    std::optional<AxisLimits> range;
    const AxisLimits limits = m_x.limits();
    for (const auto& data : m_data) {
        if (!data) {
            continue;
        }
        const YColumn y = data->raw(m_options.logY);
        for (const SeriesSegment& segment : data->series().segments()) {
            const IndexRange visible = data->inside(segment, m_options.xAxis, limits);
            const auto extremes = y.extremes(visible.begin, visible.end);
            if (!extremes.empty) {
                range = united(range, {double(extremes.min), double(extremes.max)});
            }
        }
    }
    for (const Curve& curve : m_curves) {
        for (size_t i = 0; curve.band && i < curve.band->steps.size(); ++i) {
            const double step = curve.band->steps[i];
            const AxisLimits own{double(curve.band->low[i]), double(curve.band->high[i])};
            if (step >= limits.min && step <= limits.max && std::isfinite(own.min) &&
                std::isfinite(own.max) && (!m_options.logY || own.min > 0)) {
                range = united(range, own);
            }
        }
    }
    return range;
}

std::optional<AxisLimits> ChartPlot::visiblePercentiles() const
{
    std::vector<std::pair<size_t, IndexRange>> ranges;
    qsizetype total = 0;
    for (size_t i = 0; i < m_data.size(); ++i) {
        if (!m_data[i]) {
            continue;
        }
        for (const SeriesSegment& segment : m_data[i]->series().segments()) {
            const IndexRange visible = m_data[i]->inside(segment, m_options.xAxis, m_x.limits());
            ranges.emplace_back(i, visible);
            total += visible.size();
        }
    }
    const qsizetype stride = total / kPercentileSamples + 1;
    std::vector<float> sample;
    sample.reserve(size_t(std::min(total, 2 * kPercentileSamples)));
    for (const auto& [curve, range] : ranges) {
        const YColumn y = m_data[curve]->raw(m_options.logY);
        const qsizetype end = std::min(range.end, qsizetype(y.values.size()));
        for (qsizetype i = range.begin; i < end; i += stride) {
            if (std::isfinite(y.values[size_t(i)])) {
                sample.push_back(y.values[size_t(i)]);
            }
        }
    }
    if (sample.empty()) {
        return std::nullopt;
    }
    const auto quantile = [&](double share) {
        const auto place =
            sample.begin() + std::ptrdiff_t(std::lround(share * double(sample.size() - 1)));
        std::nth_element(sample.begin(), place, sample.end());
        return double(*place);
    };
    const double low = quantile(0.05);
    return AxisLimits{low, quantile(0.95)};
}

AxisLimits ChartPlot::dataY() const
{
    std::optional<AxisLimits> range;
    if (m_options.ignoreOutliers) {
        range = visiblePercentiles();
    }
    if (!range) {
        range = visibleExtremes();
    }
    if (!range) {
        return {m_options.logY ? 0.1 : 0.0, m_options.logY ? 10.0 : 1.0};
    }
    return niceLimits(*range, m_options.logY, tickCountY());
}

} // namespace cannery::ui
