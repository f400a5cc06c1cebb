// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/axis_scale.h"

#include <QList>
#include <QMargins>
#include <QRectF>
#include <QString>

namespace cannery::ui {

class ChartContent;

/// The label at a tick of an axis.
struct AxisLabel
{
    double position; ///< 0 to 1 along the axis
    QString text;

    bool operator==(const AxisLabel&) const = default;
};

/// The geometry of a chart: where its plot is, its ranges and ticks, pixels of values. GUI thread.
class ChartAxes
{
public:
    /// Computes ranges and ticks for this size, with room for legend and titles `around` them, in
    /// whole pixels. Ticks of a chart that follows its data change at most once a second;
    /// `byPerson` changes them at once.
    void layOut(const ChartContent& content, const QSizeF& size, const QMargins& around, qint64 now,
                bool byPerson);

    QSizeF size() const { return m_size; }
    QMargins around() const { return m_around; }
    QRectF plot() const { return m_plot; } ///< inside the size
    const AxisScale& x() const { return m_x; }
    const AxisScale& y() const { return m_y; }

    /// The visible ticks; on the x axis those with enough room.
    QList<AxisLabel> xLabels() const;
    QList<AxisLabel> yLabels() const;
    QList<QRectF> xLabelBoxes() const; ///< of xLabels(), inside the size

    double toPixel(double x) const { return m_plot.left() + m_x.toPosition(x) * m_plot.width(); }
    double yToPixel(double y) const
    {
        return m_plot.bottom() - m_y.toPosition(y) * m_plot.height();
    }
    double toX(double pixel) const { return m_x.toValue((pixel - m_plot.left()) / m_plot.width()); }
    double toY(double pixel) const
    {
        return m_y.toValue((m_plot.bottom() - pixel) / m_plot.height());
    }

private:
    int tickCountY() const;

    QSizeF m_size;
    QMargins m_around;
    QRectF m_plot;
    AxisScale m_x;
    AxisScale m_y;
    AxisTicks m_xTicks;
    AxisTicks m_yTicks;
    qint64 m_ticksMade = -1;
};

} // namespace cannery::ui
