// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStyledItemDelegate>

namespace cannery::ui {

/// Draws the two-line rows of the run table: eye, colour, star, name over subtitle, state, values
/// with their difference to the baseline. Emits a signal when eye, colour or star is clicked; keys
/// do the same.
class RunsDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;

    /// The row under the pointer; −1: none.
    void setHoveredRow(int row) { m_hoveredRow = row; }

Q_SIGNALS:
    void shownToggled(const QString& run, bool shown);
    void starToggled(const QString& run, bool star);
    void colourWanted(const QString& run, const QPoint& globalPosition);

protected:
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

private:
    void paintGround(QPainter& painter, const QStyleOptionViewItem& option, int row) const;
    void paintMark(QPainter& painter, const QRect& where, const QModelIndex& index) const;
    void paintName(QPainter& painter, const QStyleOptionViewItem& option,
                   const QModelIndex& index) const;
    void paintValue(QPainter& painter, const QStyleOptionViewItem& option,
                    const QModelIndex& index) const;

    int m_hoveredRow = -1;
};

} // namespace cannery::ui
