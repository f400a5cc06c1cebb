// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_frame.h"

#include <QGraphicsView>
#include <QImage>

#include <memory>

namespace cannery::ui {

/// What a StepCanvas draws: the logged steps of one tag between two axes. In logical pixels.
class StepPicture
{
public:
    virtual ~StepPicture() = default;

    /// Makes plot area and labels for this size, in the current theme.
    virtual void layOut(const QSizeF& size) = 0;
    /// Everything but the cursor.
    virtual void paint(QPainter& painter) const = 0;
    virtual void paintCursor(QPainter& painter, qsizetype step) const = 0;
    /// The number of the step at or nearest to this place.
    virtual qsizetype stepAt(const QPointF& place) const = 0;

    const QRectF& plot() const { return m_plot; }
    const QList<AxisLabel>& xLabels() const { return m_xLabels; }
    const QList<AxisLabel>& yLabels() const { return m_yLabels; }

protected:
    /// The number of the nearest of `count` points, the first of equally near ones; -1: there is
    /// none. placeOf: the place of a point.
    template <typename PlaceOf>
    static qsizetype nearestOf(qsizetype count, const PlaceOf& placeOf, const QPointF& place)
    {
        qsizetype nearest = -1;
        double least = 0;
        for (qsizetype point = 0; point < count; ++point) {
            const QPointF away = placeOf(point) - place;
            const double distance = QPointF::dotProduct(away, away);
            if (nearest < 0 || distance < least) {
                nearest = point;
                least = distance;
            }
        }
        return nearest;
    }
    /// Room for the labels of both axes; the plot is never smaller than a pixel.
    void setPlot(const QSizeF& size, const QStringList& yLabels);

    QRectF m_plot;
    QList<AxisLabel> m_xLabels;
    QList<AxisLabel> m_yLabels;
};

/// A QChart whose axes belong to a StepPicture, which is drawn once and kept as an image; the
/// cursor is drawn above it. GUI thread.
class StepCanvas : public QGraphicsView
{
    Q_OBJECT

public:
    explicit StepCanvas(QWidget* parent = nullptr);

    /// Takes the picture; null: nothing is drawn.
    void setPicture(std::unique_ptr<StepPicture> picture);
    /// -1: none.
    void setCursorStep(qsizetype step);
    /// The plot area in this widget.
    QRect plotRectangle() const;
    /// How often the picture was drawn, for tests.
    int paintCount() const { return m_paintCount; }

Q_SIGNALS:
    /// The pointer is at this step; -1: it has left.
    void stepHovered(qsizetype step);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void followTheme();
    void layOut();
    void paintPicture(QPainter& painter);

    QGraphicsScene* m_scene;
    ChartFrame m_frame;
    PaintedItem* m_item;   ///< owned by the scene
    PaintedItem* m_cursor; ///< owned by the scene
    std::unique_ptr<StepPicture> m_picture;
    qsizetype m_step = -1;
    QImage m_image; ///< null: to be drawn again
    int m_paintCount = 0;
};

} // namespace cannery::ui
