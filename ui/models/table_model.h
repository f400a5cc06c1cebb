// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractTableModel>

namespace cannery::ui {

/// The base of models of tables: says no more than what is there, and stands numbers at the end of
/// their column, title and cells alike. A model says how large it is and what a place shows. GUI
/// thread.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const final;
    int columnCount(const QModelIndex& parent = {}) const final;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

protected:
    virtual qsizetype countRows() const = 0;
    virtual qsizetype countColumns() const = 0;
    /// Asked for places that are there only; never for the alignment.
    virtual QVariant cell(int row, int column, int role) const = 0;
    virtual QVariant header(int column, int role) const = 0;
    virtual bool isNumber(int /*column*/) const { return false; }

    /// Says that every cell may show something else.
    void tellAllChanged();
};

} // namespace cannery::ui
