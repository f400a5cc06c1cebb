// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/style_painters.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QStyleOption>
#include <QWidget>

namespace cannery::ui {

void paintHeaderSection(QPainter& painter, const QStyleOptionHeader& option)
{
    const ThemeTokens& t = tokens();
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver) &&
                         option.state.testFlag(QStyle::State_Enabled);
    painter.fillRect(option.rect, hovered ? t.hover : t.surface);
    painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                     t.line);
}

void paintItemGround(QPainter& painter, const QStyleOptionViewItem& option)
{
    const ThemeTokens& t = tokens();
    if (option.backgroundBrush.style() != Qt::NoBrush) {
        painter.fillRect(option.rect, option.backgroundBrush);
    }
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter.fillRect(option.rect, t.tint);
    } else if (option.state.testFlag(QStyle::State_MouseOver)) {
        painter.fillRect(option.rect, t.hover);
    }
}

void paintDropLine(QPainter& painter, const QStyleOption& option)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(tokens().accent, 2, Qt::SolidLine, Qt::RoundCap));
    if (option.rect.height() == 0) {
        painter.drawLine(option.rect.topLeft(), option.rect.topRight());
    } else if (option.rect.width() == 0) {
        painter.drawLine(option.rect.topLeft(), option.rect.bottomLeft());
    } else {
        painter.drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), 5, 5);
    }
    painter.restore();
}

void paintBranch(QPainter& painter, const QStyleOption& option)
{
    if (!option.state.testFlag(QStyle::State_Children)) {
        return;
    }
    const bool open = option.state.testFlag(QStyle::State_Open);
    const char* closed = option.direction == Qt::LeftToRight ? "chevron-right" : "chevron-left";
    paintIcon(painter, option.rect, open ? "chevron-down" : closed, tokens().text2, scaled(14));
}

} // namespace cannery::ui
