// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/loadings_model.h"

#include "ui/models/formats.h"

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kDecimals = 2;

} // namespace

void LoadingsModel::setColumns(const QList<ComponentColumn>& columns, qsizetype components)
{
    beginResetModel();
    m_columns = columns;
    m_components = std::min(components, kMostComponents);
    endResetModel();
}

QVariant LoadingsModel::cell(int row, int column, int role) const
{
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    const ComponentColumn& one = m_columns[row];
    if (column == NameColumn) {
        return one.name;
    }
    if (column == RemarkColumn) {
        return one.remark;
    }
    const qsizetype component = column - FirstLoading;
    if (component >= one.loadings.size()) {
        return {};
    }
    const double loading = one.loadings[component];
    return role == Qt::ToolTipRole ? formatNumber(loading)
                                   : withTrueMinus(QLocale().toString(loading, 'f', kDecimals));
}

QVariant LoadingsModel::header(int column, int role) const
{
    if (column >= FirstLoading && (role == Qt::DisplayRole || role == Qt::ToolTipRole)) {
        const QString number = formatCount(column - FirstLoading + 1);
        return role == Qt::DisplayRole
                   ? number
                   : tr("How closely a column follows component %1, from −1 to 1").arg(number);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    return column == NameColumn ? tr("Column") : tr("Remark");
}

} // namespace cannery::ui
