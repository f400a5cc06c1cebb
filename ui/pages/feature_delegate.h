// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStyledItemDelegate>

namespace cannery::ui {

/// A row of a FeatureListModel: raw columns as chips, then the way they go; which half takes it as
/// a pill in that half's colour.
class FeatureDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace cannery::ui
