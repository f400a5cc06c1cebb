// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/chart_card.h"

#include <QGraphicsView>
#include <QImage>

#include <functional>
#include <optional>

class QChart;

namespace cannery::ui {

class ChartPlot;

/// What follows the pointer: hairline, dots, chip, read-out.
struct ChartPointer
{
    std::optional<double> x; ///< of the hairline, in units of the axis
    QString chip;            ///< "5,000"
    QString heading;         ///< "Step 5,000"
    QList<ReadoutRow> rows;  ///< of the dots and of the read-out
    bool showsReadout = false;
    std::optional<QRectF> selection; ///< in pixels of the canvas
};

/// The picture of a plot. A QChart holds plot area and axes; grid, labels and curves are one item
/// inside it, because a QLineSeries and an axis with labels of its own cost tens of milliseconds a
/// frame (12 cards: 61 ms) and blur hairlines. Its layers are pictures at the device's resolution:
/// grid and labels, and the same with curves and marks. The pointer is drawn on top of them.
class ChartCanvas : public QGraphicsView
{
    Q_OBJECT

public:
    ChartCanvas(ChartPlot& plot, QWidget* parent);

    /// Called before each paint, to lay out what was put off while nobody could see it.
    void setAboutToPaint(std::function<void()> call) { m_aboutToPaint = std::move(call); }
    /// Curves, marks, ranges or colours have changed: the picture is made anew at the next paint.
    void invalidate();
    /// Half as many columns on displays of double resolution, while a person drags.
    void setCoarse(bool coarse) { m_coarse = coarse; }
    void setPointer(const ChartPointer& pointer);
    const ChartPointer& pointer() const { return m_pointer; }
    void setEmptyText(const QString& text);

    int paintCount() const { return m_paintCount; }
    int vertexCount() const { return m_vertexCount; }

protected:
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    class CurveItem;
    class PointerItem;

    void followTheme();
    void paintLayers(QPainter& painter);
    void makePicture(double ratio);
    void paintPointer(QPainter& painter) const;
    void paintChip(QPainter& painter, double pixel) const;
    void paintDots(QPainter& painter, double pixel) const;
    void paintReadout(QPainter& painter, double pixel) const;

    ChartPlot& m_plot;
    QChart* m_chart;
    CurveItem* m_curves;
    PointerItem* m_pointerItem;
    std::function<void()> m_aboutToPaint;
    ChartPointer m_pointer;
    QString m_emptyText;
    QImage m_grid;
    QImage m_picture;
    bool m_isDirty = true;
    bool m_coarse = false;
    int m_paintCount = 0;
    int m_vertexCount = 0;
};

} // namespace cannery::ui
