// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/cluster_tasks.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The tasks of a cluster: type, index and address, of which the last can be edited. GUI thread.
class ClusterModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        TypeColumn,
        IndexColumn,
        AddressColumn,
        ColumnCount,
    };

    using TableModel::TableModel;

    void setTasks(const ClusterTasks& tasks);
    const ClusterTasks& tasks() const { return m_tasks; }
    /// Returns the row; -1 if there can be no further one.
    int add(ClusterTask::Type type);
    /// If nothing hinders it.
    void remove(int row);

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

Q_SIGNALS:
    /// By add(), remove() or setData().
    void edited();

protected:
    qsizetype countRows() const override { return m_tasks.tasks().size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return column == IndexColumn; }

private:
    ClusterTasks m_tasks;
};

} // namespace cannery::ui
