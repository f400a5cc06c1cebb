// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/table_model.h"

#include <QList>
#include <QString>
#include <QStringList>

class QJsonObject;

namespace cannery::ui {

/// Which rows of a database are meant: those of a table or of a query.
struct RowsChoice
{
    QString table;
    QString query; ///< a SELECT statement

    bool operator==(const RowsChoice&) const = default;

    bool isMade() const { return !table.isEmpty() || !query.isEmpty(); }
    /// "table customers of shop.db"; without a choice "shop.db".
    QString words(const QString& file) const;
};

/// The options of a command that reads the table.
QStringList tableOptions(const RowsChoice& rows);

/// A table or view of a database.
struct DatabaseTable
{
    QString name;
    QStringList columns;
    qint64 rows = -1; ///< negative if not known
    bool hasMoreRows = false;
};

/// What `cannery inspect` says of a database.
QList<DatabaseTable> databaseTablesFromJson(const QJsonObject& inspection);

/// Tables of a database to choose from. GUI thread.
class DatabaseTablesModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        NameColumn,
        RowsColumn,
        ColumnsColumn,
        ColumnCount,
    };

    using TableModel::TableModel;

    void setTables(const QList<DatabaseTable>& tables);
    QString nameAt(int row) const;
    int rowOf(const QString& name) const; ///< -1: there is none
    /// The one with most rows among those with several columns; -1: there is none.
    int likelyRow() const;

protected:
    qsizetype countRows() const override { return m_tables.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return column == RowsColumn; }

private:
    QList<DatabaseTable> m_tables;
};

} // namespace cannery::ui
