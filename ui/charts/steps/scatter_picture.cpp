// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/steps/scatter_picture.h"

#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr int kMostTicks = 7;
/// Design pixels.
constexpr double kRadius = 3.5;
constexpr double kCursorRadius = 5.5;
constexpr double kBetweenTicks = 70;
constexpr double kBetweenRows = 44; ///< ticks of the upright axis
constexpr double kBetweenEntries = 14;
constexpr double kMostEntry = 180;
/// Points lie on each other: what is below shines through.
constexpr double kOpacity = 0.75;
/// Names of more points would only cover each other.
constexpr qsizetype kMostNamed = 60;
constexpr qsizetype kHues = 8;

QColor colourOf(qsizetype group)
{
    return seriesColour(group < 0 ? 0 : int(group % kHues));
}

/// Groups that look alike to somebody differ in shape: circles, squares, triangles, diamonds.
void paintMark(QPainter& painter, const QPointF& at, double radius, qsizetype group)
{
    constexpr qsizetype kShapes = 4;
    const double side = radius * 0.9; // of about the same area
    switch (std::max<qsizetype>(group, 0) % kShapes) {
    case 0:
        painter.drawEllipse(at, radius, radius);
        break;
    case 1:
        painter.drawRect(QRectF(at - QPointF(side, side), at + QPointF(side, side)));
        break;
    case 2:
        painter.drawPolygon(QPolygonF{at + QPointF(0, -1.2 * radius),
                                      at + QPointF(1.15 * radius, 0.8 * radius),
                                      at + QPointF(-1.15 * radius, 0.8 * radius)});
        break;
    default:
        painter.drawPolygon(
            QPolygonF{at + QPointF(0, -1.25 * radius), at + QPointF(1.25 * radius, 0),
                      at + QPointF(0, 1.25 * radius), at + QPointF(-1.25 * radius, 0)});
        break;
    }
}

AxisScale scaleOf(const QList<ComponentPoint>& points, double ComponentPoint::*coordinate)
{
    if (points.isEmpty()) {
        return {};
    }
    const auto [least, most] =
        std::minmax_element(points.begin(), points.end(),
                            [coordinate](const ComponentPoint& a, const ComponentPoint& b) {
                                return a.*coordinate < b.*coordinate;
                            });
    return {niceLimits({(*least).*coordinate, (*most).*coordinate}, false, kMostTicks), false};
}

AxisTicks ticksOf(const AxisScale& scale, double length, double apart)
{
    return makeTicks(scale, TickFormat::Number,
                     std::clamp(int(length / scaled(apart)), 2, kMostTicks));
}

QList<AxisLabel> labelsOf(const AxisScale& scale, const AxisTicks& ticks)
{
    QList<AxisLabel> labels;
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
        labels.append({scale.toPosition(ticks.values[i]), ticks.labels[qsizetype(i)]});
    }
    return labels;
}

} // namespace

ScatterPicture::ScatterPicture(Scatter scatter)
    : m_scatter(std::move(scatter)), m_x(scaleOf(m_scatter.points, &ComponentPoint::x)),
      m_y(scaleOf(m_scatter.points, &ComponentPoint::y))
{}

/// In rows above the plot; returns their height.
double ScatterPicture::layOutLegend(double width)
{
    m_legend.clear();
    const QFontMetricsF metrics(textFont(TextRole::Label));
    const double mark = metrics.height();
    QPointF corner;
    for (const QString& group : m_scatter.groups) {
        const QString text = metrics.elidedText(group, Qt::ElideRight, scaled(kMostEntry));
        const double length = mark + std::ceil(metrics.horizontalAdvance(text));
        if (corner.x() > 0 && corner.x() + length > width) {
            corner = {0, corner.y() + metrics.lineSpacing()};
        }
        m_legend.append({QRectF(corner, QSizeF(length, metrics.height())), text});
        corner.rx() += length + scaled(kBetweenEntries);
    }
    return m_legend.isEmpty() ? 0 : std::ceil(m_legend.last().box.bottom()) + scaled(6);
}

void ScatterPicture::layOut(const QSizeF& size)
{
    const double above = layOutLegend(size.width());
    m_inside = QRectF(0, above, size.width(), std::max(size.height() - above, 1.0));
    const double line = std::ceil(QFontMetricsF(textFont(TextRole::Axis)).height());
    const double title = m_scatter.yTitle.isEmpty() ? 0 : line + scaled(2);
    const double under = m_scatter.xTitle.isEmpty() ? 0 : line;
    const QSizeF rest(size.width(), std::max(m_inside.height() - title - under, 1.0));
    const AxisTicks y = ticksOf(m_y, rest.height(), kBetweenRows);
    setPlot(rest, y.labels);
    m_plot.translate(0, above + title);
    m_xLabels = labelsOf(m_x, ticksOf(m_x, m_plot.width(), kBetweenTicks));
    m_yLabels = labelsOf(m_y, y);
}

