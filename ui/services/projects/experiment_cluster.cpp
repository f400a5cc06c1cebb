// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/experiment_cluster.h"

#include "ui/document/experiment_document.h"
#include "ui/services/runs/run_catalog.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

namespace cannery::ui {
namespace {

/// The view state that has the tasks of clusters, by the experiment file's name.
const QString kClusters = QStringLiteral("clusters");

QJsonObject clustersOf(const RunCatalog& runs)
{
    return QJsonDocument::fromJson(runs.viewState(kClusters)).object();
}

} // namespace

ExperimentCluster::ExperimentCluster(const ExperimentDocument& document, RunCatalog& runs,
                                     QObject* parent)
    : QObject(parent), m_document(document), m_runs(runs)
{}

ClusterTasks ExperimentCluster::tasks() const
{
    const QString strategy = memberOf(m_document, QStringLiteral("strategy"));
    if (!m_document.isOpen() || !spansProcesses(strategy)) {
        return {};
    }
    return tasksOf(m_document.file(), strategy);
}

void ExperimentCluster::setTasks(const ClusterTasks& tasks)
{
    if (m_document.isOpen() && !(tasks == this->tasks())) {
        keep(m_document.file(), tasks);
        Q_EMIT changed();
    }
}

bool ExperimentCluster::isLaunchedHere() const
{
    return areLaunchedHere(tasks());
}

/// What is kept outlives a change of the strategy: who tries another one and comes back finds the
/// addresses again.
ClusterTasks ExperimentCluster::tasksOf(const QString& experiment, const QString& strategy) const
{
    return fittedTasks(keptTasks(experiment), strategy);
}

void ExperimentCluster::noteMoved(const QString& from, const QString& to)
{
    if (const ClusterTasks tasks = keptTasks(from); !tasks.isEmpty()) {
        keep(from, {});
        keep(to, tasks);
    }
}

ClusterTasks ExperimentCluster::keptTasks(const QString& experiment) const
{
    return ClusterTasks::fromJson(
        clustersOf(m_runs).value(QFileInfo(experiment).fileName()).toArray());
}

void ExperimentCluster::keep(const QString& experiment, const ClusterTasks& tasks)
{
    QJsonObject clusters = clustersOf(m_runs);
    if (tasks.isEmpty()) {
        clusters.remove(QFileInfo(experiment).fileName());
    } else {
        clusters.insert(QFileInfo(experiment).fileName(), tasks.toJson());
    }
    m_runs.setViewState(kClusters, QJsonDocument(clusters).toJson());
}

bool areLaunchedHere(const ClusterTasks& tasks)
{
    // A single task needs no launching: it trains alone.
    return tasks.tasks().size() > 1 && tasks.isOnThisMachine();
}

} // namespace cannery::ui
