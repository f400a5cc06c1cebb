// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/missing_delegate.h"

#include "ui/models/tables/rows_preview_model.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QStyle>

namespace cannery::ui {

void MissingDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    if (!index.data(RowsPreviewModel::MissingRole).toBool()) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem empty = option;
    initStyleOption(&empty, index);
    empty.text.clear();
    const QWidget* view = option.widget;
    if (view) {
        view->style()->drawControl(QStyle::CE_ItemViewItem, &empty, painter, view);
    }
    const bool right =
        index.data(Qt::TextAlignmentRole).value<Qt::Alignment>().testFlag(Qt::AlignRight);
    const QSize size(scaled(22), scaled(16));
    const int inset = scaled(9);
    const int x = right ? option.rect.right() - inset - size.width() : option.rect.left() + inset;
    const QRect patch =
        QStyle::visualRect(option.direction, option.rect,
                           QRect(QPoint(x, option.rect.center().y() - size.height() / 2), size));
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    paintSurface(*painter, patch, 4, tokens().warnBg);
    painter->setFont(textFont(TextRole::Badge));
    painter->setPen(tokens().warn);
    paintWords(*painter, patch, Qt::AlignCenter, QStringLiteral("?"));
    painter->restore();
}

} // namespace cannery::ui
