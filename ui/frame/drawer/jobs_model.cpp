// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/drawer/jobs_model.h"

#include "ui/models/formats.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"

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

/// Whether these are the same jobs, possibly in other states.
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
    notifyAllChanged();
}

int JobsModel::runningCount() const
{
    return static_cast<int>(std::count_if(m_jobs.begin(), m_jobs.end(), [](const Job& job) {
        return job.state == Job::State::Running;
    }));
}

QVariant JobsModel::cell(int row, int column, int role) const
{
    const Job& job = m_jobs[row];
    switch (role) {
    case Qt::DisplayRole:
        return column == Title      ? job.title
               : column == Progress ? stateWords(job)
               : column == Message  ? job.message
                                    : QString();
    case Qt::ToolTipRole:
        return column == Title ? job.command.display() : job.message;
    case Qt::DecorationRole:
        return column == Title ? QVariant(stateIcon(job)) : QVariant();
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

QVariant JobsModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    return column == Title      ? tr("Job")
           : column == Progress ? tr("State")
           : column == Message  ? tr("Last message")
                                : QString();
}

} // namespace cannery::ui
