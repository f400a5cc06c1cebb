// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/chip.h"

#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>

namespace cannery::ui {

Chip::Chip(const QString& text, bool isRemovable, QWidget* parent)
    : QAbstractButton(parent), m_isRemovable(isRemovable)
{
    setText(text);
    setFocusPolicy(isRemovable ? Qt::StrongFocus : Qt::NoFocus);
    setAttribute(Qt::WA_Hover);
    useFont(this, TextRole::LabelStrong);
}

QSize Chip::sizeHint() const
{
    const int cross = m_isRemovable ? scaled(16) : 0;
    return {fontMetrics().horizontalAdvance(text()) + scaled(16) + cross, scaled(24)};
}

void Chip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF all = rect();
    const bool isHovered = underMouse() && m_isRemovable && isEnabled();
    paintSurface(painter, all, scaled(4), isHovered ? tokens().hover : tokens().idleBg);
    painter.setPen(tokens().text);
    painter.setFont(font());
    const bool isMirrored = layoutDirection() == Qt::RightToLeft;
    paintWords(painter, rect().adjusted(scaled(8), 0, -scaled(8), 0),
               Qt::AlignVCenter | (isMirrored ? Qt::AlignRight : Qt::AlignLeft), text());
    if (m_isRemovable) {
        QRectF cross(0, 0, scaled(12), scaled(12));
        cross.moveCenter(
            {isMirrored ? double(scaled(12)) : width() - double(scaled(12)), all.center().y()});
        paintIcon(painter, cross, "x", tokens().text2, scaled(12));
    }
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, all, scaled(4));
    }
}

} // namespace cannery::ui
