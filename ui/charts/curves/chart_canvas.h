// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_frame.h"
#include "ui/charts/curves/chart_pointer.h"

#include <QGraphicsView>
#include <QImage>

#include <functional>

namespace cannery::ui {

struct ChartPlot;

/// The canvas of a plot. A QChart draws axes, grid and legend; curves and marks are one item inside
/// it, because a QLineSeries takes tens of milliseconds per frame (12 cards: 61 ms). That item
/// caches a picture at the device's resolution; the pointer is drawn on top of it.
class ChartCanvas : public QGraphicsView
{
    Q_OBJECT

public:
    ChartCanvas(ChartPlot& plot, QWidget* parent);

    const ChartPlot& plot() const { return m_plot; }
    /// Called before each paint, for layout that was postponed while invisible.
    void setAboutToPaint(std::function<void()> call) { m_aboutToPaint = std::move(call); }
    /// The curves in the legend above the plot; none: no legend.
    void setLegend(const QList<Curve>& curves);
    /// Lays out the plot for the size of the viewport; see ChartAxes::layOut.
    void layOut(qint64 now, bool byPerson);
    /// For the present size.
    bool isLaidOut() const { return m_isLaidOut; }
    /// Curves, marks or colours have changed: the picture is redrawn at the next paint.
    void invalidate();
    /// Half as many columns on high-resolution displays during a drag.
    void setCoarse(bool coarse) { m_coarse = coarse; }
    void setPointer(const ChartPointer& pointer);
    const ChartPointer& pointer() const { return m_pointer; }
    /// A text instead of the axes; empty: none.
    void setEmptyText(const QString& text);

    int paintCount() const { return m_paintCount; }
    int vertexCount() const { return m_vertexCount; }

protected:
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void followTheme();
    void paintCurves(QPainter& painter);
    void makePicture(double ratio);
    void paintPointer(QPainter& painter) const;

    ChartPlot& m_plot;
    QGraphicsScene* m_scene;
    ChartFrame m_frame;
    PaintedItem* m_curves;      ///< owned by the scene
    PaintedItem* m_pointerItem; ///< owned by the scene
    std::function<void()> m_aboutToPaint;
    ChartPointer m_pointer;
    QList<Curve> m_legend;
    QString m_emptyText;
    QImage m_picture;
    bool m_isDirty = true;
    bool m_isLaidOut = false;
    bool m_coarse = false;
    int m_paintCount = 0;
    int m_vertexCount = 0;
};

} // namespace cannery::ui
