// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/job_runner.h"

#include <QAbstractTableModel>

namespace cannery::ui {

/// Work beside the window, newest first. Progress is told by the row, so that views need not be
/// built anew.
class JobsModel : public QAbstractTableModel
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

    using QAbstractTableModel::QAbstractTableModel;

    void setJobs(const QList<Job>& jobs);
    const QList<Job>& jobs() const { return m_jobs; }
    int runningCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QList<Job> m_jobs;
};

} // namespace cannery::ui
