// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/column_facts.h"
#include "ui/models/table_model.h"

namespace cannery::ui {

/// The first rows of the training table, with the facts of their columns in the header. GUI thread.
class RowsPreviewModel : public TableModel
{
    Q_OBJECT

public:
    enum Role
    {
        MissingRole = Qt::UserRole, ///< true: the cell is missing, shown as "?"
        FactsRole,                  ///< horizontal header: the column's place in facts()
    };

    using TableModel::TableModel;

    void setFacts(DataFacts facts);
    const DataFacts& facts() const { return m_facts; }

    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

protected:
    qsizetype countRows() const override { return m_facts.texts.size(); }
    qsizetype countColumns() const override { return m_facts.columns.size(); }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return m_facts.columns[column].isNumber(); }

private:
    /// "age, number, 19.9 % missing, 0.42 to 80, median 28"
    QString spoken(const ColumnFacts& column) const;

    DataFacts m_facts;
};

} // namespace cannery::ui
