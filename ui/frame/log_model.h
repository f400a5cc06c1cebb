// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/engine_service.h"

#include <QAbstractTableModel>

namespace cannery::ui {

/// What the engines said, oldest first; the oldest lines go when there are too many.
class LogModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Time,
        Run,
        Sentence,
        ColumnCount,
    };
    enum Role
    {
        LevelRole = Qt::UserRole,
    };
    static constexpr int kLimit = 5000;

    using QAbstractTableModel::QAbstractTableModel;

    /// Without lines that only repeat what the curves show: the log of the run has them.
    void append(const QList<LogEntry>& entries);
    void setEntries(const QList<LogEntry>& entries);
    void clear() { setEntries({}); }
    const QList<LogEntry>& entries() const { return m_entries; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QList<LogEntry> m_entries;
};

} // namespace cannery::ui
