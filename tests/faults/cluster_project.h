// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/faults/fault_project.h"
#include "tests/support/cluster_tasks.h"

#include <QProcess>
#include <QString>
#include <QStringList>

#include <map>
#include <memory>

namespace cannery::tests {

/// A project whose experiment a cluster trains to the same bits whatever happens to its processes,
/// and what an undisturbed process makes of it.
class ClusterProject
{
public:
    ClusterProject();

    const FaultProject& project() const { return m_project; }
    QString path(const QString& name) const { return m_project.path(name); }

    /// What follows the command in `cannery train` and `cannery launch`.
    static QStringList words(const QString& folder, qint64 steps);
    /// Starts `cannery launch`.
    std::unique_ptr<QProcess> launch(int workers, const QString& folder, qint64 steps,
                                     const QStringList& more = {}) const;
    /// Waits until a checkpoint of at least this step is there.
    bool waitForStep(const QString& folder, qint64 step) const;

    /// Empty, or how the checkpoint of a step differs from that of one undisturbed process; with
    /// its evaluation if the training has ended there.
    QByteArray differenceFromAlone(const QString& folder, qint64 step, bool hasEnded = true);

private:
    FaultProject m_project;
    std::map<qint64, RunResult> m_alone;
};

/// Its exit code: 128 + signal if one ended it; -1, and killed, if it does not end.
int endOfLauncher(QProcess& launcher);

} // namespace cannery::tests
