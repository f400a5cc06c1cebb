// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_axes.h"

#include "ui/charts/curves/chart_content.h"
#include "ui/charts/curves/chart_limits.h"
#include "ui/widgets/style/theme.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr qint64 kTickHold = 1000;
/// Between an axis of a QChart and its labels.
constexpr double kLabelGap = 4;

} // namespace

void ChartAxes::layOut(const ChartContent& content, const QSizeF& size, const QMargins& around,
                       qint64 now, bool byPerson)
{
    const ChartOptions& options = content.options();
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
    const bool sameKind = m_x.isLog() == options.logX && m_y.isLog() == options.logY;
    m_x = AxisScale(options.xLimits.value_or(limitsOfAll(content)), options.logX);
    m_y = AxisScale(options.yLimits.value_or(limitsWithin(content, m_x.limits(), tickCountY())),
                    options.logY);
    const bool moved = beforeX != m_x.limits() || beforeY != m_y.limits();
    const int across = std::clamp(int(m_plot.width() / std::max(double(scaled(52)), 40.0)), 2, 8);
    // Ticks do not jump while numbers stream in, but never remain where they no longer fit.
    const bool hold = !moved || (now - m_ticksMade < kTickHold && suits(m_xTicks, m_x, across) &&
                                 suits(m_yTicks, m_y, tickCountY()));
    if (m_ticksMade >= 0 && sameKind && !byPerson && hold) {
        return;
    }
    m_ticksMade = now;
    m_xTicks = makeTicks(m_x, tickFormatOf(options.xAxis), across);
    m_yTicks = makeTicks(m_y, TickFormat::Number, tickCountY());
}

QList<QRectF> ChartAxes::xLabelBoxes() const
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

QList<AxisLabel> ChartAxes::xLabels() const
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

QList<AxisLabel> ChartAxes::yLabels() const
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

int ChartAxes::tickCountY() const
{
    return std::clamp(int(m_plot.height() / std::max(double(scaled(18)), 14.0)), 2, 5);
}

} // namespace cannery::ui
