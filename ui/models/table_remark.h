// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

class QJsonObject;

namespace cannery::ui {

/// What may be done about a remark.
struct RemarkAction
{
    struct Edit
    {
        QString path;
        QString text;

        bool operator==(const Edit&) const = default;
    };

    QString kind; ///< "leave_out", "category", "key", "stratify", "split_by_time", "split"
    QList<Edit> edits;

    bool operator==(const RemarkAction&) const = default;
};

/// What `cannery preview` remarks on a table: worth knowing before a model learns from it.
struct TableRemark
{
    QString id; ///< stable
    QString sentence;
    QStringList columns;
    bool isNote = false; ///< nothing to decide
    QList<RemarkAction> actions;

    /// The same for the same remark on the same columns, whatever its figures.
    QString key() const;

    bool operator==(const TableRemark&) const = default;
};

/// From the JSON of `cannery preview FILE --json`.
QList<TableRemark> tableRemarksFromJson(const QJsonObject& preview);

} // namespace cannery::ui
