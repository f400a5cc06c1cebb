// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/evaluation_table_model.h"

#include "ui/models/formats.h"

#include <QBrush>
#include <QGuiApplication>
#include <QPalette>

namespace cannery::ui {

EvaluationTableModel::EvaluationTableModel(EvaluationTable table, QObject* parent)
    : TableModel(parent), m_table(std::move(table))
{}

QString EvaluationTableModel::tip(const EvaluationTable::Row& row, int column) const
{
    if (row.isSmall) {
        return tr("Only %1 rows: these numbers say little.")
            .arg(formatCount(qint64(row.values[0])));
    }
    return column == 0 ? row.name : formatExact(row.values[column - 1]);
}

QVariant EvaluationTableModel::cell(int row, int column, int role) const
{
    const EvaluationTable::Row& shown = m_table.rows.at(row);
    switch (role) {
    case Qt::DisplayRole:
        return column == 0 ? shown.name : formatNumber(shown.values[column - 1]);
    case SortRole:
        return column == 0 ? QVariant(shown.name) : QVariant(shown.values[column - 1]);
    case Qt::ToolTipRole:
        return tip(shown, column);
    case Qt::ForegroundRole:
        return shown.isSmall ? QVariant(QBrush(QGuiApplication::palette().color(
                                   QPalette::Normal, QPalette::PlaceholderText)))
                             : QVariant();
    default:
        return {};
    }
}

QVariant EvaluationTableModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    return column == 0 ? m_table.title : m_table.columns[column - 1];
}

} // namespace cannery::ui
