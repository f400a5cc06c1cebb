// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractTableModel>

namespace cannery::ui {

/// A base for table models: checks indexes and right-aligns numbers, in headers and cells alike. A
/// derived model gives its size and the data of a cell. GUI thread.
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
    /// Called for existing cells only, and never for the alignment.
    virtual QVariant cell(int row, int column, int role) const = 0;
    virtual QVariant header(int column, int role) const = 0;
    virtual bool isNumber(int /*column*/) const { return false; }

    /// Reports that all cells may have changed.
    void notifyAllChanged();
};

} // namespace cannery::ui
