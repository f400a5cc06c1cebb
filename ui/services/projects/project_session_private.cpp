// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/project_session_private.h"

#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace cannery::ui {

void ProjectSession::Private::connectServices()
{
    const auto readiness = [this] { checkReadiness(); };
    const auto fail = [this](const QString& sentence) { Q_EMIT m_owner->failed(sentence, {}); };
    connect(&m_settings, &Settings::changed, m_owner,
            [this](const QString& key) { applySettings(key); });
    connect(&m_document, &ExperimentDocument::changed, m_owner, [this] { opened(); });
    connect(&m_document, &ExperimentDocument::saved, m_owner, [this] { m_check.checkSoon(); });
    connect(&m_document, &ExperimentDocument::problemsChanged, m_owner, readiness);
    connect(&m_document, &ExperimentDocument::standingChanged, m_owner, readiness);
    connect(&m_document, &ExperimentDocument::moved, m_owner,
            [this](const QString& from) { takeMoved(from); });
    connect(&m_document, &ExperimentDocument::failed, m_owner, fail);
    m_runs.setUndoStack(m_document.undoStack());
    connect(&m_runs, &RunCatalog::snapshotChanged, m_owner, [this] { takeSnapshot(); });
    connect(&m_runs, &RunCatalog::failed, m_owner, fail);
    connect(&m_engines, &EngineService::liveRunsChanged, m_owner, [this] {
        const QStringList live = m_engines.liveRuns();
        m_watchList.watch(QStringLiteral("live"), QSet<QString>(live.begin(), live.end()));
        checkReadiness();
    });
    connect(&m_engines, &EngineService::startingChanged, m_owner, readiness);
    connect(&m_engines, &EngineService::storeChanged, m_owner, [this] { m_runs.refresh(); });
    connect(&m_engines, &EngineService::fileGrew, &m_series, &SeriesStore::fileGrew);
    connect(&m_engines, &EngineService::ended, &m_series, &SeriesStore::engineEnded);
    connect(&m_engines, &EngineService::failed, m_owner, &ProjectSession::failed);
    connect(&m_engines, &EngineService::started, m_owner, [this](const QString& run) {
        m_runs.refresh();
        Q_EMIT m_owner->runStarted(run);
    });
    connect(&m_instance, &SingleInstance::raiseRequested, m_owner, &ProjectSession::raiseRequested);
    connect(&m_window, &WindowSession::found, m_owner, [this] {
        if (!m_window.lost().isEmpty()) {
            Q_EMIT m_owner->recoveryFound();
        }
    });
    connect(&m_tables, &TableImport::failed, m_owner, &ProjectSession::failed);
    connect(&m_tables, &TableImport::working, m_owner, [this](int change) { setOpening(change); });
    connect(&m_tables, &TableImport::pasted, m_owner,
            [this](const QString& table) { m_owner->newFromTable(table); });
    connect(&m_tables, &TableImport::made, m_owner, [this](const QString& experiment) {
        m_owner->openProject(experiment, Opening::Created);
    });
    connect(&m_tables, &TableImport::tryingChanged, m_owner, readiness);
    connect(m_document.undoStack(), &QUndoStack::indexChanged, m_owner, [this] { skipTrying(); });
    connect(
        &m_tables, &TableImport::found, m_owner,
        [this](const QString& experiment, const QByteArray& text) { takeFound(experiment, text); });
    connect(&m_tables, &TableImport::asked, m_owner, [this] {
        const LabelQuestion& question = m_tables.question();
        QStringList names;
        for (const LabelQuestion::Column& column : question.columns) {
            names << column.name;
        }
        Q_EMIT m_owner->labelWanted(question.table, names, question.guess);
    });
    connect(&m_check, &ExperimentCheck::dataFilesChanged, m_owner,
            &ProjectSession::dataFilesChanged);
    connect(&m_check, &ExperimentCheck::dataFilesLooked, m_owner, &ProjectSession::dataFilesLooked);
    applySettings(QStringLiteral("chartMemoryLimit"));
    applySettings(QStringLiteral("restarts"));
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

void ProjectSession::Private::setOpening(int change)
{
    m_opening += change;
    Q_EMIT m_owner->openingChanged();
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
    if (!isOpen || m_document.undoStack()->count() > 0 || !liveRunOfExperiment().isEmpty()) {
        return;
    }
    if (m_document.isLoading()) {
        connect(
            &m_document, &ExperimentDocument::changed, m_owner,
            [this, experiment, text] { takeFound(experiment, text); }, Qt::SingleShotConnection);
        return;
    }
    m_document.replaceText(tr("Take the Best Model"), text);
}

/// Only the latest request counts.
void ProjectSession::Private::find(const QString& path, Opening why,
                                   std::function<ProjectTarget()> look)
{
    setOpening(1);
    inBackground(m_pool, m_owner, std::move(look),
                 [this, path, why, request = ++m_request](const ProjectTarget& target) {
                     if (request == m_request) {
                         open(target, path, why);
                     } else {
                         setOpening(-1);
                     }
                 });
}

void ProjectSession::Private::open(const ProjectTarget& target, const QString& path, Opening why)
{
    if (target.kind == ProjectTarget::Kind::Nothing) {
        setOpening(-1);
        Q_EMIT m_owner->failed(target.error, {});
        if (why == Opening::Restored) {
            Q_EMIT m_owner->nothingRestored();
        }
        return;
    }
    if (target.kind == ProjectTarget::Kind::Table) {
        setOpening(-1);
        m_owner->newFromTable(target.folder);
        return;
    }
    m_instance.claim(target.identity.isEmpty() ? target.folder : target.identity, path,
                     [this, target, path, why, request = m_request](bool isOurs) {
                         setOpening(-1);
                         if (request != m_request) {
                             return;
                         }
                         if (isOurs) {
                             show(target, why);
                         } else {
                             Q_EMIT m_owner->openedElsewhere(path);
                             if (why == Opening::Restored) {
                                 Q_EMIT m_owner->nothingRestored();
                             }
                         }
                     });
}

void ProjectSession::Private::show(const ProjectTarget& target, Opening why)
{
    m_why = why;
    m_tables.forgetTrouble();
    const bool isSameFolder = target.folder == m_folder;
    m_folder = target.folder;
    m_isEvents = target.kind == ProjectTarget::Kind::EventFolder;
    m_isShown = false;
    m_check.setFolder(m_folder);
    m_window.noteOpening(m_folder, target.experimentFile, m_isEvents);
    m_owner->forgetLost(m_folder);
    m_settings.setValue(kLastProject,
                        target.experimentFile.isEmpty() ? m_folder : target.experimentFile);
    if (!isSameFolder) {
        m_watchList.clear();
        m_engines.openProject(m_isEvents ? QString() : m_folder);
        if (m_isEvents) {
            m_runs.openEventFolder(m_folder);
        } else {
            m_runs.openProject(m_folder);
        }
    }
    m_runs.setReadOnly(target.isReadOnly);
    m_experiments.setFolder(m_isEvents ? QString() : m_folder);
    if (target.experimentFile.isEmpty()) {
        m_document.close();
        opened();
    } else {
        m_document.open(target.experimentFile);
    }
}

/// The document was read, for the first time or again.
void ProjectSession::Private::opened()
{
    if (m_folder.isEmpty() || m_document.isLoading()) {
        return;
    }
    if (std::exchange(m_isShown, true)) {
        m_check.checkSoon();
    } else {
        m_check.check();
        m_window.noteOpened();
        if (!m_isEvents) {
            m_recents.noteOpened(m_folder, m_document.file(), m_owner->projectName());
        }
        Q_EMIT m_owner->projectChanged();
        Q_EMIT m_owner->projectOpened(m_why);
    }
    checkReadiness();
}

void ProjectSession::Private::takeSnapshot()
{
    m_watchList.setRuns(m_runs.snapshot()->runs);
    checkReadiness();
}

void ProjectSession::Private::checkReadiness()
{
    m_document.setHindrance(m_owner->isReadOnly() ? m_owner->changeHindrance() : QString());
    const QString hindrance = m_owner->trainHindrance();
    const CommandLine command = m_owner->trainCommand();
    if (hindrance != m_hindrance || !(command == m_command)) {
        m_hindrance = hindrance;
        m_command = command;
        Q_EMIT m_owner->readinessChanged();
    }
}

/// A live run that is not in the snapshot yet was just started, most likely here.
QString ProjectSession::Private::liveRunOfExperiment() const
{
    const ProjectSnapshotPtr snapshot = m_runs.snapshot();
    const QStringList live = m_engines.liveRuns();
    for (const QString& run : live) {
        const RunRow* row = snapshot->find(run);
        if (row == nullptr || row->experimentFile == m_document.file()) {
            return run;
        }
    }
    return {};
}

QString ProjectSession::Private::linkTo(const QString& page) const
{
    const QString name = page == QLatin1String("data")       ? tr("Data page")
                         : page == QLatin1String("features") ? tr("Features page")
                         : page == QLatin1String("train")    ? tr("Train page")
                         : page == QLatin1String("home")     ? tr("Home page")
                                                             : tr("Model page");
    return QStringLiteral("<a href=\"page:%1\">%2</a>").arg(page, name);
}

QString ProjectSession::Private::firstError() const
{
    const QList<ProblemRow>& problems = m_document.problems();
    const auto error = std::find_if(problems.begin(), problems.end(), [](const ProblemRow& row) {
        return row.level == ProblemRow::Level::Error;
    });
    if (error == problems.end()) {
        return {};
    }
    const bool isLabel = std::any_of(problems.begin(), problems.end(), [](const ProblemRow& row) {
        return row.path == QLatin1String("data.label") && row.level == ProblemRow::Level::Error;
    });
    if (isLabel) {
        return tr("Choose a label column on the %1.").arg(linkTo(QStringLiteral("data")));
    }
    return tr("%1 See the %2.").arg(error->sentence.toHtmlEscaped(), linkTo(error->page));
}

} // namespace cannery::ui
