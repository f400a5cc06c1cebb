// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/open_project.h"

#include "ui/document/background.h"
#include "ui/document/experiment_document.h"
#include "ui/services/runs/run_catalog.h"

#include <QDir>
#include <QFileInfo>
#include <QThreadPool>

#include <utility>

namespace cannery::ui {

OpenProject::OpenProject(ExperimentDocument& document, RunCatalog& runs, QThreadPool& pool,
                         QObject* parent)
    : QObject(parent), m_document(document), m_runs(runs), m_pool(pool)
{
    connect(&m_document, &ExperimentDocument::changed, this, &OpenProject::takeDocument);
    connect(&m_instance, &SingleInstance::raiseRequested, this, &OpenProject::raiseRequested);
}

bool OpenProject::open(const QString& path, Opening why)
{
    if (path.isEmpty()) {
        return false;
    }
    find(path, why, [path] { return findTarget(path); });
    return true;
}

void OpenProject::openEventFolder(const QString& folder)
{
    find(folder, Opening::Chosen, [folder] { return eventFolderTarget(folder); });
}

void OpenProject::openNext(const QString& experiment)
{
    // Which experiments are left is looked up on the pool: the folder may be on a slow network.
    find(m_folder, Opening::Switched, [folder = m_folder, experiment] {
        const QString next =
            QFileInfo::exists(experiment) ? experiment : experimentsIn(folder).value(0, QString());
        return findExperiment(folder, next);
    });
}

void OpenProject::close()
{
    ++m_request; // a project that is still being looked for does not open afterwards
    m_folder.clear();
    m_isEvents = false;
    m_isShown = false;
    m_document.close();
    Q_EMIT taken({}, false);
    m_instance.release();
    Q_EMIT changed();
    Q_EMIT settled();
}

bool OpenProject::isReadOnly() const
{
    return isOpen() && m_runs.snapshot()->isReadOnly;
}

QString OpenProject::changeHindrance() const
{
    return isOpen() ? m_runs.snapshot()->changeHindrance() : QString();
}

void OpenProject::noteMaking(int change)
{
    m_opening += change;
    Q_EMIT openingChanged();
}

QString OpenProject::name() const
{
    if (!isOpen()) {
        return {};
    }
    return m_document.isOpen() ? m_document.name() : QDir(m_folder).dirName();
}

void OpenProject::find(const QString& path, Opening why, std::function<ProjectTarget()> look)
{
    noteMaking(1);
    inBackground(m_pool, this, std::move(look),
                 [this, path, why, request = ++m_request](const ProjectTarget& target) {
                     // An earlier request that took longer than this one opens nothing.
                     if (request == m_request) {
                         claim(target, path, why);
                     } else {
                         noteMaking(-1);
                     }
                 });
}

/// A project is claimed before anything of it is shown: two windows that write one experiment would
/// overwrite each other's edits.
void OpenProject::claim(const ProjectTarget& target, const QString& path, Opening why)
{
    if (target.kind == ProjectTarget::Kind::Nothing) {
        noteMaking(-1);
        Q_EMIT failed(target.error);
        Q_EMIT notOpened(why);
        return;
    }
    if (target.kind == ProjectTarget::Kind::Table) {
        noteMaking(-1);
        Q_EMIT tableFound(target.folder);
        return;
    }
    m_instance.claim(target.identity.isEmpty() ? target.folder : target.identity, path,
                     [this, target, path, why, request = m_request](bool isOurs) {
                         noteMaking(-1);
                         if (request != m_request) {
                             return;
                         }
                         if (isOurs) {
                             show(target, why);
                         } else {
                             Q_EMIT openedElsewhere(path);
                             Q_EMIT notOpened(why);
                         }
                     });
}

void OpenProject::show(const ProjectTarget& target, Opening why)
{
    m_why = why;
    const bool isSameFolder = target.folder == m_folder;
    m_folder = target.folder;
    m_isEvents = target.kind == ProjectTarget::Kind::EventFolder;
    m_isShown = false;
    Q_EMIT taken(target, isSameFolder);
    if (target.experimentFile.isEmpty()) {
        // Without an experiment no document will report that it was read.
        m_document.close();
        takeDocument();
    } else {
        m_document.open(target.experimentFile);
    }
}

/// The document was read, for the first time or again.
void OpenProject::takeDocument()
{
    if (m_folder.isEmpty() || m_document.isLoading()) {
        return;
    }
    if (std::exchange(m_isShown, true)) {
        Q_EMIT reread();
    } else {
        Q_EMIT changed();
        Q_EMIT opened(m_why);
    }
    Q_EMIT settled();
}

} // namespace cannery::ui
