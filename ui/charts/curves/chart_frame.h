// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_plot.h"

#include <QGraphicsItem>

#include <functional>

class QCategoryAxis;
class QChart;
class QGraphicsScene;

namespace cannery::ui {

/// A chart item painted by a function, in chart units.
class PaintedItem : public QGraphicsItem
{
public:
    /// From bottom to top; all but the first above axes and legend.
    enum class Layer
    {
        Grid,
        Curves,
        Pointer,
    };

    PaintedItem(QChart& chart, Layer layer, std::function<void(QPainter&)> paint);

    void resize(const QSizeF& size);
    QRectF boundingRect() const override { return {QPointF(), m_size}; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    std::function<void(QPainter&)> m_paint;
    QSizeF m_size;
};

/// The QChart around curves: axes with grid and labels, legend, titles. The axes are as long as the
/// plot area, and their categories end at the plot's ticks: linear, logarithmic and clock axes work
/// alike, with our own numbers as labels, and nothing is laid out again while the ticks stay the
/// same. Texts are plain, not HTML. GUI thread.
class ChartFrame
{
public:
    /// Adds its chart to the scene, which owns it.
    explicit ChartFrame(QGraphicsScene& scene);

    QChart& chart() { return *m_chart; }
    void resize(const QSizeF& size);
    /// Applies fonts and colours again.
    void followTheme();
    void setTitles(const QString& title, const QString& xTitle, const QString& yTitle);
    /// A line and a label for each of these curves, in rows from this corner on; none: no legend.
    /// Returns its height.
    double setLegend(const QList<Curve>& curves, const QPointF& corner, double width);
    /// Plot area and ticks from the layout; `visible`: whether the axes are shown.
    void show(const ChartPlot& plot, bool visible = true);
    void show(const QRectF& plotArea, const QList<AxisLabel>& xLabels,
              const QList<AxisLabel>& yLabels, bool visible = true);

private:
    struct LegendEntry
    {
        QString label;
        int colourSlot;
        bool dashed;

        bool operator==(const LegendEntry&) const = default;
    };

    void fillLegend();
    void coverEnds(QPainter& painter) const;
    static void setLabels(QCategoryAxis& axis, const QList<AxisLabel>& labels);

    QChart* m_chart;
    QCategoryAxis* m_x;
    QCategoryAxis* m_y;
    PaintedItem* m_ends;
    QList<AxisLabel> m_xLabels;
    QList<AxisLabel> m_yLabels;
    QList<LegendEntry> m_legend;
};

} // namespace cannery::ui
