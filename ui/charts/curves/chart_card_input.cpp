// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_card_private.h"
#include "ui/charts/curves/chart_commands.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDrag>
#include <QDropEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr double kNotch = 120;
constexpr double kWheelZoom = 1.2;
constexpr auto kTagMime = "application/x-cannery-tag";

} // namespace

bool ChartCard::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto& key = static_cast<QKeyEvent&>(*event);
        if (chartCommandOf(key) || key.key() == Qt::Key_Space) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::ToolTip &&
        !m_private->headerRect().contains(static_cast<QHelpEvent&>(*event).pos())) {
        // The readout shows the values there; a tooltip would cover them.
        event->ignore();
        return true;
    }
    return QWidget::event(event);
}

bool ChartCard::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_private->canvas->viewport() && m_private->canvasEvent(event)) {
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

bool ChartCard::Private::canvasEvent(QEvent* event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        return press(static_cast<QMouseEvent&>(*event));
    case QEvent::MouseMove:
        return move(static_cast<QMouseEvent&>(*event));
    case QEvent::MouseButtonRelease:
        return release(static_cast<QMouseEvent&>(*event));
    case QEvent::MouseButtonDblClick:
        endDrag();
        resetZoom();
        return true;
    case QEvent::Wheel:
        return wheel(static_cast<QWheelEvent&>(*event));
    case QEvent::Leave:
        leave();
        return false;
    default:
        return false;
    }
}

bool ChartCard::Private::press(QMouseEvent& event)
{
    if (event.button() == Qt::RightButton) {
        return false;
    }
    card.setFocus(Qt::MouseFocusReason);
    pressedAt = event.position();
    draggedTo = pressedAt;
    const bool pans = event.button() == Qt::MiddleButton || spaceIsDown;
    drag = pans ? Drag::Pan : Drag::Pressed;
    if (pans) {
        lastZoom = -1000000;
        canvas->setCoarse(true);
        canvas->viewport()->setCursor(Qt::ClosedHandCursor);
    }
    return true;
}

bool ChartCard::Private::move(QMouseEvent& event)
{
    const QPointF position = event.position();
    if (drag == Drag::None) {
        hover(position);
        return true;
    }
    if (drag == Drag::Pan) {
        // One step in the zoom history for the whole drag.
        lastZoom = zooms.empty() ? lastZoom : clock.now();
        pan(position - draggedTo);
        draggedTo = position;
        return true;
    }
    draggedTo = position;
    if (drag == Drag::Pressed &&
        2 * (position - pressedAt).manhattanLength() >= QApplication::startDragDistance()) {
        drag = event.modifiers() & Qt::ShiftModifier ? Drag::SelectBox : Drag::Select;
    }
    updatePointer();
    return true;
}

bool ChartCard::Private::release(QMouseEvent&)
{
    const Drag ended = drag;
    const QRectF selection = canvas->pointer().selection.value_or(QRectF());
    endDrag();
    if (ended == Drag::Pressed) {
        cursorStays = !cursorStays && cursor.has_value();
        if (!cursorStays) {
            hover(draggedTo);
        }
        return true;
    }
    if ((ended == Drag::Select || ended == Drag::SelectBox) && selection.width() >= 3) {
        const AxisLimits x{plot.toX(selection.left()), plot.toX(selection.right())};
        const AxisLimits y{plot.toY(selection.bottom()), plot.toY(selection.top())};
        setXLimits(x, false);
        if (ended == Drag::SelectBox && selection.height() >= 3) {
            setYLimits(y, true);
        }
    }
    return true;
}

void ChartCard::Private::endDrag()
{
    if (drag == Drag::Pan) {
        canvas->setCoarse(false);
        canvas->viewport()->unsetCursor();
        request(RepaintClock::Cause::Person);
    }
    drag = Drag::None;
    updatePointer();
}

