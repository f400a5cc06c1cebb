// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_canvas.h"

#include "ui/charts/curves/bare_chart.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/charts/curves/plot_painter.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QChart>
#include <QEvent>
#include <QGraphicsScene>
#include <QKeyEvent>
#include <QPainter>
#include <QWheelEvent>

#include <cmath>

namespace cannery::ui {

ChartCanvas::ChartCanvas(ChartPlot& plot, QWidget* parent)
    : QGraphicsView(parent), m_plot(plot), m_scene(new QGraphicsScene(this)), m_frame(*m_scene),
      m_curves(new PaintedItem(m_frame.chart(), PaintedItem::Layer::Curves,
                               [this](QPainter& painter) { paintCurves(painter); })),
      m_pointerItem(new PaintedItem(m_frame.chart(), PaintedItem::Layer::Pointer,
                                    [this](QPainter& painter) { paintPointer(painter); }))
{
    makeBare(*this);
    // Grid lines stay sharp; items that need smooth edges enable antialiasing themselves.
    setRenderHint(QPainter::Antialiasing, false);
    setViewportUpdateMode(QGraphicsView::BoundingRectViewportUpdate);
    setOptimizationFlags(DontSavePainterState | DontAdjustForAntialiasing);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    m_scene->setItemIndexMethod(QGraphicsScene::NoIndex);
    setScene(m_scene);
    followTheme();
    connect(&themeWatch(), &ThemeWatch::changed, this, &ChartCanvas::followTheme);
}

void ChartCanvas::followTheme()
{
    setBackgroundBrush(tokens().surface);
    m_frame.followTheme();
    invalidate();
}

void ChartCanvas::setLegend(const QList<Curve>& curves)
{
    m_legend = curves;
}

void ChartCanvas::layOut(qint64 now, bool byPerson)
{
    const QSizeF size(viewport()->size());
    const double legend = m_frame.setLegend(m_legend, QPointF(scaled(10), 0), size.width());
    m_plot.axes.layOut(m_plot.content, size, {0, int(std::ceil(legend)), 0, 0}, now,
                       byPerson || !m_isLaidOut);
    m_isLaidOut = true;
    m_frame.show(m_plot, m_emptyText.isEmpty());
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
    m_isLaidOut = false;
    const QSizeF size(viewport()->size());
    setSceneRect(QRectF(QPointF(), size));
    m_frame.resize(size);
    m_curves->resize(size);
    m_pointerItem->resize(size);
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
    const QSize pixels(int(std::ceil(m_plot.axes.size().width() * ratio)),
                       int(std::ceil(m_plot.axes.size().height() * ratio)));
    if (pixels.isEmpty()) {
        return;
    }
    if (m_picture.size() != pixels) {
        m_picture = QImage(pixels, QImage::Format_ARGB32_Premultiplied);
    }
    m_picture.setDevicePixelRatio(1);
    m_picture.fill(Qt::transparent);
    PlotPainter plotPainter(m_plot);
    m_vertexCount = plotPainter.paintCurves(m_picture, ratio, m_coarse && ratio > 1);
    m_picture.setDevicePixelRatio(ratio);
    QPainter painter(&m_picture);
    plotPainter.paintMarks(painter);
    ++m_paintCount;
    m_isDirty = false;
}

void ChartCanvas::paintCurves(QPainter& painter)
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
        paintWords(painter, m_plot.axes.plot(), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    }
    PointerPainter(painter, m_plot, m_pointer).paint();
}

} // namespace cannery::ui
