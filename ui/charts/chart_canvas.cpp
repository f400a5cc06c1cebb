// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_canvas.h"

#include "ui/charts/chart_plot.h"
#include "ui/models/formats.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/theme.h"

#include <QChart>
#include <QEvent>
#include <QFontMetricsF>
#include <QGraphicsItem>
#include <QGraphicsScene>
#include <QKeyEvent>
#include <QLegend>
#include <QPainter>
#include <QValueAxis>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace cannery::ui {

class ChartCanvas::CurveItem : public QGraphicsItem
{
public:
    CurveItem(ChartCanvas& canvas, QGraphicsItem* parent) : QGraphicsItem(parent), m_canvas(canvas)
    {}
    QRectF boundingRect() const override
    {
        return {QPointF(), QSizeF(m_canvas.viewport()->size())};
    }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override
    {
        m_canvas.paintLayers(*painter);
    }
    void sizeChanged() { prepareGeometryChange(); }

private:
    ChartCanvas& m_canvas;
};

class ChartCanvas::PointerItem : public QGraphicsItem
{
public:
    PointerItem(ChartCanvas& canvas, QGraphicsItem* parent)
        : QGraphicsItem(parent), m_canvas(canvas)
    {
        setZValue(10);
    }
    QRectF boundingRect() const override
    {
        return {QPointF(), QSizeF(m_canvas.viewport()->size())};
    }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override
    {
        m_canvas.paintPointer(*painter);
    }
    void sizeChanged() { prepareGeometryChange(); }

private:
    ChartCanvas& m_canvas;
};

ChartCanvas::ChartCanvas(ChartPlot& plot, QWidget* parent) : QGraphicsView(parent), m_plot(plot)
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setFocusPolicy(Qt::NoFocus);
    setInteractive(false);
    setRenderHint(QPainter::Antialiasing);
    setViewportUpdateMode(QGraphicsView::BoundingRectViewportUpdate);
    setOptimizationFlags(DontSavePainterState | DontAdjustForAntialiasing);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);

    auto* scene = new QGraphicsScene(this);
    scene->setItemIndexMethod(QGraphicsScene::NoIndex);
    setScene(scene);
    m_chart = new QChart;
    m_chart->setBackgroundVisible(false);
    m_chart->setPlotAreaBackgroundVisible(false);
    m_chart->setMargins({});
    m_chart->legend()->hide();
    m_chart->setAnimationOptions(QChart::NoAnimation);
    for (const Qt::Alignment side : {Qt::AlignBottom, Qt::AlignLeft}) {
        auto* axis = new QValueAxis;
        axis->setVisible(false);
        m_chart->addAxis(axis, side);
    }
    scene->addItem(m_chart);
    m_curves = new CurveItem(*this, m_chart);
    m_pointerItem = new PointerItem(*this, m_chart);
    followTheme();
    connect(&themeWatch(), &ThemeWatch::changed, this, &ChartCanvas::followTheme);
}

void ChartCanvas::followTheme()
{
    setBackgroundBrush(tokens().surface);
    invalidate();
}

void ChartCanvas::invalidate()
{
    m_isDirty = true;
    m_curves->update();
}

void ChartCanvas::setPointer(const ChartPointer& pointer)
{
    m_pointer = pointer;
    m_pointerItem->update();
}

void ChartCanvas::setEmptyText(const QString& text)
{
    if (text != m_emptyText) {
        m_emptyText = text;
        invalidate();
        m_pointerItem->update();
    }
}

bool ChartCanvas::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Paint && m_aboutToPaint) {
        m_aboutToPaint();
    }
    return QGraphicsView::viewportEvent(event);
}

void ChartCanvas::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    const QSizeF size(viewport()->size());
    m_curves->sizeChanged();
    m_pointerItem->sizeChanged();
    setSceneRect(QRectF(QPointF(), size));
    m_chart->resize(size);
}

void ChartCanvas::wheelEvent(QWheelEvent* event)
{
    // The card decides; a view would scroll its scene.
    event->ignore();
}

