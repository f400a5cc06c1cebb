// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/column_facts.h"

#include <QHeaderView>

namespace cannery::ui {

/// The header of a RowsPreviewModel: name, type, histogram and share of missing cells of each
/// column. A click selects the column.
class HistogramHeader : public QHeaderView
{
    Q_OBJECT

public:
    explicit HistogramHeader(QWidget* parent = nullptr);

    void setCurrentColumn(int column);

    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& where, int section) const override;
    QSize sectionSizeFromContents(int section) const override;

private:
    const DataFacts* facts() const;

    int m_current = -1;
};

/// "hash" for numbers, "abc" for categories, "target-arrow" for the label.
QString typeIcon(const ColumnFacts& column);
/// "number", "category", "target", translated.
QString typeWord(const ColumnFacts& column);

} // namespace cannery::ui
