// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/jobs_model.h"

#include "ui/models/formats.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

#include <algorithm>

namespace cannery::ui {
namespace {

QString stateWords(const Job& job)
{
    switch (job.state) {
    case Job::State::Running:
        return job.progress < 0 ? JobsModel::tr("Running") : formatPercent(job.progress, 0);
    case Job::State::Finished:
        return JobsModel::tr("Finished");
    case Job::State::Failed:
        return JobsModel::tr("Failed");
    case Job::State::Cancelled:
        return JobsModel::tr("Cancelled");
    }
    return {};
}

QIcon stateIcon(const Job& job)
{
    switch (job.state) {
    case Job::State::Running:
        return icon("player-play", tokens().accent);
    case Job::State::Finished:
        return icon("check", tokens().ok);
    case Job::State::Failed:
        return icon("alert-circle", tokens().err);
    case Job::State::Cancelled:
        return icon("player-stop", tokens().text2);
    }
    return {};
}

/// The same jobs, perhaps in other states.
bool sameJobs(const QList<Job>& a, const QList<Job>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Job& x, const Job& y) { return x.id == y.id; });
}

} // namespace

void JobsModel::setJobs(const QList<Job>& jobs)
{
    if (!sameJobs(jobs, m_jobs)) {
        beginResetModel();
        m_jobs = jobs;
        endResetModel();
        return;
    }
    m_jobs = jobs;
    if (!m_jobs.isEmpty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

int JobsModel::runningCount() const
{
    return static_cast<int>(std::count_if(m_jobs.begin(), m_jobs.end(), [](const Job& job) {
        return job.state == Job::State::Running;
    }));
}

int JobsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_jobs.size());
}

int JobsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant JobsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_jobs.size()) {
        return {};
    }
    const Job& job = m_jobs[index.row()];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Title      ? job.title
               : index.column() == Progress ? stateWords(job)
               : index.column() == Message  ? job.message
                                            : QString();
    case Qt::ToolTipRole:
        return index.column() == Title ? job.command.display() : job.message;
    case Qt::DecorationRole:
        return index.column() == Title ? QVariant(stateIcon(job)) : QVariant();
    case FractionRole:
        return job.progress;
    case StateRole:
        return static_cast<int>(job.state);
    case IdRole:
        return job.id;
    default:
        return {};
    }
}

QVariant JobsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    return section == Title      ? tr("Job")
           : section == Progress ? tr("State")
           : section == Message  ? tr("Last word")
                                 : QString();
}

} // namespace cannery::ui