void ChartCanvas::keyPressEvent(QKeyEvent* event)
{
    event->ignore();
}

void ChartCanvas::makePicture(double ratio)
{
    const QSize pixels(int(std::ceil(m_plot.size().width() * ratio)),
                       int(std::ceil(m_plot.size().height() * ratio)));
    if (pixels.isEmpty()) {
        return;
    }
    if (m_grid.size() != pixels || m_grid.devicePixelRatio() != ratio) {
        m_grid = QImage(pixels, QImage::Format_RGB32);
        m_grid.setDevicePixelRatio(ratio);
        m_picture = QImage();
        m_chart->setPlotArea(m_plot.plot());
    }
    m_grid.fill(tokens().surface);
    if (m_emptyText.isEmpty()) {
        QPainter painter(&m_grid);
        m_plot.paintGrid(painter);
        m_plot.paintLabels(painter);
    }
    m_picture = m_grid.copy();
    m_picture.setDevicePixelRatio(1);
    m_vertexCount = m_plot.paintCurves(m_picture, ratio, m_coarse && ratio > 1);
    m_picture.setDevicePixelRatio(ratio);
    QPainter painter(&m_picture);
    m_plot.paintMarks(painter);
    ++m_paintCount;
    m_isDirty = false;
}

void ChartCanvas::paintLayers(QPainter& painter)
{
    const double ratio = painter.device()->devicePixelRatioF();
    if (m_isDirty || m_picture.isNull() || m_picture.devicePixelRatio() != ratio) {
        makePicture(ratio);
    }
    painter.drawImage(QPointF(), m_picture);
}

void ChartCanvas::paintPointer(QPainter& painter) const
{
    if (!m_emptyText.isEmpty()) {
        painter.setFont(textFont(TextRole::Label));
        painter.setPen(tokens().text2);
        painter.drawText(m_plot.plot(), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    }
    if (m_pointer.selection) {
        QColor fill = tokens().accent;
        fill.setAlphaF(0.14F);
        painter.fillRect(*m_pointer.selection, fill);
        painter.setPen(QPen(tokens().accent, 1));
        painter.drawLine(m_pointer.selection->topLeft(), m_pointer.selection->bottomLeft());
        painter.drawLine(m_pointer.selection->topRight(), m_pointer.selection->bottomRight());
    }
    if (!m_pointer.x || !m_plot.x().canShow(*m_pointer.x)) {
        return;
    }
    const double pixel = m_plot.toPixel(*m_pointer.x);
    if (pixel < m_plot.plot().left() - 1 || pixel > m_plot.plot().right() + 1) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(tokens().text3, 1));
    const double line = std::floor(pixel);
    painter.drawLine(QPointF(line, m_plot.plot().top() - 4), QPointF(line, m_plot.plot().bottom()));
    painter.setRenderHint(QPainter::Antialiasing, true);
    paintDots(painter, pixel);
    paintChip(painter, pixel);
    if (m_pointer.showsReadout && !m_pointer.rows.isEmpty()) {
        paintReadout(painter, pixel);
    }
}

void ChartCanvas::paintDots(QPainter& painter, double pixel) const
{
    for (const ReadoutRow& row : m_pointer.rows) {
        const double value = row.smoothed.value_or(double(row.value));
        if (!std::isfinite(value) || !m_plot.y().canShow(value)) {
            continue;
        }
        const QPointF centre(pixel, m_plot.yToPixel(value));
        if (!m_plot.plot().adjusted(-2, -2, 2, 2).contains(centre)) {
            continue;
        }
        painter.setPen(QPen(tokens().surface, 2));
        painter.setBrush(seriesColour(row.colourSlot));
        painter.drawEllipse(centre, 4.5, 4.5);
    }
}

