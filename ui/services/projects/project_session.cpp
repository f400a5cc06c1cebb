// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/project_session_private.h"

#include "ui/services/outside.h"

#include <QDir>

namespace cannery::ui {

ProjectSession::ProjectSession(QObject* parent, const QString& settingsFile)
    : QObject(parent), m_private(std::make_unique<Private>(this, settingsFile))
{
    m_private->connectServices();
}

ProjectSession::~ProjectSession()
{
    m_private->m_pool.waitForDone();
    // Services emit signals while they are destroyed; no receiver is left.
    m_private->m_document.disconnect(this);
    m_private->m_runs.disconnect(this);
    m_private->m_engines.disconnect(this);
    m_private->m_settings.disconnect(this);
}

ExperimentDocument& ProjectSession::document()
{
    return m_private->m_document;
}

RunCatalog& ProjectSession::runs()
{
    return m_private->m_runs;
}

SeriesStore& ProjectSession::series()
{
    return m_private->m_series;
}

EngineService& ProjectSession::engines()
{
    return m_private->m_engines;
}

JobRunner& ProjectSession::jobs()
{
    return m_private->m_jobs;
}

Settings& ProjectSession::settings()
{
    return m_private->m_settings;
}

RecentProjects& ProjectSession::recents()
{
    return m_private->m_recents;
}

SampleLibrary& ProjectSession::samples()
{
    return m_private->m_samples;
}

void ProjectSession::setProgram(const QString& path)
{
    m_private->m_jobs.setProgram(path);
    m_private->m_engines.setProgram(path);
}

bool ProjectSession::openProject(const QString& path, Opening why)
{
    if (path.isEmpty()) {
        return false;
    }
    m_private->find(path, why, [path] { return findTarget(path); });
    return true;
}

void ProjectSession::openEventFolder(const QString& folder)
{
    m_private->find(folder, Opening::Chosen, [folder] { return eventFolderTarget(folder); });
}

void ProjectSession::closeProject()
{
    ++m_private->m_request;
    m_private->m_folder.clear();
    m_private->m_isEvents = false;
    m_private->m_isShown = false;
    m_private->m_check.setFolder({});
    m_private->m_experiments.setFolder({});
    m_private->m_document.close();
    m_private->m_engines.openProject({});
    m_private->m_runs.openProject({});
    m_private->m_watchList.clear();
    m_private->m_instance.release();
    m_private->m_window.noteClosed();
    m_private->m_settings.setValue(kLastProject, {});
    Q_EMIT projectChanged();
    m_private->checkReadiness();
}

bool ProjectSession::hasProject() const
{
    return !m_private->m_folder.isEmpty();
}

bool ProjectSession::isEventFolder() const
{
    return m_private->m_isEvents;
}

bool ProjectSession::isReadOnly() const
{
    return hasProject() && m_private->m_runs.snapshot()->isReadOnly;
}

QString ProjectSession::changeHindrance() const
{
    return hasProject() ? m_private->m_runs.snapshot()->changeHindrance() : QString();
}

bool ProjectSession::isOpening() const
{
    return m_private->m_opening > 0;
}

QString ProjectSession::projectFolder() const
{
    return m_private->m_folder;
}

QString ProjectSession::projectName() const
{
    if (!hasProject()) {
        return {};
    }
    return m_private->m_document.isOpen() ? m_private->m_document.name()
                                          : QDir(m_private->m_folder).dirName();
}

void ProjectSession::openSample(const QString& sample)
{
    m_private->setOpening(1);
    m_private->m_samples.copy(sample, m_private->m_settings.projectsFolder(),
                              [this](const QString& file, const QString& error) {
                                  m_private->setOpening(-1);
                                  if (file.isEmpty()) {
                                      Q_EMIT failed(error, {});
                                  } else {
                                      openProject(file, Opening::Sample);
                                  }
                              });
}

void ProjectSession::newFromTable(const QString& table, const QString& label,
                                  const TableReading& reading)
{
    if (label.isEmpty()) {
        m_private->m_tables.ask(table, reading);
    } else {
        m_private->m_tables.make(table, {.label = label}, reading);
    }
}

const LabelQuestion& ProjectSession::labelQuestion() const
{
    return m_private->m_tables.question();
}

TableImport& ProjectSession::tables()
{
    return m_private->m_tables;
}

void ProjectSession::noteMaking(int change)
{
    m_private->setOpening(change);
}

void ProjectSession::showOutside(const QString& path)
{
    openOutside(this, path, [this](const QString& problem) {
        if (!problem.isEmpty()) {
            Q_EMIT failed(problem, {});
        }
    });
}

QJsonObject ProjectSession::facts() const
{
    return m_private->m_check.facts();
}

void ProjectSession::setWatchedRuns(const QString& who, const QSet<QString>& runs)
{
    m_private->m_watchList.watch(who, runs);
}

void ProjectSession::findLostWindows()
{
    m_private->m_window.findLost();
}

void ProjectSession::restoreLast()
{
    const auto connection = std::make_shared<QMetaObject::Connection>();
    *connection = connect(&m_private->m_window, &WindowSession::found, this, [this, connection] {
        disconnect(*connection);
        const QString last = m_private->m_settings.value(kLastProject).toString();
        if (hasProject() || isOpening()) {
            return;
        }
        if (m_private->m_window.lost().isEmpty() && !last.isEmpty()) {
            openProject(last, Opening::Restored);
        } else {
            Q_EMIT nothingRestored();
        }
    });
    m_private->m_window.findLost();
}

const QList<LostWindow>& ProjectSession::lostWindows() const
{
    return m_private->m_window.lost();
}

void ProjectSession::openLost(const QString& project)
{
    for (const LostWindow& window : m_private->m_window.lost()) {
        if (window.project == project) {
            openProject(window.experimentFile.isEmpty() ? window.project : window.experimentFile);
            return;
        }
    }
}

void ProjectSession::forgetLost(const QString& project)
{
    const qsizetype before = m_private->m_window.lost().size();
    m_private->m_window.forget(project);
    if (m_private->m_window.lost().size() != before) {
        Q_EMIT recoveryFound();
    }
}

} // namespace cannery::ui
