// SPDX-License-Identifier: GPL-3.0-only
// The cluster that the open experiment trains on: its tasks, kept with the project, and the command
// that starts those of this machine.

#include "ui/services/projects/project_session_private.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace cannery::ui {
namespace {

/// The view state that has the tasks of clusters, by the experiment file's name.
const QString kClusters = QStringLiteral("clusters");
const QString kStrategyPath = QStringLiteral("strategy");

QJsonObject clustersOf(const RunCatalog& runs)
{
    return QJsonDocument::fromJson(runs.viewState(kClusters)).object();
}

/// Of the experiment that the run froze; empty: it has none.
QString strategyOf(const RunRow& run)
{
    const QString prefix = kStrategyPath + u'.';
    for (const auto& [path, text] : run.parameters) {
        const QString name = path.startsWith(prefix) ? path.section(u'.', 1, 1) : QString();
        if (spansProcesses(name)) {
            return name;
        }
    }
    return {};
}

bool isLaunchedHere(const ClusterTasks& tasks)
{
    return tasks.tasks().size() > 1 && tasks.isOnThisMachine();
}

} // namespace

ClusterTasks ProjectSession::Private::clusterOf(const QString& experiment) const
{
    return ClusterTasks::fromJson(
        clustersOf(m_runs).value(QFileInfo(experiment).fileName()).toArray());
}

void ProjectSession::Private::noteCluster(const QString& experiment, const ClusterTasks& tasks)
{
    QJsonObject clusters = clustersOf(m_runs);
    if (tasks.isEmpty()) {
        clusters.remove(QFileInfo(experiment).fileName());
    } else {
        clusters.insert(QFileInfo(experiment).fileName(), tasks.toJson());
    }
    m_runs.setViewState(kClusters, QJsonDocument(clusters).toJson());
}

/// Tasks of other machines are started there.
QString ProjectSession::Private::clusterHindrance() const
{
    const ClusterTasks tasks = m_owner->cluster();
    if (const QString problem = tasks.problem(); !problem.isEmpty()) {
        return tr("%1 See the %2.").arg(problem.toHtmlEscaped(), linkTo(QStringLiteral("model")));
    }
    return tasks.isEmpty() || tasks.isOnThisMachine()
               ? QString()
               : tr("Tasks of the cluster are on other machines: start each there with its "
                    "TF_CONFIG, or give all addresses of this machine, on the %1.")
                     .arg(linkTo(QStringLiteral("model")));
}

ClusterTasks ProjectSession::cluster() const
{
    const QString strategy = m_private->m_document.member(kStrategyPath);
    if (!m_private->m_document.isOpen() || !spansProcesses(strategy)) {
        return {};
    }
    return fittedTasks(m_private->clusterOf(m_private->m_document.file()), strategy);
}

void ProjectSession::setCluster(const ClusterTasks& tasks)
{
    if (m_private->m_document.isOpen() && !(tasks == cluster())) {
        m_private->noteCluster(m_private->m_document.file(), tasks);
        m_private->checkReadiness();
        Q_EMIT clusterChanged();
    }
}

bool ProjectSession::trainsCluster() const
{
    return isLaunchedHere(cluster());
}

/// Empty if the run is not one of a cluster on this machine.
CommandLine ProjectSession::relaunchCommand(const RunRow& run, qint64 maxSteps) const
{
    const QString strategy = strategyOf(run);
    if (!spansProcesses(strategy) || run.experimentFile.isEmpty()) {
        return {};
    }
    const ClusterTasks tasks = fittedTasks(m_private->clusterOf(run.experimentFile), strategy);
    if (!isLaunchedHere(tasks)) {
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
CommandLine ProjectSession::launchCommand(const ClusterTasks& tasks, const QStringList& words) const
{
    CommandLine command;
    command.folder = m_private->m_folder;
    command.arguments = QStringList{QStringLiteral("launch"), QStringLiteral("-n"),
                                    QString::number(tasks.workers())};
    if (const int servers = tasks.count(ClusterTask::Type::Ps); servers > 0) {
        command.arguments << QStringLiteral("--ps") << QString::number(servers);
    }
    if (tasks.count(ClusterTask::Type::Evaluator) > 0) {
        command.arguments << QStringLiteral("--evaluator");
    }
    command.arguments += words;
    if (const int threads = m_private->m_settings.threads(); threads > 0) {
        command.arguments << QStringLiteral("--threads")
                          << QString::number(std::max(1, threads / tasks.workers()));
    }
    command.arguments << QStringLiteral("--detach") << QStringLiteral("--max-restarts")
                      << QString::number(std::max(0, m_private->m_settings.restarts()));
    return command;
}

} // namespace cannery::ui