void ChartCanvas::paintChip(QPainter& painter, double pixel) const
{
    const QFont font = textFont(TextRole::Badge);
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(m_pointer.chip) + 14;
    const double height = metrics.height() + 6;
    const double left = std::clamp(pixel - width / 2, 0.0, m_plot.size().width() - width);
    const QRectF chip(left, m_plot.plot().bottom() + scaled(4), width, height);
    for (const QRectF& label : m_plot.xLabelBoxes()) {
        if (label.intersects(chip.adjusted(-3, 0, 3, 0))) {
            painter.fillRect(label.adjusted(-1, 0, 1, 0), tokens().surface);
        }
    }
    paintSurface(painter, chip, 4, tokens().text);
    painter.setFont(font);
    painter.setPen(tokens().surface);
    painter.drawText(chip, Qt::AlignCenter, m_pointer.chip);
}

void ChartCanvas::paintReadout(QPainter& painter, double pixel) const
{
    const QFont labelFont = textFont(TextRole::Label);
    const QFont valueFont = textFont(TextRole::LabelStrong);
    const QFontMetricsF metrics(labelFont);
    const QFontMetricsF valueMetrics(valueFont);
    const double rowHeight = metrics.height() + 5;
    const double padding = scaled(11);
    const double available = m_plot.size().height() - 2 * padding - rowHeight;
    const auto fitting = qsizetype(std::max(1.0, available / rowHeight));
    qsizetype shown = std::min<qsizetype>(m_pointer.rows.size(), 12);
    shown = std::min(shown, fitting);
    const qsizetype more = m_pointer.rows.size() - shown;
    if (more > 0 && shown > 1) {
        --shown;
    }
    double labelWidth = metrics.horizontalAdvance(m_pointer.heading) - scaled(24);
    double valueWidth = 0;
    for (qsizetype i = 0; i < shown; ++i) {
        const ReadoutRow& row = m_pointer.rows[i];
        labelWidth = std::max(labelWidth, metrics.horizontalAdvance(row.label));
        valueWidth =
            std::max(valueWidth, valueMetrics.horizontalAdvance(formatNumber(double(row.value))));
    }
    labelWidth = std::min(labelWidth, double(scaled(180)));
    const bool saysMore = m_pointer.rows.size() > shown;
    const double width = 2 * padding + scaled(24) + labelWidth + scaled(18) + valueWidth;
    const double height = 2 * padding - 6 + rowHeight * double(shown + 1 + (saysMore ? 1 : 0));
    double left = pixel + 14;
    if (left + width > m_plot.size().width() - 4) {
        left = std::max(4.0, pixel - 14 - width);
    }
    const double top = std::clamp(m_plot.plot().center().y() - height / 2, 2.0,
                                  std::max(2.0, m_plot.size().height() - height - 6));
    const QRectF card(left, top, width, height);
    paintShadow(painter, card, 8, Elevation::Menu);
    paintSurface(painter, card, 8, tokens().raised, tokens().line);
    QRectF line(left + padding, top + padding - 3, width - 2 * padding, rowHeight);
    painter.setFont(labelFont);
    painter.setPen(tokens().text2);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, m_pointer.heading);
    for (qsizetype i = 0; i < shown; ++i) {
        const ReadoutRow& row = m_pointer.rows[i];
        line.translate(0, rowHeight);
        QPen pen(seriesColour(row.colourSlot), 2.25);
        pen.setCapStyle(Qt::FlatCap);
        if (row.dashed) {
            pen.setDashPattern({2.6, 1.6});
        }
        painter.setPen(pen);
        painter.drawLine(QPointF(line.left(), line.center().y()),
                         QPointF(line.left() + scaled(16), line.center().y()));
        painter.setPen(tokens().text);
        painter.setFont(labelFont);
        const QRectF labelBox(line.left() + scaled(24), line.top(), labelWidth, rowHeight);
        painter.drawText(labelBox, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(row.label, Qt::ElideMiddle, labelWidth + 1));
        painter.setFont(valueFont);
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, formatNumber(double(row.value)));
    }
    if (saysMore) {
        line.translate(0, rowHeight);
        painter.setFont(labelFont);
        painter.setPen(tokens().text2);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         tr("%1 more").arg(m_pointer.rows.size() - shown));
    }
}

} // namespace cannery::ui
