// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/palette/palette_delegate.h"

#include "ui/frame/dialogs/key_caps.h"
#include "ui/frame/palette/palette_model.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kRow = 40;
constexpr int kHeading = 32;
constexpr int kSide = 14;
constexpr int kIcon = 18;

QFont titleFont(bool matched)
{
    QFont font = textFont(TextRole::Body);
    font.setWeight(matched ? QFont::DemiBold : QFont::Medium);
    return font;
}

/// Draws a title, matched and unmatched letters in groups; returns its width.
int paintTitle(QPainter& painter, const QRect& room, const QString& title,
               const QList<int>& positions, const QColor& ink)
{
    int x = room.left();
    for (int i = 0; i < title.size();) {
        const bool matched = positions.contains(i);
        int end = i + 1;
        while (end < title.size() && positions.contains(end) == matched) {
            ++end;
        }
        const QString part = title.mid(i, end - i);
        painter.setFont(titleFont(matched));
        painter.setPen(matched ? tokens().accent : ink);
        const int width = painter.fontMetrics().horizontalAdvance(part);
        paintWords(painter, QRect(x, room.top(), std::max(0, room.right() - x), room.height()),
                   Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, part);
        x += width;
        i = end;
    }
    return x - room.left();
}

/// A heading above the rows of a group.
void paintPaletteHeading(QPainter& painter, const QStyleOptionViewItem& option, const QString& text)
{
    painter.setFont(textFont(TextRole::LabelStrong));
    painter.setPen(tokens().text2);
    paintWords(painter, option.rect.adjusted(scaled(kSide), 0, -scaled(kSide), -scaled(4)),
               static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignLeft)) |
                   Qt::AlignBottom,
               text);
}

/// Title and details in `room`, which is not mirrored yet.
void paintPaletteWords(QPainter& painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index, const QRect& room)
{
    const ThemeTokens& t = tokens();
    const QColor ink = index.data(PaletteModel::EnabledRole).toBool() ? t.text : t.text2;
    const QString title = index.data().toString();
    // Letters of a right-to-left title must not be painted one by one: they join.
    if (option.direction == Qt::RightToLeft) {
        painter.setFont(titleFont(false));
        painter.setPen(ink);
        paintWords(painter, QStyle::visualRect(option.direction, option.rect, room),
                   Qt::AlignVCenter | Qt::AlignRight, title);
        return;
    }
    const auto positions = index.data(PaletteModel::PositionsRole).value<QList<int>>();
    const int used = paintTitle(painter, room, title, positions, ink);
    painter.setFont(textFont(TextRole::Label));
    painter.setPen(t.text2);
    const QRect rest = room.adjusted(used + scaled(14), 0, 0, 0);
    paintWords(painter, rest, Qt::AlignVCenter | Qt::AlignLeft,
               painter.fontMetrics().elidedText(index.data(PaletteModel::DetailRole).toString(),
                                                Qt::ElideRight, std::max(0, rest.width())));
}

/// Icon, title, keys, and the mark for what Enter does.
void paintPaletteRow(QPainter& painter, const QStyleOptionViewItem& option,
                     const QModelIndex& index)
{
    const ThemeTokens& t = tokens();
    const QRect all = option.rect;
    const auto mirrored = [&](const QRect& place) {
        return QStyle::visualRect(option.direction, all, place);
    };
    const bool enabled = index.data(PaletteModel::EnabledRole).toBool();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    if (selected) {
        paintSurface(painter, all, 8, t.tint);
    } else if (option.state.testFlag(QStyle::State_MouseOver)) {
        paintSurface(painter, all, 8, t.hover);
    }
    const QRect iconPlace(all.left() + scaled(kSide), all.top(), scaled(kIcon), all.height());
    paintIcon(painter, mirrored(iconPlace), index.data(PaletteModel::IconRole).toString(),
              selected && enabled ? t.accent : t.text2, scaled(kIcon));
    const QStringList keys = index.data(PaletteModel::KeysRole).toStringList();
    const QSize caps = keys.isEmpty() ? QSize() : keyCapsSize(keys);
    paintPaletteWords(
        painter, option, index,
        all.adjusted(scaled(kSide + kIcon + 14), 0, -scaled(kSide + 30) - caps.width(), 0));
    if (!keys.isEmpty()) {
        const QRect place(all.right() - scaled(kSide + 28) - caps.width(), all.top(), caps.width(),
                          all.height());
        paintKeyCaps(painter, mirrored(place), keys);
    }
    if (selected && enabled) {
        const QRect enter(all.right() - scaled(kSide + 18), all.top(), scaled(16), all.height());
        paintIcon(painter, mirrored(enter), "corner-down-left", t.text2, scaled(16));
    }
}

} // namespace

QSize PaletteDelegate::sizeHint(const QStyleOptionViewItem& /*option*/,
                                const QModelIndex& index) const
{
    const bool heading = index.data(PaletteModel::HeadingRole).toBool();
    return {scaled(100), scaled(heading ? kHeading : kRow)};
}

void PaletteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    painter->save();
    painter->setLayoutDirection(Qt::LeftToRight);
    if (index.data(PaletteModel::HeadingRole).toBool()) {
        paintPaletteHeading(*painter, option, index.data().toString());
    } else {
        paintPaletteRow(*painter, option, index);
    }
    painter->restore();
}

} // namespace cannery::ui
