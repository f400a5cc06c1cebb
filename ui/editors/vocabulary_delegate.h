// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStyledItemDelegate>

namespace cannery::ui {

/// A word, and at the end of the row how often the data has it.
class VocabularyDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    static constexpr int CountRole = Qt::UserRole + 1;

    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace cannery::ui
