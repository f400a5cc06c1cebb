// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/component_facts.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The columns of a table, their correlations with the first principal components and a remark;
/// those that take no part follow, with the reason instead of correlations. GUI thread.
class LoadingsModel : public TableModel
{
    Q_OBJECT

public:
    /// The correlations begin with FirstLoading; the remark is the last column.
    enum Column
    {
        NameColumn,
        FirstLoading,
    };
    static constexpr qsizetype kMostComponents = 3;

    using TableModel::TableModel;

    void setColumns(const QList<ComponentColumn>& columns, qsizetype components);
    const QList<ComponentColumn>& columns() const { return m_columns; }
    bool takesPart(int row) const { return !m_columns[row].loadings.isEmpty(); }

protected:
    qsizetype countRows() const override { return m_columns.size(); }
    qsizetype countColumns() const override { return FirstLoading + m_components + 1; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return isLoading(column); }

private:
    bool isLoading(int column) const
    {
        return column >= FirstLoading && column < FirstLoading + m_components;
    }

    QList<ComponentColumn> m_columns;
    qsizetype m_components = 0;
};

} // namespace cannery::ui
