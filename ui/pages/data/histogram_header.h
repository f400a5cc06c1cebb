// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"

#include <QHeaderView>

namespace cannery::ui {

/// The header of a RowsPreviewModel: name, type, histogram and share of missing cells of each
/// column, and whether there are remarks on it; in a low table, name, type and remarks alone. A
/// click selects the column, one on its arrow sorts by it, one on its mark leads to the remarks; a
/// column can be dragged away.
class HistogramHeader : public QHeaderView
{
    Q_OBJECT

public:
    explicit HistogramHeader(QWidget* parent = nullptr);

    void setCurrentColumn(int column);

    QSize sizeHint() const override;

Q_SIGNALS:
    /// The arrow of the column was clicked; `reversed` with Shift.
    void sortClicked(int column, bool reversed);
    /// The mouse drags a column, selected by now: alone, or with others that were.
    void columnDragged();
    /// The mark that there are remarks on the column was clicked.
    void remarkClicked(int column);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintSection(QPainter* painter, const QRect& where, int section) const override;
    QSize sectionSizeFromContents(int section) const override;

private:
    const DataFacts* facts() const;
    /// Whether the table is too low for distributions.
    bool isLow() const;
    void paintDistribution(QPainter& painter, const QRect& inner, const ColumnFacts& column) const;
    void paintArrow(QPainter& painter, const QRect& where, int section) const;
    void paintLines(QPainter& painter, const QRect& where, int section) const;
    bool hasRemarks(int section) const;
    QRect markIn(const QRect& where) const;
    QRect sectionRect(int section) const;
    /// The section whose mark is there; -1: none.
    int markAt(const QPoint& position) const;
    /// Where the arrow of a section that fills `where` is.
    QRect arrowIn(const QRect& where) const;
    /// The section whose arrow is there; -1: none.
    int arrowAt(const QPoint& position) const;
    void setHovered(int section);

    int m_current = -1;
    int m_hovered = -1;     ///< the section whose arrow is under the mouse
    int m_pressed = -1;     ///< the section whose arrow was pressed
    int m_pressedMark = -1; ///< the section whose mark was pressed
    bool m_mayDrag = false;
    bool m_isHeld = false; ///< the press on selected columns waits: it selects one, or drags all
    QPoint m_pressedAt;
};

/// A column's distribution as small bars. The label's first class is grey, its second blue.
void paintHistogram(QPainter& painter, const QRectF& where, const ColumnFacts& column);
/// "hash" for numbers, "abc" for categories, "target-arrow" for the label.
QString typeIcon(const ColumnFacts& column);
/// "number", "category", "target", translated.
QString typeWord(const ColumnFacts& column);

} // namespace cannery::ui
