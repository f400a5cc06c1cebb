// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// Files of one kind of data source, as people name them: the schema's option (source). The engine
/// goes by a file's content; the names decide what a dialog offers and what a drop promises.
struct TableFiles
{
    QString kind;            ///< the field of the data source: "json_lines"
    QStringList patterns;    ///< of names, the usual one first
    bool mayBePacked = true; ///< by gzip, under a name that ends with .gz
};

/// All kinds, in the schema's order.
const QList<TableFiles>& tableFiles();

/// Whether a file has the name of a table, perhaps of one in a zip archive.
bool isTablePath(const QString& path);

/// The kind of data source that a file's name says; empty if it does not say one.
QString tableKindOf(const QString& path);

/// The filters of a file dialog that opens a table, or one of a kind only: "Tables (*.csv *.tsv
/// …);;All files (*)".
QString tableFileFilters(const QString& kind = {});

} // namespace cannery::ui
