// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/parallel_plot.h"

#include "ui/models/formats.h"
#include "ui/widgets/theme.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::ui {
namespace {

constexpr double kLineWidth = 1.5;
constexpr double kEmphasisWidth = 3;
constexpr double kFaintOpacity = 0.25;
constexpr double kReach = 6; ///< design pixels from a line that still count as on it
constexpr qsizetype kMostChoices = 12;

double distanceTo(const QLineF& line, const QPointF& point)
{
    const QPointF along = line.p2() - line.p1();
    const double length = QPointF::dotProduct(along, along);
    const double share =
        length <= 0 ? 0
                    : std::clamp(QPointF::dotProduct(point - line.p1(), along) / length, 0.0, 1.0);
    return QLineF(point, line.p1() + share * along).length();
}

} // namespace

ParallelPlot::ParallelPlot(QWidget* parent) : QWidget(parent)
{
    setObjectName("plot.parallel");
    setAccessibleName(tr("Parallel coordinates of the shown runs"));
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void ParallelPlot::setStudy(const ParameterStudy& study)
{
    m_study = study;
    QStringList names;
    for (const StudyAxis& axis : m_study.axes) {
        names << axis.label;
    }
    setAccessibleDescription(
        tr("%1 runs; axes: %2").arg(m_study.lines.size()).arg(names.join(tr(", "))));
    update();
}

void ParallelPlot::setEmphasis(const QString& run)
{
    if (m_emphasis != run) {
        m_emphasis = run;
        update();
    }
}

QSize ParallelPlot::sizeHint() const
{
    return {scaled(720), scaled(360)};
}

QSize ParallelPlot::minimumSizeHint() const
{
    return {scaled(300), scaled(220)};
}

/// Between the names above and the ends below.
QRectF ParallelPlot::area() const
{
    const QFontMetricsF metrics(textFont(TextRole::Axis));
    const double side = scaled(56);
    return QRectF(rect()).adjusted(side, 2 * metrics.height() + scaled(8), -side,
                                   -(metrics.height() + scaled(8)));
}

double ParallelPlot::xOf(qsizetype axis) const
{
    const QRectF where = area();
    const auto last = static_cast<double>(m_study.axes.size() - 1);
    return last <= 0 ? where.center().x()
                     : where.left() + static_cast<double>(axis) / last * where.width();
}

QList<QLineF> ParallelPlot::segmentsOf(const StudyLine& line) const
{
    const QRectF where = area();
    QList<QLineF> segments;
    for (qsizetype axis = 1; axis < line.places.size(); ++axis) {
        const double from = line.places[axis - 1];
        const double to = line.places[axis];
        if (!std::isnan(from) && !std::isnan(to)) {
            segments << QLineF(xOf(axis - 1), where.bottom() - from * where.height(), xOf(axis),
                               where.bottom() - to * where.height());
        }
    }
    return segments;
}

const StudyLine* ParallelPlot::lineAt(const QPointF& where) const
{
    const StudyLine* nearest = nullptr;
    double least = scaled(kReach);
    for (const StudyLine& line : m_study.lines) {
        for (const QLineF& segment : segmentsOf(line)) {
            const double distance = distanceTo(segment, where);
            if (distance <= least) {
                least = distance;
                nearest = &line;
            }
        }
    }
    return nearest;
}

bool ParallelPlot::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    const StudyLine* line = lineAt(help->pos());
    if (line == nullptr) {
        QToolTip::hideText();
        event->ignore();
        return true;
    }
    QStringList words{line->label};
    for (qsizetype axis = 0; axis < m_study.axes.size(); ++axis) {
        words << tr("%1: %2").arg(m_study.axes[axis].label, line->values[axis]);
    }
    QToolTip::showText(help->globalPos(), words.join('\n'), this);
    return true;
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event)
{
    const StudyLine* line = lineAt(event->position());
    const QString run = line == nullptr ? QString() : line->run;
    if (run != m_emphasis) {
        setEmphasis(run);
        Q_EMIT runHovered(run);
    }
}

void ParallelPlot::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    if (!m_emphasis.isEmpty()) {
        setEmphasis({});
        Q_EMIT runHovered({});
    }
}

void ParallelPlot::paintEvent(QPaintEvent*)
{
    if (m_study.axes.isEmpty()) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(textFont(TextRole::Axis));
    const StudyLine* above = nullptr;
    for (const StudyLine& line : m_study.lines) {
        if (line.run == m_emphasis) {
            above = &line;
        } else {
            paintLine(painter, line, !m_emphasis.isEmpty());
        }
    }
    if (above != nullptr) {
        paintLine(painter, *above, false);
    }
    for (qsizetype axis = 0; axis < m_study.axes.size(); ++axis) {
        paintAxis(painter, axis);
    }
}

void ParallelPlot::paintLine(QPainter& painter, const StudyLine& line, bool isFaint) const
{
    painter.setOpacity(isFaint ? kFaintOpacity : 1);
    painter.setPen(QPen(seriesColour(line.colourSlot),
                        line.run == m_emphasis ? kEmphasisWidth : kLineWidth, Qt::SolidLine,
                        Qt::RoundCap));
    for (const QLineF& segment : segmentsOf(line)) {
        painter.drawLine(segment);
    }
    painter.setOpacity(1);
}

void ParallelPlot::paintAxis(QPainter& painter, qsizetype index) const
{
    const StudyAxis& axis = m_study.axes[index];
    const QRectF where = area();
    const double x = xOf(index);
    const QFontMetricsF metrics(painter.font());
    const double width = m_study.axes.size() < 2
                             ? where.width()
                             : where.width() / double(m_study.axes.size() - 1) - scaled(8);
    const auto word = [&](double top, const QString& text, const QColor& colour) {
        painter.setPen(colour);
        const double room = std::max<double>(width, scaled(48));
        painter.drawText(QRectF(x - room / 2, top, room, metrics.height()), Qt::AlignCenter,
                         metrics.elidedText(text, Qt::ElideMiddle, room));
    };
    painter.setPen(QPen(tokens().control, 1));
    painter.drawLine(QPointF(x, where.top()), QPointF(x, where.bottom()));
    word(0, axis.label, tokens().text);
    if (axis.isNumeric) {
        word(metrics.height(), formatNumber(axis.max), tokens().text2);
        word(where.bottom() + scaled(4), formatNumber(axis.min), tokens().text2);
        return;
    }
    const qsizetype last = axis.choices.size() - 1;
    for (qsizetype choice = 0; choice <= last && last < kMostChoices; ++choice) {
        const double share = last == 0 ? 0 : double(choice) / double(last);
        const double y = where.bottom() - share * where.height();
        const QString text = metrics.elidedText(axis.choices[choice], Qt::ElideRight, width);
        QRectF box = metrics.boundingRect(text).adjusted(-3, -1, 3, 1);
        box.moveCenter(QPointF(x, y));
        painter.fillRect(box, tokens().canvas);
        painter.setPen(tokens().text2);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

} // namespace cannery::ui
