// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/menu_shape.h"

#include <QBitmap>
#include <QEvent>
#include <QImage>
#include <QMenu>
#include <QPainter>

namespace cannery::ui {
namespace {

/// Every pixel that the panel touches: with a compositor nothing of its smooth edge is lost.
QBitmap panelShape(const QSize& size)
{
    QImage panel(size, QImage::Format_ARGB32_Premultiplied);
    panel.fill(Qt::transparent);
    QPainter painter(&panel);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Qt::black);
    painter.drawRoundedRect(QRectF(QPointF(), size), kMenuRadius, kMenuRadius);
    painter.end();
    for (int y = 0; y < panel.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(panel.scanLine(y));
        for (int x = 0; x < panel.width(); ++x) {
            line[x] = qAlpha(line[x]) > 0 ? qRgb(0, 0, 0) : 0;
        }
    }
    return QBitmap::fromImage(panel.createAlphaMask());
}

class MenuShape : public QObject
{
public:
    explicit MenuShape(QMenu& menu) : QObject(&menu), m_menu(menu)
    {
        menu.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override
    {
        const bool isNew = event->type() == QEvent::Resize || event->type() == QEvent::Show;
        if (isNew && m_menu.size() != m_shaped && !m_menu.size().isEmpty()) {
            m_shaped = m_menu.size();
            m_menu.setMask(panelShape(m_shaped));
        }
        return false;
    }

private:
    QMenu& m_menu;
    QSize m_shaped;
};

} // namespace

void shapeMenu(QMenu& menu)
{
    new MenuShape(menu); // owned by the menu
}

} // namespace cannery::ui
