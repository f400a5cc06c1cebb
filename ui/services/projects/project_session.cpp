// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/project_session.h"

#include "ui/document/experiment_document.h"
#include "ui/services/engine_service.h"
#include "ui/services/job_runner.h"
#include "ui/services/outside.h"
#include "ui/services/projects/recent_projects.h"
#include "ui/services/projects/sample_library.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/series_store.h"

#include <QThreadPool>
#include <QUndoStack>

namespace cannery::ui {

class ProjectSession::Private
{
public:
    Private(ProjectSession* owner, const QString& settingsFile)
        : m_owner(owner), m_settings(settingsFile), m_recents(m_settings), m_watchList(m_series),
          m_tables(m_jobs, m_settings), m_project(m_document, m_runs, m_pool),
          m_cluster(m_document, m_runs), m_starter({.project = m_project,
                                                    .document = m_document,
                                                    .runs = m_runs,
                                                    .cluster = m_cluster,
                                                    .settings = m_settings,
                                                    .engines = m_engines,
                                                    .tables = m_tables}),
          m_experiments(m_project, m_document, m_runs, m_starter, m_pool),
          m_check(m_document, m_jobs, m_pool), m_recovery(m_project, m_document, m_settings)
    {
        // One thread, so that files are written and looked up in the order of the requests.
        m_pool.setMaxThreadCount(1);
    }

    void connectProject();
    void connectDocument();
    void connectRuns();
    void connectTables();
    void connectFailures();
    void applySettings(const QString& key);
    void follow(const ProjectTarget& target, bool isSameFolder);
    void takeSnapshot();
    void takeMoved(const QString& from);
    void takeFound(const QString& experiment, const QByteArray& text);
    void skipTrying();
    void checkReadiness();

