// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/steps/scatter_card.h"
#include "ui/charts/steps/step_canvas.h"
#include "ui/models/curves/axis_scale.h"

namespace cannery::ui {

/// The points of a Scatter between two axes with their titles, under a legend of its groups. The
/// cursor is at a point.
class ScatterPicture : public StepPicture
{
public:
    explicit ScatterPicture(Scatter scatter);

    void layOut(const QSizeF& size) override;
    void paint(QPainter& painter) const override;
    void paintCursor(QPainter& painter, qsizetype point) const override;
    /// The nearest point; -1: there is none.
    qsizetype stepAt(const QPointF& place) const override;

    QPointF placeOf(qsizetype point) const;

private:
    struct Entry
    {
        QRectF box;
        QString text;
    };

    double layOutLegend(double width);
    void paintLegend(QPainter& painter) const;
    void paintTitles(QPainter& painter) const;
    void paintTexts(QPainter& painter) const;
    QRectF textBox(const QPainter& painter, qsizetype point) const;

    Scatter m_scatter;
    AxisScale m_x;
    AxisScale m_y;
    QList<Entry> m_legend; ///< by group
    QRectF m_inside;       ///< the plot, its labels and titles
};

} // namespace cannery::ui
