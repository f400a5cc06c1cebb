// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/menu_shape.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/style_painters.h"
#include "ui/widgets/style/theme.h"

#include <QFontMetrics>
#include <QGuiApplication>
#include <QPainter>
#include <QStyleOption>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kItem = 28;
constexpr int kSeparator = 9;
constexpr int kSide = 10;
constexpr int kIcon = 16;
constexpr int kIconColumn = kIcon + 10;

QColor menuInk(const QStyleOptionMenuItem& option)
{
    return option.state.testFlag(QStyle::State_Enabled) ? tokens().text : tokens().text3;
}

void paintCheck(QPainter& painter, const QStyleOptionMenuItem& option, const QRect& where)
{
    if (!option.checked) {
        return;
    }
    const bool exclusive = option.checkType == QStyleOptionMenuItem::Exclusive;
    paintIcon(painter, where, exclusive ? "circle-filled" : "check", tokens().accent,
              scaled(exclusive ? 10 : kIcon));
}

} // namespace

void paintMenuPanel(QPainter& painter, const QStyleOption& option)
{
    const ThemeTokens& t = tokens();
    painter.save();
    painter.setCompositionMode(QPainter::CompositionMode_Source);
    painter.fillRect(option.rect, Qt::transparent);
    painter.restore();
    paintSurface(painter, option.rect, kMenuRadius, t.raised, t.line);
}

void paintMenuItem(QPainter& painter, const QStyleOptionMenuItem& option)
{
    const ThemeTokens& t = tokens();
    const QRect row = option.rect;
    if (option.menuItemType == QStyleOptionMenuItem::Separator) {
        painter.fillRect(
            QRect(row.left() + scaled(4), row.center().y(), row.width() - 2 * scaled(4), 1),
            t.line);
        return;
    }
    const bool active = option.state.testFlag(QStyle::State_Selected) &&
                        option.state.testFlag(QStyle::State_Enabled);
    if (option.state.testFlag(QStyle::State_Selected)) {
        paintSurface(painter, row, 6, active ? t.tint : t.hover);
    }
    const auto mirrored = [&](const QRect& rectangle) {
        return QStyle::visualRect(option.direction, row, rectangle);
    };
    const int side = scaled(kSide);
    const QRect mark(row.left() + side, row.top(), scaled(kIcon), row.height());
    if (option.checkType != QStyleOptionMenuItem::NotCheckable) {
        paintCheck(painter, option, mirrored(mark));
    } else if (!option.icon.isNull()) {
        const auto mode =
            option.state.testFlag(QStyle::State_Enabled) ? QIcon::Normal : QIcon::Disabled;
        option.icon.paint(&painter, mirrored(mark), Qt::AlignCenter, mode);
    }
    const QRect text = row.adjusted(side + scaled(kIconColumn), 0, -side, 0);
    const QStringList parts = option.text.split('\t');
    painter.setFont(option.font);
    painter.setPen(menuInk(option));
    const int mnemonic = focusRingsVisible() ? Qt::TextShowMnemonic : Qt::TextHideMnemonic;
    paintWords(painter, mirrored(text), Qt::AlignVCenter | Qt::AlignLeft | mnemonic,
               parts.value(0));
    if (parts.size() > 1) {
        painter.setPen(active                                         ? t.text2
                       : option.state.testFlag(QStyle::State_Enabled) ? t.text2
                                                                      : t.text3);
        paintWords(painter, mirrored(text), Qt::AlignVCenter | Qt::AlignRight, parts.value(1));
    }
    if (option.menuItemType == QStyleOptionMenuItem::SubMenu) {
        const QRect arrow(row.right() - side - scaled(14), row.top(), scaled(14), row.height());
        paintIcon(painter, mirrored(arrow),
                  option.direction == Qt::LeftToRight ? "chevron-right" : "chevron-left", t.text2,
                  scaled(14));
    }
}

QSize menuItemSize(const QStyleOptionMenuItem& option, const QSize& contents)
{
    if (option.menuItemType == QStyleOptionMenuItem::Separator) {
        return {contents.width(), scaled(kSeparator)};
    }
    const QFontMetrics metrics(option.font);
    const QStringList parts = option.text.split('\t');
    int width = metrics.size(Qt::TextShowMnemonic, parts.value(0)).width() + 2 * scaled(kSide) +
                scaled(kIconColumn) + scaled(8);
    if (parts.size() > 1) {
        width += metrics.horizontalAdvance(parts.value(1)) + scaled(28);
    }
    if (option.menuItemType == QStyleOptionMenuItem::SubMenu) {
        width += scaled(20);
    }
    return {width, std::max(scaled(kItem), metrics.height() + scaled(8))};
}

void paintMenuBarItem(QPainter& painter, const QStyleOptionMenuItem& option)
{
    const ThemeTokens& t = tokens();
    painter.fillRect(option.rect, t.chrome);
    const bool active = option.state.testFlag(QStyle::State_Selected) ||
                        option.state.testFlag(QStyle::State_Sunken);
    if (active) {
        paintSurface(painter, QRectF(option.rect).adjusted(1, 3, -1, -3), 6, t.raised);
    }
    painter.setPen(menuInk(option));
    const bool altIsDown = QGuiApplication::keyboardModifiers().testFlag(Qt::AltModifier);
    const int mnemonic =
        altIsDown || (active && focusRingsVisible()) ? Qt::TextShowMnemonic : Qt::TextHideMnemonic;
    paintWords(painter, option.rect, Qt::AlignCenter | mnemonic, option.text);
}

void paintToolTipPanel(QPainter& painter, const QStyleOption& option)
{
    painter.fillRect(option.rect, tokens().raised);
    painter.setPen(tokens().border);
    painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
}

} // namespace cannery::ui