    // Each part may refer to those above it, which are destroyed after it.
    ProjectSession* m_owner;
    Settings m_settings;
    JobRunner m_jobs;
    EngineService m_engines;
    ExperimentDocument m_document;
    RunCatalog m_runs;
    SeriesStore m_series;
    RecentProjects m_recents;
    SampleLibrary m_samples;
    RunWatchList m_watchList;
    TableImport m_tables;
    QThreadPool m_pool;
    OpenProject m_project;
    ExperimentCluster m_cluster;
    RunStarter m_starter;
    ExperimentLibrary m_experiments;
    ExperimentCheck m_check;
    WindowRecovery m_recovery;
};

void ProjectSession::Private::connectProject()
{
    connect(&m_project, &OpenProject::taken, m_owner,
            [this](const ProjectTarget& target, bool isSame) { follow(target, isSame); });
    connect(&m_project, &OpenProject::changed, m_owner, [this] {
        // A closed project has nothing to check or to remember.
        if (!m_project.isOpen()) {
            return;
        }
        m_check.check();
        if (!m_project.isEventFolder()) {
            m_recents.noteOpened(m_project.folder(), m_document.file(), m_project.name());
        }
    });
    connect(&m_project, &OpenProject::reread, m_owner, [this] { m_check.checkSoon(); });
    connect(&m_project, &OpenProject::settled, m_owner, [this] { checkReadiness(); });
    connect(&m_project, &OpenProject::openingChanged, m_owner, [this] { checkReadiness(); });
    connect(&m_project, &OpenProject::tableFound, m_owner,
            [this](const QString& table) { m_tables.ask(table); });
    connect(&m_settings, &Settings::changed, m_owner,
            [this](const QString& key) { applySettings(key); });
    // The signal reports later changes alone.
    applySettings(QStringLiteral("chartMemoryLimit"));
    applySettings(QStringLiteral("restarts"));
}

void ProjectSession::Private::connectDocument()
{
    const auto readiness = [this] { checkReadiness(); };
    connect(&m_document, &ExperimentDocument::saved, m_owner, [this] { m_check.checkSoon(); });
    connect(&m_document, &ExperimentDocument::problemsChanged, m_owner, readiness);
    connect(&m_document, &ExperimentDocument::standingChanged, m_owner, readiness);
    connect(&m_document, &ExperimentDocument::moved, m_owner,
            [this](const QString& from) { takeMoved(from); });
    connect(m_document.undoStack(), &QUndoStack::indexChanged, m_owner, [this] { skipTrying(); });
    connect(&m_cluster, &ExperimentCluster::changed, m_owner, readiness);
}

void ProjectSession::Private::connectRuns()
{
    // The window has one history: annotations of runs are undone like edits.
    m_runs.setUndoStack(m_document.undoStack());
    connect(&m_runs, &RunCatalog::snapshotChanged, m_owner, [this] { takeSnapshot(); });
    connect(&m_engines, &EngineService::liveRunsChanged, m_owner, [this] {
        const QStringList live = m_engines.liveRuns();
        m_watchList.watch(QStringLiteral("live"), QSet<QString>(live.begin(), live.end()));
        checkReadiness();
    });
    connect(&m_engines, &EngineService::startingChanged, m_owner, [this] { checkReadiness(); });
    connect(&m_engines, &EngineService::storeChanged, m_owner, [this] { m_runs.refresh(); });
    connect(&m_engines, &EngineService::fileGrew, &m_series, &SeriesStore::fileGrew);
    connect(&m_engines, &EngineService::ended, &m_series, &SeriesStore::engineEnded);
    connect(&m_engines, &EngineService::started, m_owner, [this] { m_runs.refresh(); });
}

void ProjectSession::Private::connectTables()
{
    connect(&m_tables, &TableImport::working, &m_project, &OpenProject::noteMaking);
    connect(&m_tables, &TableImport::pasted, m_owner,
            [this](const QString& table) { m_tables.ask(table); });
    connect(&m_tables, &TableImport::made, m_owner,
            [this](const QString& experiment) { m_project.open(experiment, Opening::Created); });
    connect(&m_tables, &TableImport::tryingChanged, m_owner, [this] { checkReadiness(); });
    connect(
        &m_tables, &TableImport::found, m_owner,
        [this](const QString& experiment, const QByteArray& text) { takeFound(experiment, text); });
    connect(&m_samples, &SampleLibrary::working, &m_project, &OpenProject::noteMaking);
    connect(&m_samples, &SampleLibrary::made, m_owner,
            [this](const QString& experiment) { m_project.open(experiment, Opening::Sample); });
}

void ProjectSession::Private::connectFailures()
{
    const auto fail = [this](const QString& sentence) { Q_EMIT m_owner->failed(sentence, {}); };
    connect(&m_project, &OpenProject::failed, m_owner, fail);
    connect(&m_document, &ExperimentDocument::failed, m_owner, fail);
    connect(&m_experiments, &ExperimentLibrary::failed, m_owner, fail);
    connect(&m_starter, &RunStarter::failed, m_owner, fail);
    connect(&m_runs, &RunCatalog::failed, m_owner, fail);
    connect(&m_samples, &SampleLibrary::failed, m_owner, fail);
    connect(&m_engines, &EngineService::failed, m_owner, &ProjectSession::failed);
    connect(&m_tables, &TableImport::failed, m_owner, &ProjectSession::failed);
}

void ProjectSession::Private::applySettings(const QString& key)
{
    if (key == QLatin1String("chartMemoryLimit")) {
        m_series.setResidentLimit(m_settings.chartMemoryLimit());
    } else if (key == QLatin1String("restarts")) {
        m_engines.setRestarts(m_settings.restarts());
    }
    checkReadiness();
}

/// Another experiment of the same folder leaves runs, engines and curves as they are.
void ProjectSession::Private::follow(const ProjectTarget& target, bool isSameFolder)
{
    const bool isEvents = target.kind == ProjectTarget::Kind::EventFolder;
    const bool isClosed = target.kind == ProjectTarget::Kind::Nothing;
    if (!isClosed) {
        m_tables.forgetTrouble();
    }
    m_check.setFolder(target.folder);
    if (!isSameFolder) {
        m_watchList.clear();
        m_engines.openProject(isEvents ? QString() : target.folder);
        if (isEvents) {
            m_runs.openEventFolder(target.folder);
        } else {
            m_runs.openProject(target.folder);
        }
    }
    if (!isClosed) {
        m_runs.setReadOnly(target.isReadOnly);
    }
}

void ProjectSession::Private::takeSnapshot()
{
    m_watchList.setRuns(m_runs.snapshot()->runs);
    checkReadiness();
}

void ProjectSession::Private::takeMoved(const QString& from)
{
    const QString file = m_document.file();
    m_runs.moveInQueue(from, file);
    m_cluster.noteMoved(from, file);
    m_recents.noteOpened(m_project.folder(), file, m_project.name());
    checkReadiness();
}

/// What a person makes of the experiment is not replaced by what trying finds.
void ProjectSession::Private::skipTrying()
{
    if (m_tables.trying() == m_document.file()) {
        m_tables.skipTrying();
    }
}

void ProjectSession::Private::takeFound(const QString& experiment, const QByteArray& text)
{
    const bool isOpen = m_document.file() == experiment;
    // Whoever has edited or trained the experiment meanwhile keeps it.
    if (!isOpen || m_document.undoStack()->count() > 0 || !m_starter.liveRun().isEmpty()) {
        return;
    }
    // The text of now is not the file's yet.
    if (m_document.isLoading()) {
        connect(
            &m_document, &ExperimentDocument::changed, m_owner,
            [this, experiment, text] { takeFound(experiment, text); }, Qt::SingleShotConnection);
        return;
    }
    m_document.edits().replaceText(tr("Take the Best Model"), text);
}

void ProjectSession::Private::checkReadiness()
{
    m_document.edits().setHindrance(m_project.isReadOnly() ? m_project.changeHindrance()
                                                           : QString());
    m_starter.refresh();
}

ProjectSession::ProjectSession(QObject* parent, const QString& settingsFile)
    : QObject(parent), m_private(std::make_unique<Private>(this, settingsFile))
{
    m_private->connectProject();
    m_private->connectDocument();
    m_private->connectRuns();
    m_private->connectTables();
    m_private->connectFailures();
}

ProjectSession::~ProjectSession()
{
    m_private->m_pool.waitForDone();
    // Services emit signals while they are destroyed; no receiver is left.
    m_private->m_document.disconnect();
    m_private->m_runs.disconnect(this);
    m_private->m_engines.disconnect(this);
    m_private->m_settings.disconnect(this);
}

OpenProject& ProjectSession::project()
{
    return m_private->m_project;
}

ExperimentDocument& ProjectSession::document()
{
    return m_private->m_document;
}

ExperimentLibrary& ProjectSession::experiments()
{
    return m_private->m_experiments;
}

ExperimentCluster& ProjectSession::cluster()
{
    return m_private->m_cluster;
}

ExperimentCheck& ProjectSession::check()
{
    return m_private->m_check;
}

RunStarter& ProjectSession::starter()
{
    return m_private->m_starter;
}

RunCatalog& ProjectSession::runs()
{
    return m_private->m_runs;
}

SeriesStore& ProjectSession::series()
{
    return m_private->m_series;
}

RunWatchList& ProjectSession::watchList()
{
    return m_private->m_watchList;
}

EngineService& ProjectSession::engines()
{
    return m_private->m_engines;
}

JobRunner& ProjectSession::jobs()
{
    return m_private->m_jobs;
}

TableImport& ProjectSession::tables()
{
    return m_private->m_tables;
}

SampleLibrary& ProjectSession::samples()
{
    return m_private->m_samples;
}

Settings& ProjectSession::settings()
{
    return m_private->m_settings;
}

RecentProjects& ProjectSession::recents()
{
    return m_private->m_recents;
}

WindowRecovery& ProjectSession::recovery()
{
    return m_private->m_recovery;
}

void ProjectSession::setProgram(const QString& path)
{
    m_private->m_jobs.setProgram(path);
    m_private->m_engines.setProgram(path);
}

void ProjectSession::showOutside(const QString& path)
{
    openOutside(this, path, [this](const QString& problem) {
        if (!problem.isEmpty()) {
            Q_EMIT failed(problem, {});
        }
    });
}

} // namespace cannery::ui
