// SPDX-License-Identifier: GPL-3.0-only
// Marking parts of the axes with the pointer and the keyboard.

#include "ui/charts/parallel_plot.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr double kAxisReach = 10; ///< design pixels beside an axis that still count as on it
constexpr double kEndReach = 3;   ///< design pixels from an end of an axis that still count as it
constexpr double kDragFrom = 4;   ///< design pixels; less is a click
constexpr double kKeyStep = 0.05; ///< of an axis

} // namespace

qsizetype ParallelPlot::axisAt(const QPointF& where) const
{
    const QRectF all = area().adjusted(0, -scaled(kAxisReach), 0, scaled(kAxisReach));
    for (qsizetype axis = 0; axis < m_study.axes.size(); ++axis) {
        if (std::abs(where.x() - xOf(axis)) <= scaled(kAxisReach) && where.y() >= all.top() &&
            where.y() <= all.bottom()) {
            return axis;
        }
    }
    return -1;
}

double ParallelPlot::placeAt(double y) const
{
    const QRectF where = area();
    const double end = scaled(kEndReach) / where.height();
    const double place = (where.bottom() - y) / where.height();
    return place < end ? 0 : place > 1 - end ? 1 : place;
}

void ParallelPlot::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        event->ignore();
        return;
    }
    setFocus(Qt::MouseFocusReason);
    m_drag = Drag{.axis = axisAt(event->position()), .from = event->position()};
    if (m_drag->axis < 0) {
        return;
    }
    m_axis = m_drag->axis;
    const double place = placeAt(event->position().y());
    const std::optional<AxisPart> part = m_brushes.on(m_study.axes[m_axis].path);
    if (part && place >= part->from && place <= part->to) {
        m_drag->moved = part;
    }
    viewport()->update();
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event)
{
    if (m_drag && (event->buttons() & Qt::LeftButton)) {
        drag(event->position().y());
        return;
    }
    const bool isOnAxis = axisAt(event->position()) >= 0;
    viewport()->setCursor(isOnAxis ? Qt::SizeVerCursor : Qt::ArrowCursor);
    const StudyLine* line = lineAt(event->position());
    const QString run = line == nullptr ? QString() : line->run;
    if (run != m_emphasis) {
        setEmphasis(run);
        Q_EMIT runHovered(run);
    }
}

void ParallelPlot::drag(double y)
{
    const double from = m_drag->from.y();
    m_drag->isOne = m_drag->isOne || std::abs(y - from) >= scaled(kDragFrom);
    if (!m_drag->isOne || m_drag->axis < 0 || m_drag->axis >= m_study.axes.size()) {
        return;
    }
    if (!m_drag->moved) {
        brush(m_drag->axis, {placeAt(from), placeAt(y)});
        return;
    }
    const AxisPart& part = *m_drag->moved;
    brush(m_drag->axis, shifted(part, placeAt(y) - placeAt(from)));
}

void ParallelPlot::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_drag) {
        return;
    }
    const Drag ended = *m_drag;
    m_drag.reset();
    if (!ended.isOne) {
        clearBrush(ended.axis);
    }
}

AxisPart ParallelPlot::shifted(const AxisPart& part, double by)
{
    const double kept = std::clamp(by, -part.from, 1 - part.to);
    return {part.from + kept, part.to + kept};
}

void ParallelPlot::keyPressEvent(QKeyEvent* event)
{
    const qsizetype last = m_study.axes.size() - 1;
    const int key = event->key();
    if (last < 0) {
        QGraphicsView::keyPressEvent(event);
        return;
    }
    m_axis = std::clamp<qsizetype>(m_axis, 0, last);
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        m_axis = std::clamp<qsizetype>(m_axis + (key == Qt::Key_Right ? 1 : -1), 0, last);
        viewport()->update();
    } else if (key == Qt::Key_Up || key == Qt::Key_Down) {
        brushByKey(key == Qt::Key_Up ? 1 : -1, event->modifiers());
    } else if (key == Qt::Key_Delete || key == Qt::Key_Backspace) {
        clearBrush(m_axis);
    } else if (key == Qt::Key_Escape && !m_brushes.isEmpty()) {
        clearBrush(-1);
    } else {
        QGraphicsView::keyPressEvent(event);
        return;
    }
    event->accept();
}

/// The first press marks a half; then the part moves, with Shift its upper end, with Ctrl the lower
/// one.
void ParallelPlot::brushByKey(int direction, Qt::KeyboardModifiers modifiers)
{
    const std::optional<AxisPart> part = m_brushes.on(m_study.axes[m_axis].path);
    if (!part) {
        brush(m_axis, direction > 0 ? AxisPart{0.5, 1} : AxisPart{0, 0.5});
        return;
    }
    const double by = direction * kKeyStep;
    if (modifiers & Qt::ShiftModifier) {
        brush(m_axis, {part->from, std::max(part->from, part->to + by)});
    } else if (modifiers & Qt::ControlModifier) {
        brush(m_axis, {std::min(part->to, part->from + by), part->to});
    } else {
        brush(m_axis, shifted(*part, by));
    }
}

void ParallelPlot::brush(qsizetype axis, const AxisPart& part)
{
    m_brushes.set(m_study.axes[axis].path, part);
    publishBrushes();
}

/// -1: of all axes.
void ParallelPlot::clearBrush(qsizetype axis)
{
    if (m_brushes.isEmpty()) {
        return;
    }
    if (axis < 0) {
        m_brushes.clear();
    } else {
        m_brushes.clear(m_study.axes[axis].path);
    }
    publishBrushes();
}

void ParallelPlot::publishBrushes()
{
    describe();
    viewport()->update();
    Q_EMIT brushed(m_brushes.chosen(m_study));
}

void ParallelPlot::focusInEvent(QFocusEvent* event)
{
    QGraphicsView::focusInEvent(event);
    viewport()->update();
}

void ParallelPlot::focusOutEvent(QFocusEvent* event)
{
    QGraphicsView::focusOutEvent(event);
    viewport()->update();
}

void ParallelPlot::paintEvent(QPaintEvent* event)
{
    QGraphicsView::paintEvent(event);
    if (showsFocusRing(*this)) {
        QPainter painter(viewport());
        painter.setRenderHint(QPainter::Antialiasing);
        paintFocusRing(painter, viewport()->rect(), 4);
    }
}

} // namespace cannery::ui
