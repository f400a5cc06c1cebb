// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/bucket_divider.h"

#include "ui/editors/bucket_accessible.h"
#include "ui/editors/bucket_plot.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace cannery::ui {

namespace {

constexpr int kBigStep = 10;

} // namespace

int BucketDivider::handleHeight()
{
    return scaled(12);
}

double BucketDivider::value() const
{
    return m_plot->boundaries().value(m_index);
}

BucketDivider::BucketDivider(int index, BucketPlot* plot)
    : QWidget(plot), m_index(index), m_plot(plot)
{
    setObjectName(QStringLiteral("divider.%1").arg(index));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::SizeHorCursor);
}

void BucketDivider::setNames()
{
    setAccessibleName(tr("Boundary %1 of %2").arg(m_index + 1).arg(m_plot->boundaries().size()));
    const QString text = formatNumber(value());
    if (text != toolTip()) {
        setToolTip(text);
        notifyBucketMoved(*this);
    }
}

bool BucketDivider::event(QEvent* event)
{
    // Before Delete becomes the window's shortcut, which deletes runs.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void BucketDivider::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = hasFocus() ? tokens().accent : tokens().text;
    const double middle = width() / 2.0;
    const double end = height() - handleHeight();
    painter.setPen(QPen(colour, hasFocus() ? 2 : 1));
    painter.drawLine(QPointF(middle, 0), QPointF(middle, end));
    const QRectF handle(middle - scaled(4), end, scaled(8), handleHeight() - scaled(2));
    paintSurface(painter, handle, scaled(3), colour);
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, handle.adjusted(-3, -2, 3, 2), scaled(4));
    }
}

void BucketDivider::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        setFocus(Qt::MouseFocusReason);
        // Above its neighbours, which may lie on the same spot.
        raise();
        // Where it was gripped stays below the pointer.
        m_grip = event->position().x() - width() / 2.0;
    }
}

void BucketDivider::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton) {
        const double x = mapTo(m_plot, event->position()).x();
        m_plot->moveTo(m_index, m_plot->valueAt(x - m_grip));
    }
}

void BucketDivider::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        m_plot->finishDrag();
    }
}

void BucketDivider::mouseDoubleClickEvent(QMouseEvent* event)
{
    // Not the plot's: a second boundary next to this one is not what it is for.
    event->accept();
}

void BucketDivider::keyPressEvent(QKeyEvent* event)
{
    const int steps = event->modifiers().testFlag(Qt::ShiftModifier) ? kBigStep : 1;
    switch (event->key()) {
    case Qt::Key_Left:
        m_plot->nudge(m_index, -steps);
        break;
    case Qt::Key_Right:
        m_plot->nudge(m_index, steps);
        break;
    case Qt::Key_Up:
        m_plot->choose(m_index - 1);
        break;
    case Qt::Key_Down:
        m_plot->choose(m_index + 1);
        break;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        m_plot->remove(m_index);
        break;
    case Qt::Key_Insert:
        m_plot->insertAfter(m_index);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void BucketDivider::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    m_plot->update();
}

void BucketDivider::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    m_plot->update();
}

} // namespace cannery::ui
