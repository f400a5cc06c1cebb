// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QLayout>

namespace cannery::ui {

/// Rows of items that wrap. With stretch, the items of a row share its width in equal columns (a
/// chart grid); without, each has its own width.
class FlowLayout : public QLayout
{
    Q_OBJECT

public:
    explicit FlowLayout(QWidget* parent = nullptr, int spacing = 12);
    ~FlowLayout() override;

    /// Columns of equal width, at least `minimumColumnWidth` design pixels each, at most
    /// `maximumColumns` in a row; 0 columns: own widths.
    void setColumns(int minimumColumnWidth, int maximumColumns = 99);

    void addItem(QLayoutItem* item) override;
    void insertWidget(int index, QWidget* widget);
    int count() const override;
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rectangle) override;

private:
    int place(const QRect& rectangle, bool really) const;
    int placeFlow(const QRect& rectangle, bool really) const;
    int placeColumns(const QRect& rectangle, bool really) const;

    QList<QLayoutItem*> m_items;
    int m_minimumColumnWidth = 0;
    int m_maximumColumns = 99;
};

} // namespace cannery::ui
