// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/steps/distribution_pictures.h"

#include "ui/models/curves/histogram_bins.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr double kRidgeShare = 0.24; ///< of the plot's height, for the highest ridge
constexpr double kLeastGap = 2;      ///< logical pixels between ridges
constexpr int kBinWidth = 6;         ///< design pixels
constexpr int kLeastBins = 20;
constexpr int kMostBins = 90;
constexpr int kYTicks = 5;

/// Never empty.
AxisLimits stepLimits(const StepHistory<HistogramStep>& history)
{
    const double first = history.steps.isEmpty() ? 0 : double(history.steps.front()->step);
    const double last = history.steps.isEmpty() ? 0 : double(history.steps.back()->step);
    return last > first ? AxisLimits{first, last} : AxisLimits{first - 1, first + 1};
}

QList<AxisLabel> labelsOf(const AxisTicks& ticks, const AxisScale& scale)
{
    QList<AxisLabel> labels;
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
        labels.append({scale.toPosition(ticks.values[i]), ticks.labels[qsizetype(i)]});
    }
    return labels;
}

int ticksIn(double width)
{
    return std::clamp(int(width / scaled(50)), 2, 10);
}

qsizetype nearestStep(const StepHistory<HistogramStep>& history, double step)
{
    qsizetype nearest = -1;
    double least = 0;
    for (qsizetype i = 0; i < history.steps.size(); ++i) {
        const double away = std::abs(double(history.steps[i]->step) - step);
        if (nearest < 0 || away < least) {
            nearest = i;
            least = away;
        }
    }
    return nearest;
}

} // namespace

RidgePicture::RidgePicture(StepHistory<HistogramStep> history, int colourSlot)
    : m_history(std::move(history)), m_slot(colourSlot)
{}

int RidgePicture::mostRidges(double height)
{
    return std::clamp(int(height * (1 - kRidgeShare) / kLeastGap), 1, kMostRidges);
}

void RidgePicture::layOut(const QSizeF& size)
{
    const AxisScale steps(stepLimits(m_history), false);
    const bool isOne = m_history.steps.size() < 2;
    AxisTicks ticks = makeTicks(steps, TickFormat::Count, kYTicks);
    if (isOne && !m_history.steps.isEmpty()) {
        const double only = double(m_history.steps.front()->step);
        ticks = {{only}, {formatAxisValue(only, TickFormat::Count)}};
    }
    setPlot(size, ticks.labels);
    m_height = m_plot.height() * kRidgeShare;
    m_values = AxisScale(valueLimits(m_history).value_or(AxisLimits{0, 1}), false);
    m_bins = std::clamp(int(m_plot.width() / scaled(kBinWidth)), kLeastBins, kMostBins);
    m_shown = evenlyChosen(m_history.steps.size(), mostRidges(m_plot.height()));
    m_most = 0;
    for (const qsizetype step : m_shown) {
        const std::vector<double> counts =
            rebinned(*m_history.steps[step], m_values.limits(), m_bins);
        m_most = std::max(m_most, *std::max_element(counts.begin(), counts.end()));
    }
    m_xLabels =
        labelsOf(makeTicks(m_values, TickFormat::Number, ticksIn(m_plot.width())), m_values);
    m_yLabels.clear();
    for (const AxisLabel& label : labelsOf(ticks, steps)) {
        const double from = isOne ? 0 : 1 - label.position;
        m_yLabels.prepend({from * (1 - kRidgeShare), label.text}); // from the bottom up
    }
}

/// 0 for the earliest step, 1 for the latest.
double RidgePicture::share(qsizetype step) const
{
    const AxisLimits limits = stepLimits(m_history);
    return m_history.steps.size() < 2
               ? 1
               : (double(m_history.steps[step]->step) - limits.min) / (limits.max - limits.min);
}

double RidgePicture::baseline(qsizetype step) const
{
    return m_plot.top() + m_height + share(step) * (m_plot.height() - m_height);
}

QPolygonF RidgePicture::ridge(qsizetype step) const
{
    const std::vector<double> counts = rebinned(*m_history.steps[step], m_values.limits(), m_bins);
    const double base = baseline(step);
    const double width = m_plot.width() / double(counts.size());
    QPolygonF line{QPointF(m_plot.left(), base)};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double height = m_most > 0 ? counts[i] / m_most * m_height : 0;
        line.append(QPointF(m_plot.left() + (double(i) + 0.5) * width, base - height));
    }
    line.append(QPointF(m_plot.right(), base));
    return line;
}