QPointF ScatterPicture::placeOf(qsizetype point) const
{
    const ComponentPoint& at = m_scatter.points[point];
    return {m_plot.left() + m_x.toPosition(at.x) * m_plot.width(),
            m_plot.bottom() - m_y.toPosition(at.y) * m_plot.height()};
}

void ScatterPicture::paint(QPainter& painter) const
{
    paintLegend(painter);
    paintTitles(painter);
    painter.setPen(Qt::NoPen);
    painter.setOpacity(kOpacity);
    for (qsizetype point = 0; point < m_scatter.points.size(); ++point) {
        const qsizetype group = m_scatter.points[point].group;
        painter.setBrush(colourOf(group));
        paintMark(painter, placeOf(point), scaled(kRadius), group);
    }
    painter.setOpacity(1);
    paintTexts(painter);
}

void ScatterPicture::paintLegend(QPainter& painter) const
{
    painter.setFont(textFont(TextRole::Label));
    for (qsizetype group = 0; group < m_legend.size(); ++group) {
        const QRectF& box = m_legend[group].box;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colourOf(group));
        const double middle = box.height() / 2;
        paintMark(painter, box.topLeft() + QPointF(middle - 2, middle), scaled(kRadius + 0.5),
                  group);
        painter.setPen(tokens().text2);
        paintWords(painter, box.adjusted(box.height(), 0, 1, 0), Qt::AlignLeft | Qt::AlignVCenter,
                   m_legend[group].text);
    }
}

/// Above the upper end of one axis, below the end of the other.
void ScatterPicture::paintTitles(QPainter& painter) const
{
    painter.setFont(textFont(TextRole::Axis));
    painter.setPen(tokens().text2);
    const QFontMetricsF metrics(painter.font());
    const QRectF room(m_inside.left(), m_inside.top(), m_plot.right() - m_inside.left(),
                      m_inside.height());
    const auto fitting = [&](const QString& title) {
        return metrics.elidedText(title, Qt::ElideRight, room.width());
    };
    paintWords(painter, room, Qt::AlignLeft | Qt::AlignTop, fitting(m_scatter.yTitle));
    paintWords(painter, room, Qt::AlignRight | Qt::AlignBottom, fitting(m_scatter.xTitle));
}

/// Beside its point, on the side where there is room.
QRectF ScatterPicture::textBox(const QPainter& painter, qsizetype point) const
{
    const QFontMetricsF metrics(painter.font());
    const QString& text = m_scatter.points[point].text;
    const QPointF at = placeOf(point);
    const double away = scaled(kCursorRadius + 3);
    const double width = std::min(std::ceil(metrics.horizontalAdvance(text)) + 2,
                                  std::max(m_plot.width() / 2 - away, 1.0));
    QRectF box(at.x() + away, at.y() - metrics.height() / 2, width, metrics.height());
    if (box.right() > m_plot.right()) {
        box.moveRight(at.x() - away);
    }
    return box;
}

void ScatterPicture::paintTexts(QPainter& painter) const
{
    if (m_scatter.points.size() > kMostNamed) {
        return;
    }
    painter.setFont(textFont(TextRole::Axis));
    painter.setPen(tokens().text2);
    const QFontMetricsF metrics(painter.font());
    QList<QRectF> taken;
    for (qsizetype point = 0; point < m_scatter.points.size(); ++point) {
        const QRectF box = textBox(painter, point);
        const bool isFree = std::none_of(
            taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); });
        if (isFree) {
            taken += box;
            paintWords(
                painter, box, Qt::AlignLeft | Qt::AlignVCenter,
                metrics.elidedText(m_scatter.points[point].text, Qt::ElideRight, box.width()));
        }
    }
}

void ScatterPicture::paintCursor(QPainter& painter, qsizetype point) const
{
    if (point >= m_scatter.points.size()) {
        return;
    }
    const ComponentPoint& at = m_scatter.points[point];
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(textFont(TextRole::LabelStrong));
    if (!at.text.isEmpty()) {
        const QRectF box = textBox(painter, point);
        painter.fillRect(box.adjusted(-3, -1, 3, 1), tokens().surface);
        painter.setPen(tokens().text);
        paintWords(painter, box, Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(painter.font()).elidedText(at.text, Qt::ElideRight, box.width()));
    }
    painter.setPen(QPen(tokens().text, 1.5));
    painter.setBrush(colourOf(at.group));
    paintMark(painter, placeOf(point), scaled(kCursorRadius), at.group);
}

qsizetype ScatterPicture::stepAt(const QPointF& place) const
{
    return nearestOf(
        m_scatter.points.size(), [this](qsizetype point) { return placeOf(point); }, place);
}

} // namespace cannery::ui
