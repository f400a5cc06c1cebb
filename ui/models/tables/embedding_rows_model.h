// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/component_facts.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The rows of a table of embeddings with what they stand for and where they are along its first
/// two principal components; only those whose text is searched for. GUI thread.
class EmbeddingRowsModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        IdColumn,
        TextColumn,
        FirstColumn,
        SecondColumn,
        ColumnCount,
    };

    using TableModel::TableModel;

    void setPoints(const QList<ComponentPoint>& points);
    /// As TagMatcher.
    void setFilter(const QString& text);
    /// The point of a row of this model; -1: no such row.
    qsizetype pointAt(int row) const;
    /// The row of a point; -1: it is filtered out.
    int rowOf(qsizetype point) const;

protected:
    qsizetype countRows() const override { return m_shown.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return column != TextColumn; }

private:
    void filter();

    QList<ComponentPoint> m_points;
    QString m_filter;
    QList<qsizetype> m_shown; ///< ascending
};

} // namespace cannery::ui
