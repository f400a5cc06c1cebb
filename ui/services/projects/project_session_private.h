// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/background.h"
#include "ui/document/experiment_document.h"
#include "ui/services/engine_service.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/experiment_check.h"
#include "ui/services/projects/experiment_folder.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/project_target.h"
#include "ui/services/projects/recent_projects.h"
#include "ui/services/projects/sample_library.h"
#include "ui/services/projects/settings.h"
#include "ui/services/projects/single_instance.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/run_watch_list.h"
#include "ui/services/runs/series_store.h"

#include <QThreadPool>

#include <functional>

namespace cannery::ui {

/// The settings key of the window's last project.
inline const auto kLastProject = QStringLiteral("session/last");

class ProjectSession::Private
{
public:
    Private(ProjectSession* owner, const QString& settingsFile)
        : m_owner(owner), m_settings(settingsFile), m_recents(m_settings), m_watchList(m_series),
          m_tables(m_jobs, m_settings), m_experiments(m_pool), m_check(m_document, m_jobs, m_pool)
    {
        m_pool.setMaxThreadCount(1);
    }

    void connectServices();
    void applySettings(const QString& key);
    void setOpening(int change);
    void takeFound(const QString& experiment, const QByteArray& text);
    void skipTrying();
    void find(const QString& path, Opening why, std::function<ProjectTarget()> look);
    void open(const ProjectTarget& target, const QString& path, Opening why);
    void show(const ProjectTarget& target, Opening why);
    void opened();
    void takeSnapshot();
    void takeTrashed(const TrashedExperiment& experiment);
    /// That file, otherwise another experiment of the project, or the project without one.
    void openNext(const QString& file);
    void takeMoved(const QString& from);
    QString originOf(const QString& experiment) const;
    void noteOrigin(const QString& experiment, const QString& run);
    void noteCluster(const QString& experiment, const ClusterTasks& tasks);
    ClusterTasks clusterOf(const QString& experiment) const;
    QString clusterHindrance() const;
    void checkReadiness();
    QString liveRunOfExperiment() const;
    QString linkTo(const QString& page) const;
    QString firstError() const;

    ProjectSession* m_owner;
    Settings m_settings;
    JobRunner m_jobs;
    EngineService m_engines;
    ExperimentDocument m_document;
    RunCatalog m_runs;
    SeriesStore m_series;
    RecentProjects m_recents;
    SampleLibrary m_samples;
    SingleInstance m_instance;
    WindowSession m_window;
    RunWatchList m_watchList;
    QString m_folder;
    bool m_isEvents = false;
    bool m_isShown = false; ///< projectChanged() was emitted for m_folder
    Opening m_why = Opening::Chosen;
    int m_opening = 0;
    quint64 m_request = 0; ///< id of the latest request to open
    TableImport m_tables;
    QString m_hindrance;
    CommandLine m_command;
    QThreadPool m_pool;
    ExperimentFolder m_experiments;
    ExperimentCheck m_check;
};

} // namespace cannery::ui
