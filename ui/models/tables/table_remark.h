// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

class QJsonObject;

namespace cannery::ui {

/// What can be done about a remark.
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

/// A remark of `cannery preview` on a table: worth knowing before a model learns from it.
struct TableRemark
{
    QString id; ///< stable
    QString sentence;
    QStringList columns;
    bool isNote = false; ///< nothing to decide
    QList<RemarkAction> actions;

    /// Identifies the remark and its columns, whatever the figures.
    QString key() const;

    bool operator==(const TableRemark&) const = default;
};

/// From the JSON of `cannery preview FILE --json`.
QList<TableRemark> tableRemarksFromJson(const QJsonObject& preview);

} // namespace cannery::ui
