// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_frame.h"

#include "ui/charts/curves/bare_chart.h"
#include "ui/widgets/style/theme.h"

#include <QCategoryAxis>
#include <QChart>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QSignalBlocker>

#include <algorithm>

namespace cannery::ui {
namespace {

/// A QChart has its grid at 2, axes at 3, and nothing above 6.
double zOf(PaintedItem::Layer layer)
{
    switch (layer) {
    case PaintedItem::Layer::Grid:
        return 2.5;
    case PaintedItem::Layer::Curves:
        return 10;
    case PaintedItem::Layer::Pointer:
        return 11;
    }
    return 0;
}

/// How far before the axis its first category, and with it the line at its start, begins.
constexpr double kOutOfSight = 1;

QCategoryAxis* addAxis(QChart& chart, Qt::Alignment side)
{
    auto* axis = new QCategoryAxis;
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setTruncateLabels(false);
    axis->setRange(0, 1);
    chart.addAxis(axis, side);
    axis->setLineVisible(false);
    axis->setShadesVisible(false);
    axis->setGridLineVisible(side == Qt::AlignLeft);
    return axis;
}

} // namespace

ChartFrame::ChartFrame(QGraphicsScene& scene)
    : m_chart(new QChart), m_x(addAxis(*m_chart, Qt::AlignBottom)),
      m_y(addAxis(*m_chart, Qt::AlignLeft)),
      m_ends(new PaintedItem(*m_chart, PaintedItem::Layer::Grid,
                             [this](QPainter& painter) { coverEnds(painter); }))
{
    makeBare(*m_chart);
    m_chart->setPlotAreaBackgroundVisible(false);
    QLegend* legend = m_chart->legend();
    legend->detachFromChart();
    legend->setAlignment(Qt::AlignTop);
    legend->layout()->setContentsMargins(0, 0, 0, 0);
    legend->hide();
    scene.addItem(m_chart);
    followTheme();
}

void ChartFrame::resize(const QSizeF& size)
{
    m_chart->resize(size);
    m_chart->layout()->activate();
    m_ends->resize(size);
}

void ChartFrame::followTheme()
{
    const QFont font = textFont(TextRole::Axis);
    for (QCategoryAxis* axis : {m_x, m_y}) {
        axis->setLabelsFont(font);
        axis->setLabelsBrush(tokens().text2);
        axis->setTitleFont(font);
        axis->setTitleBrush(tokens().text2);
    }
    m_y->setGridLinePen(QPen(tokens().line, 1));
    m_chart->setTitleFont(textFont(TextRole::Section));
    m_chart->setTitleBrush(tokens().text);
    m_chart->legend()->setFont(textFont(TextRole::Label));
    m_chart->legend()->setLabelBrush(tokens().text2);
    fillLegend();
}

void ChartFrame::setTitles(const QString& title, const QString& xTitle, const QString& yTitle)
{
    m_chart->setTitle(title.toHtmlEscaped());
    m_x->setTitleText(xTitle.toHtmlEscaped());
    m_y->setTitleText(yTitle.toHtmlEscaped());
}

double ChartFrame::setLegend(const QList<Curve>& curves, const QPointF& corner, double width)
{
    QList<LegendEntry> entries;
    for (const Curve& curve : curves) {
        entries.append({curve.label, curve.colourSlot, curve.dashed});
    }
    QLegend* legend = m_chart->legend();
    if (entries != m_legend) {
        m_legend = entries;
        fillLegend();
    }
    legend->setVisible(!entries.isEmpty());
    if (entries.isEmpty()) {
        return 0;
    }
    constexpr double kNoEnd = 1e5;
    // Its rows begin and end with the same number of empty pixels.
    constexpr double kInset = 3;
    legend->setGeometry(QRectF(corner - QPointF(kInset, kInset), QSizeF(width, kNoEnd)));
    legend->layout()->activate();
    return legend->childrenBoundingRect().height() - kInset;
}

void ChartFrame::fillLegend()
{
    m_chart->removeAllSeries();
    for (const LegendEntry& entry : m_legend) {
        // Without points: it is only a name and a pen for the legend. Curves are an item of ours.
        auto* line = new QLineSeries;
        line->setName(entry.label.toHtmlEscaped() + QStringLiteral("&nbsp;&nbsp;"));
        QPen pen(seriesColour(entry.colourSlot), 2, Qt::SolidLine, Qt::FlatCap);
        if (entry.dashed) {
            pen.setDashPattern({2, 1});
        }
        line->setPen(pen);
        m_chart->addSeries(line);
    }
    // The markers get the font's size with their shape, and only then.
    m_chart->legend()->setMarkerShape(QLegend::MarkerShapeRectangle);
    m_chart->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
}

void ChartFrame::setLabels(QCategoryAxis& axis, const QList<AxisLabel>& labels)
{
    // New categories lay out the whole chart, a new range only this axis, in half the time. So they
    // are changed with signals blocked, and the axis alternates between 0 … 1 and 1 … 2.
    const double begin = axis.min() > 0 ? 0 : 1;
    QSignalBlocker blocker(axis);
    QStringList names = axis.categoriesLabels();
    while (!names.isEmpty()) {
        axis.remove(names.takeLast());
    }
    axis.setStartValue(begin - kOutOfSight);
    for (const AxisLabel& label : labels) {
        QString name = label.text.toHtmlEscaped();
        if (axis.alignment() == Qt::AlignLeft) {
            // A little more room: marks on the x axis begin 5 pixels before it.
            name += QChar(QChar::Nbsp);
        }
        // Categories need distinct names: noon occurs more than once on an axis of days.
        while (names.contains(name)) {
            name += QChar(0x200b);
        }
        names += name;
        axis.append(name, begin + label.position);
    }
    blocker.unblock();
    axis.setRange(begin, begin + 1);
}

/// A category axis closes its grid with a line at each end, whether there is a tick or not.
void ChartFrame::coverEnds(QPainter& painter) const
{
    const QRectF plot = m_chart->plotArea();
    for (const double end : {0.0, 1.0}) {
        const bool hasTick = std::ranges::any_of(
            m_yLabels, [end](const AxisLabel& label) { return label.position == end; });
        if (m_y->isVisible() && !hasTick) {
            painter.fillRect(QRectF(plot.left() - 1, plot.bottom() - end * plot.height() - 1,
                                    plot.width() + 2, 2),
                             tokens().surface);
        }
    }
}

void ChartFrame::show(const ChartPlot& plot, bool visible)
{
    show(plot.axes.plot(), plot.axes.xLabels(), plot.axes.yLabels(), visible);
}

void ChartFrame::show(const QRectF& plotArea, const QList<AxisLabel>& xLabels,
                      const QList<AxisLabel>& yLabels, bool visible)
{
    m_x->setVisible(visible);
    m_y->setVisible(visible);
    if (m_chart->plotArea() != plotArea) {
        m_chart->setPlotArea(plotArea);
        m_chart->layout()->invalidate();
    }
    if (xLabels != m_xLabels) {
        m_xLabels = xLabels;
        setLabels(*m_x, xLabels);
    }
    if (yLabels != m_yLabels) {
        m_yLabels = yLabels;
        setLabels(*m_y, yLabels);
    }
    // Now, not with the next event: the next paint shows these ticks.
    m_chart->layout()->activate();
}

PaintedItem::PaintedItem(QChart& chart, Layer layer, std::function<void(QPainter&)> paint)
    : QGraphicsItem(&chart), m_paint(std::move(paint))
{
    setZValue(zOf(layer));
}

void PaintedItem::resize(const QSizeF& size)
{
    prepareGeometryChange();
    m_size = size;
}

void PaintedItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/,
                        QWidget* /*widget*/)
{
    m_paint(*painter);
}

} // namespace cannery::ui
