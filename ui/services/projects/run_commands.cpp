// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/run_commands.h"

#include "ui/document/experiment_document.h"
#include "ui/models/runs/cluster_tasks.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/experiment_cluster.h"
#include "ui/services/projects/open_project.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"

#include <QDir>

#include <algorithm>

namespace cannery::ui {
namespace {

/// Of the experiment that the run froze, which may differ from the open one; empty if it has none.
QString strategyOf(const RunRow& run)
{
    const QString prefix = QStringLiteral("strategy.");
    for (const auto& [path, text] : run.parameters) {
        const QString name = path.startsWith(prefix) ? path.section(u'.', 1, 1) : QString();
        if (spansProcesses(name)) {
            return name;
        }
    }
    return {};
}

} // namespace

RunCommands::RunCommands(const OpenProject& project, const ExperimentDocument& document,
                         const RunCatalog& runs, const ExperimentCluster& cluster,
                         const Settings& settings, const EngineService& engines)
    : m_project(project), m_document(document), m_runs(runs), m_cluster(cluster),
      m_settings(settings), m_engines(engines)
{}

CommandLine RunCommands::train() const
{
    return newRunCommand({});
}

CommandLine RunCommands::resume(const QString& run, qint64 maxSteps) const
{
    if (const RunRow* row = m_runs.snapshot()->find(run)) {
        if (const CommandLine again = relaunchCommand(*row, maxSteps); !again.isEmpty()) {
            return again;
        }
    }
    QStringList words{QStringLiteral("resume"), run, QStringLiteral("--project"),
                      m_project.folder()};
    if (maxSteps > 0) {
        words << QStringLiteral("--max-steps") << QString::number(maxSteps);
    }
    return trainingCommand(words);
}

CommandLine RunCommands::warmStart(const QString& run, qint64 step) const
{
    if (!m_document.isOpen()) {
        return {};
    }
    const RunRow* row = m_runs.snapshot()->find(run);
    const QString folder =
        row == nullptr ? m_project.folder() + QStringLiteral("/runs/") + run : row->folder;
    // Relative, so that the run's frozen experiment stays valid when the project is moved.
    const QString checkpoint =
        QDir(m_project.folder())
            .relativeFilePath(step < 0 ? folder
                                       : QStringLiteral("%1/model.ckpt-%2").arg(folder).arg(step));
    return newRunCommand({QStringLiteral("--set"),
                          QStringLiteral("warm_start.ckpt_to_initialize_from=") + checkpoint});
}

CommandLine RunCommands::trainingCommand(const QStringList& words) const
{
    CommandLine command;
    command.folder = m_project.folder();
    command.arguments = words;
    if (m_settings.threads() > 0) {
        command.arguments << QStringLiteral("--threads") << QString::number(m_settings.threads());
    }
    // Training goes on when the window ends or crashes.
    command.arguments << QStringLiteral("--detach");
    command.arguments += m_engines.supervisorArguments();
    return command;
}

/// `settings`: "--set PATH=VALUE" …
CommandLine RunCommands::newRunCommand(const QStringList& settings) const
{
    if (!m_document.isOpen()) {
        return {};
    }
    const QStringList words = QStringList{m_document.file()} + settings;
    return m_cluster.isLaunchedHere()
               ? launchCommand(m_cluster.tasks(), words)
               : trainingCommand(QStringList{QStringLiteral("train")} + words);
}

/// Empty if the run is not one of a cluster on this machine. `resume` continues a single process:
/// a cluster is launched again with the run's own experiment, in the run's folder.
CommandLine RunCommands::relaunchCommand(const RunRow& run, qint64 maxSteps) const
{
    const QString strategy = strategyOf(run);
    if (!spansProcesses(strategy) || run.experimentFile.isEmpty()) {
        return {};
    }
    const ClusterTasks tasks = m_cluster.tasksOf(run.experimentFile, strategy);
    if (!areLaunchedHere(tasks)) {
        return {};
    }
    QStringList words{run.experimentFile, QStringLiteral("--copy"),
                      run.folder + QStringLiteral("/experiment.cannery"),
                      QStringLiteral("--model-dir"), run.folder};
    if (maxSteps > 0) {
        words << QStringLiteral("--set") << QStringLiteral("train_spec.max_steps=%1").arg(maxSteps);
    }
    return launchCommand(tasks, words);
}

/// Every process has its share of the threads; without a setting `launch` divides the machine's.
CommandLine RunCommands::launchCommand(const ClusterTasks& tasks, const QStringList& words) const
{
    CommandLine command;
    command.folder = m_project.folder();
    command.arguments = QStringList{QStringLiteral("launch"), QStringLiteral("-n"),
                                    QString::number(tasks.workers())};
    if (const int servers = tasks.count(ClusterTask::Type::Ps); servers > 0) {
        command.arguments << QStringLiteral("--ps") << QString::number(servers);
    }
    if (tasks.count(ClusterTask::Type::Evaluator) > 0) {
        command.arguments << QStringLiteral("--evaluator");
    }
    command.arguments += words;
    if (const int threads = m_settings.threads(); threads > 0) {
        command.arguments << QStringLiteral("--threads")
                          << QString::number(std::max(1, threads / tasks.workers()));
    }
    command.arguments << QStringLiteral("--detach") << QStringLiteral("--max-restarts")
                      << QString::number(std::max(0, m_settings.restarts()));
    return command;
}

} // namespace cannery::ui
