// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/column_facts.h"

#include <QAbstractTableModel>

namespace cannery::ui {

/// The first rows of the training table under the facts of their columns. GUI thread.
class RowsPreviewModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role
    {
        MissingRole = Qt::UserRole, ///< true: the cell is missing, shown as "?"
        FactsRole,                  ///< horizontal header: the column's place in facts()
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setFacts(DataFacts facts);
    const DataFacts& facts() const { return m_facts; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// "age, number, 19.9 % missing, 0.42 to 80, median 28"
    QString spoken(const ColumnFacts& column) const;

    DataFacts m_facts;
};

} // namespace cannery::ui
