// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/cluster_model.h"

namespace cannery::ui {

void ClusterModel::setTasks(const ClusterTasks& tasks)
{
    if (tasks == m_tasks) {
        return;
    }
    beginResetModel();
    m_tasks = tasks;
    endResetModel();
}

int ClusterModel::add(ClusterTask::Type type)
{
    if (!m_tasks.hindranceToAdd(type).isEmpty()) {
        return -1;
    }
    ClusterTasks longer = m_tasks;
    const int row = longer.add(type);
    beginInsertRows({}, row, row);
    m_tasks = longer;
    endInsertRows();
    Q_EMIT edited();
    return row;
}

void ClusterModel::remove(int row)
{
    if (!m_tasks.hindranceToRemove(row).isEmpty()) {
        return;
    }
    beginRemoveRows({}, row, row);
    m_tasks.remove(row);
    endRemoveRows();
    notifyAllChanged(); // indices move up
    Q_EMIT edited();
}

Qt::ItemFlags ClusterModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = TableModel::flags(index);
    return index.column() == AddressColumn ? flags | Qt::ItemIsEditable : flags;
}

bool ClusterModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.column() != AddressColumn ||
        role != Qt::EditRole) {
        return false;
    }
    const QString address = value.toString().trimmed();
    if (address != m_tasks.tasks().at(index.row()).address) {
        m_tasks.setAddress(index.row(), address);
        Q_EMIT dataChanged(index, index);
        Q_EMIT edited();
    }
    return true;
}

QVariant ClusterModel::cell(int row, int column, int role) const
{
    const ClusterTask& task = m_tasks.tasks().at(row);
    if (role == Qt::EditRole && column == AddressColumn) {
        return task.address;
    }
    if (role == Qt::AccessibleTextRole) {
        return QStringLiteral("%1, %2").arg(task.name(), task.address);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case TypeColumn:
        return typeName(task.type);
    case IndexColumn:
        return QString::number(task.index);
    default:
        return task.address;
    }
}

QVariant ClusterModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case TypeColumn:
        return tr("Task");
    case IndexColumn:
        return tr("Index");
    default:
        return tr("Address");
    }
}

} // namespace cannery::ui