void RidgePicture::paint(QPainter& painter) const
{
    const QColor ground = tokens().surface;
    const QColor strong = seriesColour(m_slot);
    for (const qsizetype step : m_shown) {
        const QPolygonF line = ridge(step);
        const double depth = 0.25 + 0.5 * share(step);
        painter.setPen(Qt::NoPen);
        painter.setBrush(mixed(ground, strong, depth));
        painter.drawPolygon(line);
        painter.setPen(QPen(mixed(mixed(ground, strong, depth), ground, 0.75), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(line);
    }
}

void RidgePicture::paintCursor(QPainter& painter, qsizetype step) const
{
    if (step >= m_history.steps.size()) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    QColor fill = tokens().accent;
    fill.setAlphaF(0.35F);
    const QPolygonF line = ridge(step);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(line);
    painter.setPen(QPen(tokens().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
}

qsizetype RidgePicture::stepAt(const QPointF& place) const
{
    const double room = std::max(m_plot.height() - m_height, 1.0);
    const double at = std::clamp((place.y() - m_plot.top() - m_height) / room, 0.0, 1.0);
    const AxisLimits limits = stepLimits(m_history);
    return nearestStep(m_history, limits.min + at * (limits.max - limits.min));
}

BandPicture::BandPicture(StepHistory<HistogramStep> history, int colourSlot)
    : m_history(std::move(history)), m_slot(colourSlot)
{}

void BandPicture::layOut(const QSizeF& size)
{
    m_values = AxisScale(valueLimits(m_history).value_or(AxisLimits{0, 1}), false);
    m_steps = AxisScale(stepLimits(m_history), false);
    const AxisTicks ticks = makeTicks(m_values, TickFormat::Number, kYTicks);
    setPlot(size, ticks.labels);
    m_yLabels = labelsOf(ticks, m_values);
    m_xLabels = labelsOf(makeTicks(m_steps, TickFormat::Count, ticksIn(m_plot.width())), m_steps);
}

QPointF BandPicture::place(qsizetype step, double value) const
{
    const double x = m_steps.toPosition(double(m_history.steps[step]->step));
    const double y = std::clamp(m_values.toPosition(value), 0.0, 1.0);
    return {m_plot.left() + x * m_plot.width(), m_plot.bottom() - y * m_plot.height()};
}

void BandPicture::paint(QPainter& painter) const
{
    constexpr std::size_t kBands = kBoundShares.size() / 2;
    const QColor strong = seriesColour(m_slot);
    const auto edge = [&](std::size_t bound) {
        QPolygonF line;
        for (qsizetype i = 0; i < m_history.steps.size(); ++i) {
            if (m_history.steps[i]->count > 0) { // without values there are no bounds
                line.append(place(i, m_history.steps[i]->bounds[bound]));
            }
        }
        return line;
    };
    for (std::size_t band = 0; band < kBands; ++band) {
        QPolygonF area = edge(band);
        QPolygonF above = edge(kBoundShares.size() - 1 - band);
        const QColor fill = mixed(tokens().surface, strong, 0.15 + 0.15 * double(band));
        painter.setPen(QPen(fill, 1.5)); // a single step, or a band without width
        painter.setBrush(fill);
        std::reverse(above.begin(), above.end());
        area += above;
        painter.drawPolygon(area);
    }
    painter.setPen(QPen(strong, 1.75));
    painter.setBrush(Qt::NoBrush);
    const QPolygonF median = edge(kBands);
    painter.drawPolyline(median);
    if (median.size() == 1) {
        painter.setBrush(strong);
        painter.drawEllipse(median.front(), 2.5, 2.5);
    }
}

void BandPicture::paintCursor(QPainter& painter, qsizetype step) const
{
    if (step >= m_history.steps.size() || !(m_history.steps[step]->count > 0)) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF median = place(step, m_history.steps[step]->bounds[kBoundShares.size() / 2]);
    painter.setPen(QPen(tokens().text2, 1));
    painter.drawLine(QPointF(median.x(), m_plot.top()), QPointF(median.x(), m_plot.bottom()));
    painter.setPen(QPen(tokens().surface, 1.5));
    painter.setBrush(tokens().accent);
    for (const double bound : m_history.steps[step]->bounds) {
        painter.drawEllipse(place(step, bound), 3, 3);
    }
}

qsizetype BandPicture::stepAt(const QPointF& place) const
{
    const double at = std::clamp((place.x() - m_plot.left()) / m_plot.width(), 0.0, 1.0);
    return nearestStep(m_history, m_steps.toValue(at));
}

} // namespace cannery::ui
