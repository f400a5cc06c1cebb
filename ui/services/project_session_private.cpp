// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/project_session_private.h"

#include "ui/services/data_files_check.h"

#include <QGuiApplication>
#include <QJsonArray>

#include <algorithm>
#include <utility>

namespace cannery::ui {
namespace {

const auto kJson = QStringLiteral("--json");
constexpr int kLookAgainMs = 2000;

/// What `cannery check --json` found.
QList<ProblemRow> problemsFrom(const QJsonObject& json)
{
    QList<ProblemRow> problems;
    const QJsonArray rows = json.value(QStringLiteral("problems")).toArray();
    for (const QJsonValue& row : rows) {
        ProblemRow problem;
        problem.level = row[QStringLiteral("level")].toString() == QLatin1String("warning")
                            ? ProblemRow::Level::Warning
                            : ProblemRow::Level::Error;
        problem.id = row[QStringLiteral("id")].toString();
        problem.file = row[QStringLiteral("file")].toString();
        problem.line = row[QStringLiteral("line")].toInt();
        problem.column = row[QStringLiteral("column")].toInt();
        problem.path = row[QStringLiteral("path")].toString();
        problem.sentence = row[QStringLiteral("sentence")].toString();
        problem.page = ExperimentDocument::pageOf(problem.path);
        problems << problem;
    }
    return problems;
}

} // namespace

void ProjectSession::Private::connectServices()
{
    const auto readiness = [this] { checkReadiness(); };
    const auto tell = [this](const QString& sentence) { Q_EMIT m_owner->failed(sentence, {}); };
    connect(&m_settings, &Settings::changed, m_owner,
            [this](const QString& key) { applySettings(key); });
    connect(&m_document, &ExperimentDocument::changed, m_owner, [this] { opened(); });
    connect(&m_document, &ExperimentDocument::saved, m_owner, [this] { checkExperiment(); });
    connect(&m_document, &ExperimentDocument::problemsChanged, m_owner, readiness);
    connect(&m_document, &ExperimentDocument::failed, m_owner, tell);
    m_runs.setUndoStack(m_document.undoStack());
    connect(&m_runs, &RunCatalog::snapshotChanged, m_owner, [this] { takeSnapshot(); });
    connect(&m_runs, &RunCatalog::failed, m_owner, tell);
    connect(&m_engines, &EngineService::liveRunsChanged, m_owner, [this] {
        const QStringList live = m_engines.liveRuns();
        m_watchList.watch(QStringLiteral("live"), QSet<QString>(live.begin(), live.end()));
        checkReadiness();
    });
    connect(&m_engines, &EngineService::startingChanged, m_owner, readiness);
    connect(&m_engines, &EngineService::storeChanged, m_owner, [this] { m_runs.refresh(); });
    connect(&m_engines, &EngineService::fileGrew, &m_series, &SeriesStore::fileGrew);
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
    connect(&m_tables, &TableImport::made, m_owner, [this](const QString& experiment) {
        m_owner->openProject(experiment, Opening::Created);
    });
    connect(&m_tables, &TableImport::asked, m_owner, [this] {
        const LabelQuestion& question = m_tables.question();
        QStringList names;
        for (const LabelQuestion::Column& column : question.columns) {
            names << column.name;
        }
        Q_EMIT m_owner->labelWanted(question.table, names, question.guess);
    });
    m_lookAgain.setSingleShot(true);
    m_lookAtData.start(kLookAgainMs);
    connect(&m_lookAtData, &QTimer::timeout, m_owner, [this] { lookAtData(); });
    connect(&m_lookAgain, &QTimer::timeout, m_owner, [this] { checkExperiment(); });
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
}

/// The newest wish counts.
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
    m_facts = {};
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
    inBackground(
        m_pool, m_owner, [folder = m_folder] { return experimentsIn(folder); },
        [this, folder = m_folder](const QStringList& files) {
            if (folder == m_folder) {
                m_experiments = files;
            }
        });
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
    checkExperiment();
    if (!std::exchange(m_isShown, true)) {
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

/// Whether the data files are there is looked up here, everything else by `cannery check`.
void ProjectSession::Private::checkExperiment()
{
    if (!m_document.isOpen() || m_document.isSaving()) {
        return;
    }
    const QString file = m_document.file();
    const quint64 revision = m_document.revision();
    inBackground(
        m_pool, m_owner,
        [files = dataFilesOf(m_document), file] { return missingDataFiles(files, file); },
        [this, file, revision](const QList<ProblemRow>& missing) {
            if (file != m_document.file() || revision != m_document.revision()) {
                return;
            }
            if (!missing.isEmpty()) {
                // They may come back.
                m_document.setCheckedProblems(revision, missing);
                m_lookAgain.start(kLookAgainMs);
            } else {
                runCheck(file, revision);
            }
        });
}

/// A table that was deleted, came back or was mended is noticed while the window is in front.
void ProjectSession::Private::lookAtData()
{
    if (!m_document.isOpen() || m_document.isLoading() || m_isLooking ||
        QGuiApplication::applicationState() != Qt::ApplicationActive) {
        return;
    }
    m_isLooking = true;
    const QString file = m_document.file();
    inBackground(
        m_pool, m_owner,
        [files = dataFilesOf(m_document), file] {
            return std::pair(dataFilesState(files, file), files.size());
        },
        [this, file](const std::pair<QByteArray, qsizetype>& state) {
            m_isLooking = false;
            const QByteArray now = file.toUtf8() + '\n' + state.first;
            const QByteArray before = std::exchange(m_dataState, now);
            // Another experiment, or other names in it, are looked at anyway.
            if (before != now && before.count('\n') == now.count('\n') &&
                before.startsWith(file.toUtf8() + '\n') && file == m_document.file()) {
                checkExperiment();
                Q_EMIT m_owner->dataFilesChanged();
            }
            Q_EMIT m_owner->dataFilesLooked();
        });
}

void ProjectSession::Private::runCheck(const QString& file, quint64 revision)
{
    m_jobs.cancel(m_check);
    m_check = m_jobs.run(
        tr("Checking"), {{QStringLiteral("check"), file}, m_folder, {kJson}},
        [this, file, revision](const JobRunner::Outcome& outcome) {
            if (outcome.cancelled || file != m_document.file() || !outcome.json.isObject()) {
                return;
            }
            m_document.setCheckedProblems(revision, problemsFrom(outcome.json.object()));
            m_facts = outcome.json.object().value(QStringLiteral("facts")).toObject();
        },
        true);
}

void ProjectSession::Private::checkReadiness()
{
    const QString hindrance = m_owner->trainHindrance();
    const CommandLine command = m_owner->trainCommand();
    if (hindrance != m_hindrance || !(command == m_command)) {
        m_hindrance = hindrance;
        m_command = command;
        Q_EMIT m_owner->readinessChanged();
    }
}

/// A run that is alive and not in the snapshot yet was started a moment ago, most likely here.
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
