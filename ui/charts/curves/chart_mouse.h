// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QPointF>
#include <QRectF>

#include <optional>

class QMouseEvent;
class QWheelEvent;

namespace cannery::ui {

class ChartCanvas;
class ChartCursor;
class ChartZoom;

/// What the mouse does on a canvas: moves the cursor, selects a range, pans and zooms. GUI thread.
class ChartMouse : public QObject
{
    Q_OBJECT

public:
    ChartMouse(ChartCanvas& canvas, ChartZoom& zoom, ChartCursor& cursor);

    bool isDragging() const { return m_drag != Drag::None; }
    void endDrag();
    /// The range that is being selected, in canvas pixels.
    std::optional<QRectF> selection() const;
    /// A drag pans while the space bar is down.
    void setSpaceDown(bool isDown) { m_spaceIsDown = isDown; }

    bool eventFilter(QObject* watched, QEvent* event) override;

Q_SIGNALS:
    void pressed();
    void selectionChanged();
    void panEnded();

private:
    enum class Drag
    {
        None,
        Pressed,
        Select,
        SelectBox,
        Pan,
    };

    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release();
    bool wheel(QWheelEvent& event);
    bool scrollsByWheel() const;
    void hover(const QPointF& position);

    ChartCanvas& m_canvas;
    ChartZoom& m_zoom;
    ChartCursor& m_cursor;
    Drag m_drag = Drag::None;
    bool m_hasPanned = false; ///< in this drag
    bool m_spaceIsDown = false;
    QPointF m_pressedAt;
    QPointF m_draggedTo;
};

} // namespace cannery::ui
