// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/histogram_view.h"

#include "ui/charts/curves/bare_chart.h"
#include "ui/models/curves/axis_scale.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QCategoryAxis>
#include <QChart>
#include <QFontMetricsF>
#include <QHorizontalBarSeries>
#include <QLegend>
#include <QLocale>
#include <QResizeEvent>
#include <QStackedBarSeries>
#include <QValueAxis>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr qsizetype kMostCategories = 4;
constexpr int kMostTicks = 4;
/// The smallest share of the largest bar that is still visible.
constexpr double kLeastBar = 0.02;

AxisTicks ticksOf(const ColumnFacts& column)
{
    const double low = column.minimum.value_or(0);
    const double high = column.maximum.value_or(0);
    if (!(high > low)) {
        return {{low}, {formatNumber(low)}};
    }
    return makeTicks(AxisScale({low, high}, false), TickFormat::Number, kMostTicks);
}

void styleAxis(QAbstractAxis& axis)
{
    axis.setLabelsFont(textFont(TextRole::Axis));
    axis.setLabelsBrush(tokens().text2);
    axis.setLinePen(QPen(tokens().border, 1));
    axis.setGridLineVisible(false);
    axis.setTruncateLabels(false);
}

} // namespace

HistogramView::HistogramView(QWidget* parent)
    : QGraphicsView(new QGraphicsScene, parent), m_chart(new QChart)
{
    makeBare(*this);
    setBackgroundBrush(Qt::transparent);
    viewport()->setAutoFillBackground(false);
    setAccessibleName(tr("Distribution of the values"));
    scene()->setParent(this);
    scene()->addItem(m_chart);
    makeBare(*m_chart);
    m_chart->legend()->hide();
    m_chart->setLocalizeNumbers(true);
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] {
        updateGeometry();
        build();
    });
    hide();
}

void HistogramView::setColumn(const ColumnFacts& column)
{
    m_column = column;
    setVisible(!column.binCounts.isEmpty());
    build();
}

QSize HistogramView::sizeHint() const
{
    return {scaled(240), scaled(100)};
}

void HistogramView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    const QRectF area(QPointF(), viewport()->size());
    setSceneRect(area);
    m_chart->resize(area.size());
    build();
}

void HistogramView::wheelEvent(QWheelEvent* event)
{
    // A view would scroll its scene.
    event->ignore();
}

double HistogramView::most() const
{
    const QList<double>& counts = m_column.binCounts;
    return counts.isEmpty() ? 0 : std::max(1.0, *std::max_element(counts.begin(), counts.end()));
}

QBarSet* HistogramView::makeSet(const QColor& colour) const
{
    // A legend shows it as rich text, even a hidden one.
    auto* set = new QBarSet(m_column.name.toHtmlEscaped());
    set->setBrush(colour);
    set->setPen(Qt::NoPen);
    set->setLabelFont(textFont(TextRole::Label));
    set->setLabelColor(tokens().text2);
    return set;
}

void HistogramView::add(QAbstractBarSeries* series, QAbstractAxis* values, Qt::Alignment side,
                        double room)
{
    m_chart->addSeries(series);
    m_chart->addAxis(values, side);
    series->attachAxis(values);
    styleAxis(*values);
    auto* counts = new QValueAxis;
    counts->setRange(0, most() * (1 + room));
    m_chart->addAxis(counts, side == Qt::AlignBottom ? Qt::AlignLeft : Qt::AlignBottom);
    series->attachAxis(counts);
    counts->setVisible(false);
}

void HistogramView::build()
{
    m_chart->removeAllSeries();
    for (QAbstractAxis* axis : m_chart->axes()) {
        m_chart->removeAxis(axis);
        delete axis;
    }
    m_chart->setLocale(QLocale());
    if (m_column.binCounts.isEmpty()) {
        return;
    }
    if (m_column.isNumber()) {
        showNumbers();
    } else {
        showCategories();
    }
}

/// The label's first class is grey, its others blue.
void HistogramView::showNumbers()
{
    const ThemeTokens& theme = tokens();
    const bool isLabel = m_column.use == QLatin1String("label");
    const auto count = double(m_column.binCounts.size());
    QBarSet* bars =
        makeSet(isLabel ? theme.series[0] : mixed(theme.surface, theme.series[0], 0.75));
    QBarSet* first = makeSet(theme.series[7]);
    for (const double bin : m_column.binCounts) {
        const double shown = bin > 0 ? std::max(bin, kLeastBar * most()) : 0;
        const bool isFirst = isLabel && bars->count() == 0;
        bars->append(isFirst ? 0 : shown);
        first->append(isFirst ? shown : 0);
    }
    auto* series = new QStackedBarSeries;
    series->setBarWidth(0.86);
    series->append({bars, first});

    auto* axis = new QCategoryAxis;
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setRange(-0.5, count - 0.5);
    axis->setStartValue(-1);
    const AxisTicks ticks = ticksOf(m_column);
    const double low = m_column.minimum.value_or(0);
    const double length = m_column.maximum.value_or(0) - low;
    const QFontMetricsF metrics(textFont(TextRole::Axis));
    double widest = 0;
    for (size_t i = 0; i < ticks.values.size(); ++i) {
        const double share = length > 0 ? (ticks.values[i] - low) / length : 0.5;
        const QString& label = ticks.labels[qsizetype(i)];
        axis->append(label, share * count - 0.5);
        widest = std::max(widest, metrics.horizontalAdvance(label));
    }
    add(series, axis, Qt::AlignBottom, 0);
    // So that no label ends outside the view.
    const double side = std::ceil(widest / 2) + 1;
    const double below = std::ceil(metrics.height()) + 6;
    const QSizeF size(viewport()->size());
    m_chart->setPlotArea(QRectF(QPointF(side, scaled(4)),
                                QPointF(std::max(size.width() - side, side + 1),
                                        std::max(size.height() - below, scaled(4) + 1.0))));
}

void HistogramView::showCategories()
{
    const QFontMetricsF metrics(textFont(TextRole::Axis));
    auto* axis = new QBarCategoryAxis;
    QBarSet* bars = makeSet(tokens().series[0]);
    QStringList names;
    // From the bottom up.
    for (qsizetype i = std::min(kMostCategories, m_column.binCounts.size()); i-- > 0;) {
        QString name = metrics.elidedText(m_column.binLabels.value(i), Qt::ElideRight, scaled(90))
                           .toHtmlEscaped();
        // Names that differ only in the elided part must stay distinct.
        while (name.isEmpty() || names.contains(name)) {
            name += QChar(0x200b);
        }
        names += name;
        bars->append(m_column.binCounts[i]);
    }
    axis->append(names);
    auto* series = new QHorizontalBarSeries;
    series->setBarWidth(0.5);
    series->append(bars);
    series->setLabelsVisible(true);
    series->setLabelsPosition(QAbstractBarSeries::LabelsOutsideEnd);
    series->setLabelsPrecision(15);
    m_chart->setPlotArea({});
    add(series, axis, Qt::AlignLeft, 0.5);
    axis->setLineVisible(false);
}

} // namespace cannery::ui
