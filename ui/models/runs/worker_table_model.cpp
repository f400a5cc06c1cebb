// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/worker_table_model.h"

#include "ui/models/formats.h"

#include <algorithm>

namespace cannery::ui {
namespace {

const QString kNothing = QStringLiteral("–");

bool haveSameTasks(const QList<WorkerRow>& left, const QList<WorkerRow>& right)
{
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const WorkerRow& a, const WorkerRow& b) { return a.task == b.task; });
}

/// Steps take microseconds to minutes.
QString stepTime(const std::optional<double>& seconds)
{
    if (!seconds) {
        return kNothing;
    }
    if (*seconds < 1e-3) {
        return withUnit(formatNumber(*seconds * 1e6, 3), QStringLiteral("µs"));
    }
    return *seconds < 1 ? withUnit(formatNumber(*seconds * 1e3, 3), QStringLiteral("ms"))
                        : withUnit(formatNumber(*seconds, 3), QStringLiteral("s"));
}

QString stateText(const QString& state)
{
    if (state == QLatin1String("running")) {
        return WorkerTableModel::tr("training");
    }
    if (state == QLatin1String("waiting")) {
        return WorkerTableModel::tr("waiting");
    }
    if (state == QLatin1String("starting")) {
        return WorkerTableModel::tr("starting");
    }
    if (state == QLatin1String("lost")) {
        return WorkerTableModel::tr("lost");
    }
    return state == QLatin1String("done") ? WorkerTableModel::tr("done") : state;
}

} // namespace

bool WorkerRow::isLost() const
{
    return state == QLatin1String("lost");
}

void WorkerTableModel::setWorkers(const QList<WorkerRow>& workers)
{
    // Rows are changed in place, so that selection and scrolling stay while the numbers move.
    if (haveSameTasks(m_workers, workers)) {
        for (qsizetype row = 0; row < workers.size(); ++row) {
            if (!(m_workers.at(row) == workers.at(row))) {
                m_workers[row] = workers.at(row);
                Q_EMIT dataChanged(index(static_cast<int>(row), 0),
                                   index(static_cast<int>(row), ColumnCount - 1));
            }
        }
        return;
    }
    beginResetModel();
    m_workers = workers;
    endResetModel();
}

QString WorkerTableModel::summary() const
{
    QStringList lost;
    for (const WorkerRow& worker : m_workers) {
        if (worker.isLost()) {
            lost << worker.task;
        }
    }
    return lost.isEmpty() ? tr("%1 tasks train in step.").arg(formatCount(m_workers.size()))
                          : tr("The others wait for %1.").arg(lost.join(QStringLiteral(", ")));
}

QString WorkerTableModel::text(const WorkerRow& worker, int column) const
{
    switch (column) {
    case TaskColumn:
        return worker.task;
    case StateColumn:
        return stateText(worker.state);
    case StepColumn:
        return formatCount(worker.step);
    case StepTimeColumn:
        return stepTime(worker.stepSeconds);
    case WaitColumn:
        return stepTime(worker.waitSeconds);
    case NetworkColumn:
        return stepTime(worker.networkSeconds);
    default:
        return formatCount(worker.restarts);
    }
}

QVariant WorkerTableModel::cell(int row, int column, int role) const
{
    const WorkerRow& worker = m_workers.at(row);
    if (role == Qt::DisplayRole) {
        return text(worker, column);
    }
    if (role == Qt::ToolTipRole && column == StateColumn && worker.isLost()) {
        return tr("Its process has ended or does not answer; the others wait until it is started "
                  "again.");
    }
    return {};
}

QVariant WorkerTableModel::header(int column, int role) const
{
    static const char* const kTitles[]{QT_TR_NOOP("Task"),    QT_TR_NOOP("State"),
                                       QT_TR_NOOP("Step"),    QT_TR_NOOP("Step time"),
                                       QT_TR_NOOP("Waiting"), QT_TR_NOOP("Network"),
                                       QT_TR_NOOP("Restarts")};
    static const char* const kTips[]{
        "",
        "",
        QT_TR_NOOP("The last step that this task has done"),
        QT_TR_NOOP("What the last step took, with waiting and the network"),
        QT_TR_NOOP("What it waited for slower tasks in that step"),
        QT_TR_NOOP("What exchanging gradients took in that step, estimated from the task that the "
                   "others waited for"),
        QT_TR_NOOP("How often its process was started again")};
    if (role == Qt::DisplayRole) {
        return tr(kTitles[column]);
    }
    return role == Qt::ToolTipRole && *kTips[column] != '\0' ? QVariant(tr(kTips[column]))
                                                             : QVariant();
}

} // namespace cannery::ui
