// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/cluster_tasks.h"

#include <QObject>
#include <QString>

namespace cannery::ui {

class ExperimentDocument;
class RunCatalog;

/// The tasks of the clusters that the experiments of a project train on, kept with the project, not
/// in the experiments: addresses are facts of this machine and its network. GUI thread.
class ExperimentCluster : public QObject
{
    Q_OBJECT

public:
    /// All outlive it.
    ExperimentCluster(const ExperimentDocument& document, RunCatalog& runs,
                      QObject* parent = nullptr);

    /// The tasks of the open experiment; none if its strategy is for one process.
    ClusterTasks tasks() const;
    void setTasks(const ClusterTasks& tasks);
    /// Whether Train starts several processes on this machine.
    bool isLaunchedHere() const;
    /// The tasks of an experiment as they are for that strategy.
    ClusterTasks tasksOf(const QString& experiment, const QString& strategy) const;
    void noteMoved(const QString& from, const QString& to);

Q_SIGNALS:
    /// tasks() has changed, other than by another strategy.
    void changed();

private:
    ClusterTasks keptTasks(const QString& experiment) const;
    void keep(const QString& experiment, const ClusterTasks& tasks);

    const ExperimentDocument& m_document;
    RunCatalog& m_runs;
};

/// Whether it is several processes, all of them on this machine.
bool areLaunchedHere(const ClusterTasks& tasks);

} // namespace cannery::ui
