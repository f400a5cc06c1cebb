// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/vocabulary_delegate.h"

#include "ui/models/formats.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>

namespace cannery::ui {

void VocabularyDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant count = index.data(CountRole);
    if (!count.isValid()) {
        return;
    }
    painter->save();
    painter->setFont(textFont(TextRole::Label));
    painter->setPen(tokens().text2);
    paintWords(*painter, option.rect.adjusted(scaled(8), 0, -scaled(8), 0),
               Qt::AlignVCenter |
                   (option.direction == Qt::RightToLeft ? Qt::AlignLeft : Qt::AlignRight),
               formatCount(count.toLongLong()));
    painter->restore();
}

} // namespace cannery::ui
