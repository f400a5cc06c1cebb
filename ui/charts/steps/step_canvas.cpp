// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/steps/step_canvas.h"

#include "ui/charts/curves/bare_chart.h"
#include "ui/widgets/style/theme.h"

#include <QChart>
#include <QFontMetricsF>
#include <QGraphicsScene>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace cannery::ui {

void StepPicture::setPlot(const QSizeF& size, const QStringList& yLabels)
{
    const QFontMetricsF metrics(textFont(TextRole::Axis));
    double widest = scaled(20);
    for (const QString& label : yLabels) {
        widest = std::max(widest, metrics.horizontalAdvance(label));
    }
    const double left = std::ceil(widest) + scaled(10);
    const double below = std::ceil(metrics.height()) + scaled(8);
    const double above = std::ceil(metrics.height() / 2);
    m_plot = QRectF(left, above, std::max(size.width() - left - scaled(16), 1.0),
                    std::max(size.height() - above - below, 1.0));
}

StepCanvas::StepCanvas(QWidget* parent)
    : QGraphicsView(parent), m_scene(new QGraphicsScene(this)), m_frame(*m_scene),
      m_item(new PaintedItem(m_frame.chart(), PaintedItem::Layer::Curves,
                             [this](QPainter& painter) { paintPicture(painter); })),
      m_cursor(
          new PaintedItem(m_frame.chart(), PaintedItem::Layer::Pointer, [this](QPainter& painter) {
              if (m_picture && m_step >= 0) {
                  m_picture->paintCursor(painter, m_step);
              }
          }))
{
    makeBare(*this);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    setViewportUpdateMode(QGraphicsView::BoundingRectViewportUpdate);
    viewport()->setMouseTracking(true);
    m_scene->setItemIndexMethod(QGraphicsScene::NoIndex);
    setScene(m_scene);
    followTheme();
    connect(&themeWatch(), &ThemeWatch::changed, this, &StepCanvas::followTheme);
}

void StepCanvas::followTheme()
{
    setBackgroundBrush(tokens().surface);
    m_frame.followTheme();
    layOut();
}

void StepCanvas::setPicture(std::unique_ptr<StepPicture> picture)
{
    m_picture = std::move(picture);
    layOut();
}

void StepCanvas::setCursorStep(qsizetype step)
{
    if (m_step != step) {
        m_step = step;
        m_cursor->update();
    }
}

QRect StepCanvas::plotRectangle() const
{
    return m_picture ? m_picture->plot().toAlignedRect() : QRect();
}

void StepCanvas::layOut()
{
    if (m_picture) {
        m_picture->layOut(viewport()->size());
        m_frame.show(m_picture->plot(), m_picture->xLabels(), m_picture->yLabels());
    } else {
        m_frame.show(QRectF(viewport()->rect()), {}, {}, false);
    }
    m_image = {};
    m_item->update();
    m_cursor->update();
}

void StepCanvas::paintPicture(QPainter& painter)
{
    const double ratio = painter.device()->devicePixelRatioF();
    if (!m_picture || viewport()->size().isEmpty()) {
        return;
    }
    if (m_image.isNull() || m_image.devicePixelRatio() != ratio) {
        m_image = QImage((QSizeF(viewport()->size()) * ratio).toSize(),
                         QImage::Format_ARGB32_Premultiplied);
        m_image.setDevicePixelRatio(ratio);
        m_image.fill(Qt::transparent);
        QPainter inner(&m_image);
        inner.setRenderHint(QPainter::Antialiasing);
        m_picture->paint(inner);
        ++m_paintCount;
    }
    painter.drawImage(QPointF(), m_image);
}

void StepCanvas::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    const QSizeF size(viewport()->size());
    setSceneRect(QRectF(QPointF(), size));
    m_frame.resize(size);
    m_item->resize(size);
    m_cursor->resize(size);
    layOut();
}

void StepCanvas::wheelEvent(QWheelEvent* event)
{
    event->ignore(); // the page scrolls
}

void StepCanvas::keyPressEvent(QKeyEvent* event)
{
    event->ignore();
}

void StepCanvas::mouseMoveEvent(QMouseEvent* event)
{
    Q_EMIT stepHovered(m_picture ? m_picture->stepAt(event->position()) : -1);
    event->ignore();
}

void StepCanvas::mousePressEvent(QMouseEvent* event)
{
    event->ignore(); // the card takes the focus
}

void StepCanvas::leaveEvent(QEvent* event)
{
    QGraphicsView::leaveEvent(event);
    Q_EMIT stepHovered(-1);
}

} // namespace cannery::ui
