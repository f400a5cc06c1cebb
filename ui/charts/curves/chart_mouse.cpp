// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_mouse.h"

#include "ui/charts/curves/chart_canvas.h"
#include "ui/charts/curves/chart_cursor.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/charts/curves/chart_zoom.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <cmath>

namespace cannery::ui {
namespace {

constexpr double kNotch = 120;
constexpr double kWheelZoom = 1.2;

} // namespace

ChartMouse::ChartMouse(ChartCanvas& canvas, ChartZoom& zoom, ChartCursor& cursor)
    : m_canvas(canvas), m_zoom(zoom), m_cursor(cursor)
{
    canvas.viewport()->installEventFilter(this);
}

bool ChartMouse::eventFilter(QObject*, QEvent* event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        return press(static_cast<QMouseEvent&>(*event));
    case QEvent::MouseMove:
        return move(static_cast<QMouseEvent&>(*event));
    case QEvent::MouseButtonRelease:
        return release();
    case QEvent::MouseButtonDblClick:
        endDrag();
        m_zoom.reset();
        return true;
    case QEvent::Wheel:
        return wheel(static_cast<QWheelEvent&>(*event));
    case QEvent::Leave:
        m_cursor.leave();
        return false;
    default:
        return false;
    }
}

bool ChartMouse::press(const QMouseEvent& event)
{
    if (event.button() == Qt::RightButton) {
        return false;
    }
    Q_EMIT pressed();
    m_pressedAt = event.position();
    m_draggedTo = m_pressedAt;
    m_hasPanned = false;
    const bool pans = event.button() == Qt::MiddleButton || m_spaceIsDown;
    m_drag = pans ? Drag::Pan : Drag::Pressed;
    if (pans) {
        m_canvas.setCoarse(true);
        m_canvas.viewport()->setCursor(Qt::ClosedHandCursor);
    }
    return true;
}

bool ChartMouse::move(const QMouseEvent& event)
{
    const QPointF position = event.position();
    if (m_drag == Drag::None) {
        hover(position);
        return true;
    }
    if (m_drag == Drag::Pan) {
        // One step in the zoom history for the whole drag.
        const auto step = m_hasPanned ? ChartZoom::Step::JoinsLast : ChartZoom::Step::Own;
        m_hasPanned = m_zoom.pan(position - m_draggedTo, step) || m_hasPanned;
        m_draggedTo = position;
        return true;
    }
    m_draggedTo = position;
    if (m_drag == Drag::Pressed &&
        2 * (position - m_pressedAt).manhattanLength() >= QApplication::startDragDistance()) {
        m_drag = event.modifiers() & Qt::ShiftModifier ? Drag::SelectBox : Drag::Select;
    }
    Q_EMIT selectionChanged();
    return true;
}

bool ChartMouse::release()
{
    const Drag ended = m_drag;
    const QRectF selected = selection().value_or(QRectF());
    endDrag();
    if (ended == Drag::Pressed) {
        m_cursor.click(m_draggedTo);
        return true;
    }
    if (selected.width() >= 3) {
        const ChartPlot& plot = m_canvas.plot();
        const AxisLimits x{plot.axes.toX(selected.left()), plot.axes.toX(selected.right())};
        const AxisLimits y{plot.axes.toY(selected.bottom()), plot.axes.toY(selected.top())};
        m_zoom.setX(x, ChartZoom::Step::Own);
        if (ended == Drag::SelectBox && selected.height() >= 3) {
            m_zoom.setY(y, ChartZoom::Step::JoinsRecent);
        }
    }
    return true;
}

void ChartMouse::endDrag()
{
    const bool hasPanned = m_drag == Drag::Pan;
    m_drag = Drag::None;
    if (hasPanned) {
        m_canvas.setCoarse(false);
        m_canvas.viewport()->unsetCursor();
        Q_EMIT panEnded();
    }
    Q_EMIT selectionChanged();
}

std::optional<QRectF> ChartMouse::selection() const
{
    if (m_drag != Drag::Select && m_drag != Drag::SelectBox) {
        return std::nullopt;
    }
    const QRectF area = m_canvas.plot().axes.plot();
    QRectF selection = QRectF(m_pressedAt, m_draggedTo).normalized();
    if (m_drag == Drag::Select) {
        selection.setTop(area.top());
        selection.setBottom(area.bottom());
    }
    return selection.intersected(area);
}

bool ChartMouse::scrollsByWheel() const
{
    for (QWidget* widget = m_canvas.parentWidget(); widget; widget = widget->parentWidget()) {
        const auto* area = qobject_cast<QAbstractScrollArea*>(widget);
        if (area && area->verticalScrollBar()->maximum() > area->verticalScrollBar()->minimum()) {
            return true;
        }
        if (widget->isWindow()) {
            break;
        }
    }
    return false;
}

bool ChartMouse::wheel(QWheelEvent& event)
{
    const bool control = event.modifiers() & Qt::ControlModifier;
    // Among many cards, the wheel scrolls the page until a card is clicked or Ctrl is held.
    if (!control && !m_canvas.parentWidget()->hasFocus() && scrollsByWheel()) {
        event.ignore();
        return false;
    }
    const QPoint angle = event.angleDelta();
    const int turn = angle.y() != 0 ? angle.y() : angle.x();
    if (turn == 0) {
        return true;
    }
    const double factor = std::pow(kWheelZoom, turn / kNotch);
    if (event.modifiers() & Qt::ShiftModifier) {
        m_zoom.zoomY(factor, event.position().y());
    } else {
        m_zoom.zoomX(factor, event.position().x());
    }
    event.accept();
    return true;
}

void ChartMouse::hover(const QPointF& position)
{
    if (m_canvas.isLaidOut()) {
        m_cursor.hover(position);
    }
}

} // namespace cannery::ui
