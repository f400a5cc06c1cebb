// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStyledItemDelegate>

namespace cannery::ui {

/// Tints a cell of HashedValuesModel by its share, and marks a bucket that several values share.
class ShareDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace cannery::ui
