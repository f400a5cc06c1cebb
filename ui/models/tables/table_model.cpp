// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/table_model.h"

namespace cannery::ui {
namespace {

QVariant alignmentOf(bool isNumber)
{
    return QVariant::fromValue(
        Qt::Alignment((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
}

} // namespace

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(countRows());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(countColumns());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    // A view may keep an index after its row has been removed.
    if (!index.isValid() || index.row() >= countRows() || index.column() >= countColumns()) {
        return {};
    }
    return role == Qt::TextAlignmentRole ? alignmentOf(isNumber(index.column()))
                                         : cell(index.row(), index.column(), role);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= countColumns()) {
        return {};
    }
    return role == Qt::TextAlignmentRole ? alignmentOf(isNumber(section)) : header(section, role);
}

void TableModel::notifyAllChanged()
{
    if (countRows() > 0 && countColumns() > 0) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

} // namespace cannery::ui
