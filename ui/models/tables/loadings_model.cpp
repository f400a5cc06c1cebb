// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/loadings_model.h"

#include "ui/models/formats.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr int kDecimals = 2;
constexpr double kLeastShown = 0.005; ///< what is less has only zeros as decimals

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
    if (!takesPart(row)) {
        return column == FirstLoading ? one.remark : QString();
    }
    if (!isLoading(column)) {
        return one.remark;
    }
    const double loading = one.loadings.value(column - FirstLoading);
    if (role == Qt::ToolTipRole) {
        return formatNumber(loading);
    }
    // Not "−0.00".
    const double shown = std::abs(loading) < kLeastShown ? 0 : loading;
    return withTrueMinus(QLocale().toString(shown, 'f', kDecimals));
}

QVariant LoadingsModel::header(int column, int role) const
{
    if (isLoading(column) && (role == Qt::DisplayRole || role == Qt::ToolTipRole)) {
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
