// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/database_tables.h"

#include "core/reports/inspection.pb.h"
#include "ui/models/formats.h"
#include "ui/models/report_reader.h"

#include <QFileInfo>
#include <QJsonObject>

namespace cannery::ui {
namespace {

QString rowsWords(const DatabaseTable& table)
{
    if (table.rows < 0) {
        return DatabaseTablesModel::tr("cannot be read");
    }
    const QString rows = formatCount(table.rows);
    return table.hasMoreRows ? DatabaseTablesModel::tr("over %1").arg(rows) : rows;
}

} // namespace

QString RowsChoice::words(const QString& file) const
{
    const QString name = QFileInfo(file).fileName();
    return !query.isEmpty()   ? DatabaseTablesModel::tr("a query of %1").arg(name)
           : !table.isEmpty() ? DatabaseTablesModel::tr("table %1 of %2").arg(table, name)
                              : name;
}

QStringList tableOptions(const RowsChoice& rows)
{
    return !rows.query.isEmpty()   ? QStringList{QStringLiteral("--query"), rows.query}
           : !rows.table.isEmpty() ? QStringList{QStringLiteral("--table"), rows.table}
                                   : QStringList();
}

QList<DatabaseTable> databaseTablesFromJson(const QJsonObject& inspection)
{
    reports::InspectedDatabase report;
    readAnswer(inspection, report);
    QList<DatabaseTable> tables;
    for (const reports::DatabaseTable& entry : report.tables()) {
        DatabaseTable table{.name = QString::fromStdString(entry.name()),
                            .rows = entry.has_rows() ? static_cast<qint64>(entry.rows()) : -1,
                            .hasMoreRows = entry.has_more_rows()};
        table.columns = textsOf(entry.columns());
        tables.append(table);
    }
    return tables;
}

void DatabaseTablesModel::setTables(const QList<DatabaseTable>& tables)
{
    beginResetModel();
    m_tables = tables;
    endResetModel();
}

QString DatabaseTablesModel::nameAt(int row) const
{
    return row >= 0 && row < m_tables.size() ? m_tables[row].name : QString();
}

int DatabaseTablesModel::rowOf(const QString& name) const
{
    for (int i = 0; i < m_tables.size(); ++i) {
        if (m_tables[i].name == name) {
            return i;
        }
    }
    return -1;
}

int DatabaseTablesModel::likelyRow() const
{
    int likely = -1;
    for (int i = 0; i < m_tables.size(); ++i) {
        const bool canLearn = m_tables[i].columns.size() > 1 && m_tables[i].rows > 0;
        if (canLearn && (likely < 0 || m_tables[i].rows > m_tables[likely].rows)) {
            likely = i;
        }
    }
    return likely;
}

QVariant DatabaseTablesModel::cell(int row, int column, int role) const
{
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    const DatabaseTable& table = m_tables[row];
    switch (column) {
    case NameColumn:
        return table.name;
    case RowsColumn:
        return rowsWords(table);
    default:
        return table.columns.join(QLatin1String(", "));
    }
}

QVariant DatabaseTablesModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case NameColumn:
        return tr("Table");
    case RowsColumn:
        return tr("Rows");
    default:
        return tr("Columns");
    }
}

} // namespace cannery::ui
