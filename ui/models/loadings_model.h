// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/component_facts.h"
#include "ui/models/table_model.h"

namespace cannery::ui {

/// The columns of a table and their correlations with the first principal components; those that
/// take no part follow, with the reason. GUI thread.
class LoadingsModel : public TableModel
{
    Q_OBJECT

public:
    /// Before the correlations, which end with the last component shown.
    enum Column
    {
        NameColumn,
        RemarkColumn,
        FirstLoading,
    };
    static constexpr qsizetype kMostComponents = 3;

    using TableModel::TableModel;

    void setColumns(const QList<ComponentColumn>& columns, qsizetype components);
    const QList<ComponentColumn>& columns() const { return m_columns; }

protected:
    qsizetype countRows() const override { return m_columns.size(); }
    qsizetype countColumns() const override { return FirstLoading + m_components; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return column >= FirstLoading; }

private:
    QList<ComponentColumn> m_columns;
    qsizetype m_components = 0;
};

} // namespace cannery::ui
