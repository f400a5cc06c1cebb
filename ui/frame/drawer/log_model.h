// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/table_model.h"
#include "ui/services/engine_service.h"

namespace cannery::ui {

/// The messages of the engines, oldest first; the oldest lines are removed if there are too many.
class LogModel : public TableModel
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

    using TableModel::TableModel;

    /// Without lines that only repeat the curves: those are in the run's log.
    void append(const QList<LogEntry>& entries);
    void setEntries(const QList<LogEntry>& entries);
    void clear() { setEntries({}); }
    const QList<LogEntry>& entries() const { return m_entries; }

protected:
    qsizetype countRows() const override { return m_entries.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;

private:
    QList<LogEntry> m_entries;
};

} // namespace cannery::ui
