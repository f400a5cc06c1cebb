// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/share_delegate.h"

#include "ui/models/hashed_values_model.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>

#include <algorithm>

namespace cannery::ui {

namespace {

bool isMarked(const QModelIndex& index)
{
    return index.column() == HashedValuesModel::Bucket &&
           index.data(HashedValuesModel::SharedRole).toBool();
}

} // namespace

QSize ShareDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QSize plain = QStyledItemDelegate::sizeHint(option, index);
    return index.column() == HashedValuesModel::Bucket ? plain + QSize(scaled(18), 0) : plain;
}

void ShareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const
{
    const QVariant share = index.data(HashedValuesModel::ShareRole);
    const bool isSelected = option.state & QStyle::State_Selected;
    if (share.isValid() && !isSelected) {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const double strength = std::clamp(share.toDouble(), 0.0, 1.0);
        // Weak enough for the text in both themes.
        paintSurface(*painter, QRectF(option.rect).adjusted(2, 2, -2, -2), scaled(4),
                     mixed(tokens().surface, tokens().series[0], 0.08 + 0.37 * strength));
        painter->restore();
    }
    QStyledItemDelegate::paint(painter, option, index);
    if (isMarked(index)) {
        const int side = scaled(14);
        QRect mark(0, 0, side, side);
        mark.moveCenter(option.rect.center());
        mark.moveLeft(option.direction == Qt::RightToLeft ? option.rect.right() - side - scaled(4)
                                                          : option.rect.left() + scaled(4));
        paintIcon(*painter, mark, "alert-triangle", tokens().warnIcon, side);
    }
}

} // namespace cannery::ui
