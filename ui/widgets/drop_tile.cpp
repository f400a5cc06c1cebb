// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/drop_tile.h"

#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QDropEvent>
#include <QMimeData>
#include <QPainter>

#include <algorithm>

namespace cannery::ui {

DropTile::DropTile(const QString& title, const QStringList& mimeTypes, int series, QWidget* parent)
    : QWidget(parent), m_title(title), m_mimeTypes(mimeTypes), m_series(series)
{
    setAcceptDrops(true);
    setAccessibleName(title);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void DropTile::setWords(const QString& words)
{
    m_words = words;
    setAccessibleName(m_title + ": " + words);
    update();
}

QSize DropTile::sizeHint() const
{
    return {scaled(120), scaled(34)};
}

QSize DropTile::minimumSizeHint() const
{
    return {scaled(80), scaled(34)};
}

void DropTile::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(1, 1, -1, -1);
    const QColor ground =
        m_series < 0 ? tokens().idleBg
                     : mixed(tokens().surface, tokens().series[static_cast<std::size_t>(m_series)],
                             m_isOver ? 0.3 : 0.1);
    paintSurface(painter, box, scaled(6), ground);
    if (m_isOver) {
        painter.setPen(QPen(tokens().accent, scaled(2)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box, scaled(6), scaled(6));
    }
    const QRect words = rect().adjusted(scaled(12), 0, -scaled(12), 0);
    painter.setPen(tokens().text);
    painter.setFont(textFont(TextRole::LabelStrong));
    paintWords(painter, words, Qt::AlignVCenter | Qt::AlignLeft,
               m_title); // mirrored by the painter
    const int used = painter.fontMetrics().horizontalAdvance(m_title) + scaled(10);
    painter.setPen(tokens().text2);
    painter.setFont(textFont(TextRole::Label));
    const QRect rest =
        isRightToLeft() ? words.adjusted(0, 0, -used, 0) : words.adjusted(used, 0, 0, 0);
    paintWords(painter, rest, Qt::AlignVCenter | Qt::AlignLeft,
               painter.fontMetrics().elidedText(m_words, Qt::ElideRight, rest.width()));
}

void DropTile::dragEnterEvent(QDragEnterEvent* event)
{
    take(*event);
}

void DropTile::dragMoveEvent(QDragMoveEvent* event)
{
    take(*event);
}

void DropTile::dragLeaveEvent(QDragLeaveEvent*)
{
    setOver(false);
}

void DropTile::dropEvent(QDropEvent* event)
{
    setOver(false);
    if (takes(*event)) {
        event->accept();
        Q_EMIT dropped(*event);
    }
}

bool DropTile::takes(const QDropEvent& event) const
{
    return std::any_of(m_mimeTypes.begin(), m_mimeTypes.end(),
                       [&](const QString& type) { return event.mimeData()->hasFormat(type); });
}

void DropTile::take(QDragMoveEvent& event)
{
    if (takes(event)) {
        event.accept();
        setOver(true);
    }
}

void DropTile::setOver(bool isOver)
{
    m_isOver = isOver;
    update();
}

} // namespace cannery::ui
