// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"

#include <QString>
#include <QStringList>

namespace cannery::ui {

class ClusterTasks;
class EngineService;
class ExperimentCluster;
class ExperimentDocument;
class OpenProject;
class RunCatalog;
struct RunRow;
class Settings;

/// The commands that train in the open project. GUI thread.
class RunCommands
{
public:
    /// All outlive it.
    RunCommands(const OpenProject& project, const ExperimentDocument& document,
                const RunCatalog& runs, const ExperimentCluster& cluster, const Settings& settings,
                const EngineService& engines);

    /// The command that Train would run now; empty if nothing is open.
    CommandLine train() const;
    /// Continues a run from its last checkpoint, to `maxSteps` if positive; a cluster's run with
    /// the tasks that its experiment has now.
    CommandLine resume(const QString& run, qint64 maxSteps = 0) const;
    /// A new run of the open experiment that starts from a checkpoint of another run; the newest
    /// one if `step` is negative.
    CommandLine warmStart(const QString& run, qint64 step = -1) const;

private:
    CommandLine trainingCommand(const QStringList& words) const;
    CommandLine newRunCommand(const QStringList& settings) const;
    CommandLine launchCommand(const ClusterTasks& tasks, const QStringList& words) const;
    CommandLine relaunchCommand(const RunRow& run, qint64 maxSteps) const;

    const OpenProject& m_project;
    const ExperimentDocument& m_document;
    const RunCatalog& m_runs;
    const ExperimentCluster& m_cluster;
    const Settings& m_settings;
    const EngineService& m_engines;
};

} // namespace cannery::ui
