// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/table_model.h"
#include "ui/services/job_runner.h"

namespace cannery::ui {

/// Work beside the window, newest first. Progress is told by the row, so that views need not be
/// built anew.
class JobsModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Title,
        Progress,
        Message,
        Cancel, ///< empty: the view puts its button there
        ColumnCount,
    };
    enum Role
    {
        FractionRole = Qt::UserRole, ///< 0 … 1; below 0: not known
        StateRole,
        IdRole,
    };

    using TableModel::TableModel;

    void setJobs(const QList<Job>& jobs);
    const QList<Job>& jobs() const { return m_jobs; }
    int runningCount() const;

protected:
    qsizetype countRows() const override { return m_jobs.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;

private:
    QList<Job> m_jobs;
};

} // namespace cannery::ui
