// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace cannery::ui {

/// Which rows of a table, in which order: by default all of them in file order.
struct TableQuery
{
    QString filter; ///< as the engine reads it: age > 30 and education = "Masters"
    QString sort;   ///< a column; file order if empty
    bool descending = false;

    bool isPlain() const { return filter.trimmed().isEmpty() && sort.isEmpty(); }
    bool operator==(const TableQuery&) const = default;
};

/// Some rows of a query.
struct TablePage
{
    qint64 first = 0;         ///< place of the first one among the query's rows
    qint64 total = 0;         ///< the query's rows
    bool isSoFar = false;     ///< more will be found
    QList<qint64> numbers;    ///< of each row in the table, from 1
    QList<QStringList> texts; ///< a cell for each column; a null cell is missing
};

/// A row that was left out.
struct LeftOutRow
{
    QString file;
    qint64 line = 0;
    QString reason; ///< a sentence
    QString text;   ///< its beginning
};

} // namespace cannery::ui