bool ChartCard::Private::scrollsByWheel() const
{
    for (QWidget* widget = card.parentWidget(); widget; widget = widget->parentWidget()) {
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

bool ChartCard::Private::wheel(QWheelEvent& event)
{
    const bool control = event.modifiers() & Qt::ControlModifier;
    // Among many cards, the wheel scrolls the page until a card is clicked or Ctrl is held.
    if (!control && !card.hasFocus() && scrollsByWheel()) {
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
        zoomY(factor, event.position().y(), true);
    } else {
        zoomX(factor, event.position().x(), true);
    }
    event.accept();
    return true;
}

void ChartCard::Private::hover(const QPointF& position)
{
    if (!isLaidOut || plot.isEmpty()) {
        return;
    }
    const bool isInside = plot.plot().adjusted(-4, -4, 4, 4).contains(position);
    const int curve = isInside ? plot.curveAt(position) : -1;
    const QString run = curve >= 0 ? plot.curves()[curve].run : QString();
    if (run != hoveredRun) {
        hoveredRun = run;
        if (curve >= 0) {
            currentCurve = curve;
        }
        Q_EMIT card.runHovered(run);
    }
    if (cursorStays) {
        return;
    }
    if (isInside) {
        moveCursor(plot.snapped(plot.toX(position.x())), false);
    } else if (!cursorByKeys) {
        moveCursor(std::nullopt, false);
    }
}

void ChartCard::Private::leave()
{
    if (!hoveredRun.isEmpty()) {
        hoveredRun.clear();
        Q_EMIT card.runHovered({});
    }
    if (!cursorStays && !cursorByKeys && cursorIsOwn) {
        moveCursor(std::nullopt, false);
    }
}

void ChartCard::keyPressEvent(QKeyEvent* event)
{
    Private& d = *m_private;
    if (event->key() == Qt::Key_Space) {
        d.spaceIsDown = true;
        return;
    }
    const auto command = chartCommandOf(*event);
    if (!command) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int by = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    if (*command == ChartCommand::UndoZoom) {
        d.escape();
    } else if (*command == ChartCommand::PreviousPoint || *command == ChartCommand::NextPoint) {
        d.walk(*command == ChartCommand::NextPoint ? by : -by);
    } else {
        perform(*command);
    }
}

void ChartCard::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        m_private->spaceIsDown = false;
    }
    QWidget::keyReleaseEvent(event);
}

void ChartCard::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (event->button() == Qt::LeftButton && m_private->headerRect().contains(event->position())) {
        m_private->drag = Private::Drag::Title;
        m_private->pressedAt = event->position();
    }
}

void ChartCard::mouseMoveEvent(QMouseEvent* event)
{
    Private& d = *m_private;
    const bool isFar =
        (event->position() - d.pressedAt).manhattanLength() >= QApplication::startDragDistance();
    if (!(event->buttons() & Qt::LeftButton) || d.drag != Private::Drag::Title || !isFar ||
        d.tag.isEmpty()) {
        return;
    }
    d.drag = Private::Drag::None;
    auto* drag = new QDrag(this);
    auto* data = new QMimeData;
    data->setData(QString::fromLatin1(kTagMime), d.tag.toUtf8());
    data->setText(d.tag);
    drag->setMimeData(data);
    drag->exec(Qt::CopyAction);
}

void ChartCard::contextMenuEvent(QContextMenuEvent* event)
{
    m_private->endDrag();
    m_private->showMenu(event->reason() == QContextMenuEvent::Mouse
                            ? event->globalPos()
                            : mapToGlobal(QPoint(width() / 2, height() / 2)));
}

void ChartCard::dragEnterEvent(QDragEnterEvent* event)
{
    const QByteArray tag = event->mimeData()->data(QString::fromLatin1(kTagMime));
    if (!tag.isEmpty() && QString::fromUtf8(tag) != m_private->tag) {
        event->acceptProposedAction();
    }
}

void ChartCard::dropEvent(QDropEvent* event)
{
    const QByteArray tag = event->mimeData()->data(QString::fromLatin1(kTagMime));
    if (!tag.isEmpty()) {
        event->acceptProposedAction();
        Q_EMIT tagDropped(QString::fromUtf8(tag));
    }
}

} // namespace cannery::ui
