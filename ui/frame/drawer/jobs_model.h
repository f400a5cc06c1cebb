// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/table_model.h"
#include "ui/services/job_runner.h"

namespace cannery::ui {

/// Background jobs, newest first. Progress changes only the row, so that views are not rebuilt.
class JobsModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Title,
        Progress,
        Message,
        Cancel, ///< if empty, the view puts a button there
        ColumnCount,
    };
    enum Role
    {
        FractionRole = Qt::UserRole, ///< 0 to 1; negative if unknown
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
