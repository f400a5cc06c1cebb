#include "ui/services/project_session.h"

#include "ui/document/background.h"
#include "ui/document/experiment_document.h"
#include "ui/document/experiment_reading.h"
#include "ui/services/data_files_check.h"
#include "ui/services/engine_service.h"
#include "ui/services/job_runner.h"
#include "ui/services/project_target.h"
#include "ui/services/recent_projects.h"
#include "ui/services/run_catalog.h"
#include "ui/services/run_watch_list.h"
#include "ui/services/sample_library.h"
#include "ui/services/series_store.h"
#include "ui/services/settings.h"
#include "ui/services/single_instance.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QSaveFile>
#include <QTimer>

#include <algorithm>
#include <functional>

namespace cannery::ui {
namespace {

const auto kLastProject = QStringLiteral("session/last");
const auto kJson = QStringLiteral("--json");
constexpr int kLookAgainMs = 2000;

/// What making an experiment file for somebody gave.
struct MadeFile
{
    QString file;
    QString error;
};

/// Where a project made from a table goes: beside it when that folder is a project already.
MadeFile placeForTable(const QString& table, const QString& projects)
{
    const QFileInfo info(table);
    const QString name = info.completeBaseName();
    if (!experimentsIn(info.absolutePath()).isEmpty()) {
        return {freshExperimentFile(info.absolutePath(), name), {}};
    }
    QString folder = projects + u'/' + name;
    for (int i = 2; QFileInfo::exists(folder); ++i) {
        folder = QStringLiteral("%1/%2-%3").arg(projects, name).arg(i);
    }
    if (!QDir().mkpath(folder)) {
        return {{},
                ProjectSession::tr("No folder can be made in %1; choose another folder for "
                                   "projects in the settings.")
                    .arg(projects)};
    }
    return {folder + u'/' + name + QStringLiteral(".cannery"), {}};
}

/// A run's frozen experiment as a new experiment of the project.
MadeFile copyFrozen(const QString& runFolder, const QString& project, const QString& baseName)
{
    QFile frozen(runFolder + QStringLiteral("/experiment.cannery"));
    if (!frozen.open(QIODevice::ReadOnly)) {
        return {
            {},
            ProjectSession::tr("The run's experiment %1 cannot be read.").arg(frozen.fileName())};
    }
    QByteArray text = frozen.readAll();
    // The checksum in the first line belongs to the run's file, not to one that people edit.
    if (text.startsWith("# crc32c ")) {
        text.remove(0, text.indexOf('\n') + 1);
    }
    const MadeFile made{freshExperimentFile(project, baseName), {}};
    const QString copyName = ProjectSession::tr("%1 (copy)").arg(readExperiment(text, {})->name);
    QSaveFile file(made.file);
    if (!file.open(QIODevice::WriteOnly) || file.write(renamedExperiment(text, copyName)) < 0 ||
        !file.commit()) {
        return {{}, ProjectSession::tr("%1 cannot be written.").arg(made.file)};
    }
    return made;
}

LabelQuestion questionFrom(const QString& table, const QJsonObject& json)
{
    LabelQuestion question;
    question.table = table;
    const QJsonArray columns = json.value(QStringLiteral("columns")).toArray();
    for (const QJsonValue& column : columns) {
        question.columns << LabelQuestion::Column{column[QStringLiteral("name")].toString(),
                                                  column[QStringLiteral("type")].toString(),
                                                  column[QStringLiteral("reason")].toString()};
    }
    const QJsonObject label = json.value(QStringLiteral("label")).toObject();
    question.rows = json.value(QStringLiteral("rows")).toInteger();
    question.guess = label.value(QStringLiteral("guess")).toString();
    question.confidence = label.value(QStringLiteral("confidence")).toDouble();
    question.reason = label.value(QStringLiteral("reason")).toString();
    return question;
}

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

class ProjectSession::Private
{
public:
    Private(ProjectSession* owner, const QString& settingsFile)
        : m_owner(owner), m_settings(settingsFile), m_recents(m_settings), m_watchList(m_series)
    {
        m_pool.setMaxThreadCount(1);
    }

    void connectServices();
    void applySettings(const QString& key);
    void setOpening(int change);
    void find(const QString& path, std::function<ProjectTarget()> look);
    void open(const ProjectTarget& target, const QString& path);
    void show(const ProjectTarget& target);
    void opened();
    void takeSnapshot();
    void checkExperiment();
    void runCheck(const QString& file, quint64 revision);
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
    int m_opening = 0;
    quint64 m_request = 0; ///< of what shall be open
    QStringList m_experiments;
    LabelQuestion m_question;
    QJsonObject m_facts;
    int m_check = 0;
    QTimer m_lookAgain;
    QString m_hindrance;
    CommandLine m_command;
    QThreadPool m_pool;
};

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
    m_lookAgain.setSingleShot(true);
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
void ProjectSession::Private::find(const QString& path, std::function<ProjectTarget()> look)
{
    setOpening(1);
    inBackground(m_pool, m_owner, std::move(look),
                 [this, path, request = ++m_request](const ProjectTarget& target) {
                     if (request == m_request) {
                         open(target, path);
                     } else {
                         setOpening(-1);
                     }
                 });
}

void ProjectSession::Private::open(const ProjectTarget& target, const QString& path)
{
    if (target.kind == ProjectTarget::Kind::Nothing) {
        setOpening(-1);
        Q_EMIT m_owner->failed(target.error, {});
        return;
    }
    m_instance.claim(target.identity.isEmpty() ? target.folder : target.identity, path,
                     [this, target, path, request = m_request](bool isOurs) {
                         setOpening(-1);
                         if (request != m_request) {
                             return;
                         }
                         if (isOurs) {
                             show(target);
                         } else {
                             Q_EMIT m_owner->openedElsewhere(path);
                         }
                     });
}

void ProjectSession::Private::show(const ProjectTarget& target)
{
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

ProjectSession::ProjectSession(QObject* parent, const QString& settingsFile)
    : QObject(parent), m_private(std::make_unique<Private>(this, settingsFile))
{
    m_private->connectServices();
}

ProjectSession::~ProjectSession()
{
    m_private->m_pool.waitForDone();
    // Services that die say things; nobody is left to hear them.
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

bool ProjectSession::openProject(const QString& path)
{
    if (path.isEmpty()) {
        return false;
    }
    m_private->find(path, [path] { return findTarget(path); });
    return true;
}

void ProjectSession::openEventFolder(const QString& folder)
{
    m_private->find(folder, [folder] { return eventFolderTarget(folder); });
}

void ProjectSession::closeProject()
{
    ++m_private->m_request;
    m_private->m_folder.clear();
    m_private->m_isEvents = false;
    m_private->m_isShown = false;
    m_private->m_facts = {};
    m_private->m_experiments.clear();
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

QStringList ProjectSession::experiments() const
{
    return m_private->m_experiments;
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
                                      openProject(file);
                                  }
                              });
}

void ProjectSession::newFromTable(const QString& table, const QString& label)
{
    const QString path = QFileInfo(table).absoluteFilePath();
    if (label.isEmpty()) {
        const CommandLine command{
            {QStringLiteral("new"), path, QStringLiteral("--dry-run")}, {}, {kJson}};
        m_private->m_jobs.run(tr("Reading %1").arg(QFileInfo(path).fileName()), command,
                              [this, path](const JobRunner::Outcome& outcome) {
                                  if (outcome.cancelled) {
                                      return;
                                  }
                                  if (!outcome.ok) {
                                      Q_EMIT failed(outcome.sentence, outcome.error);
                                      return;
                                  }
                                  m_private->m_question = questionFrom(path, outcome.json.object());
                                  QStringList names;
                                  for (const LabelQuestion::Column& column :
                                       m_private->m_question.columns) {
                                      names << column.name;
                                  }
                                  Q_EMIT labelWanted(path, names, m_private->m_question.guess);
                              });
        return;
    }
    m_private->setOpening(1);
    inBackground(
        m_private->m_pool, this,
        [path, projects = m_private->m_settings.projectsFolder()] {
            return placeForTable(path, projects);
        },
        [this, path, label](const MadeFile& place) {
            m_private->setOpening(-1);
            if (place.file.isEmpty()) {
                Q_EMIT failed(place.error, {});
                return;
            }
            makeProject(path, label, place.file);
        });
}

void ProjectSession::makeProject(const QString& table, const QString& label, const QString& output)
{
    const CommandLine command{{QStringLiteral("new"), table, QStringLiteral("--label"), label,
                               QStringLiteral("--output"), output},
                              {},
                              {kJson}};
    m_private->setOpening(1);
    m_private->m_jobs.run(tr("Making a project of %1").arg(QFileInfo(table).fileName()), command,
                          [this, output](const JobRunner::Outcome& outcome) {
                              m_private->setOpening(-1);
                              if (outcome.ok) {
                                  openProject(output);
                                  return;
                              }
                              // The folder was made for it; one that holds anything stays.
                              m_private->m_pool.start(
                                  [output] { QDir().rmdir(QFileInfo(output).absolutePath()); });
                              if (!outcome.cancelled) {
                                  Q_EMIT failed(outcome.sentence, outcome.error);
                              }
                          });
}

const LabelQuestion& ProjectSession::labelQuestion() const
{
    return m_private->m_question;
}

CommandLine ProjectSession::trainingCommand(const QStringList& words) const
{
    CommandLine command;
    command.folder = m_private->m_folder;
    command.arguments = words;
    if (m_private->m_settings.threads() > 0) {
        command.arguments << QStringLiteral("--threads")
                          << QString::number(m_private->m_settings.threads());
    }
    command.arguments << QStringLiteral("--detach");
    command.arguments += m_private->m_engines.supervisorArguments();
    return command;
}

CommandLine ProjectSession::trainCommand() const
{
    return m_private->m_document.isOpen()
               ? trainingCommand({QStringLiteral("train"), m_private->m_document.file()})
               : CommandLine();
}

CommandLine ProjectSession::resumeCommand(const QString& run, qint64 maxSteps) const
{
    QStringList words{QStringLiteral("resume"), run, QStringLiteral("--project"),
                      m_private->m_folder};
    if (maxSteps > 0) {
        words << QStringLiteral("--max-steps") << QString::number(maxSteps);
    }
    return trainingCommand(words);
}

CommandLine ProjectSession::warmStartCommand(const QString& run, qint64 step) const
{
    if (!m_private->m_document.isOpen()) {
        return {};
    }
    const RunRow* row = m_private->m_runs.snapshot()->find(run);
    const QString folder =
        row == nullptr ? m_private->m_folder + QStringLiteral("/runs/") + run : row->folder;
    const QString checkpoint =
        QDir(m_private->m_folder)
            .relativeFilePath(step < 0 ? folder
                                       : QStringLiteral("%1/model.ckpt-%2").arg(folder).arg(step));
    return trainingCommand({QStringLiteral("train"), m_private->m_document.file(),
                            QStringLiteral("--set"),
                            QStringLiteral("warm_start.ckpt_to_initialize_from=") + checkpoint});
}

QString ProjectSession::trainHindrance() const
{
    const Private& d = *m_private;
    if (d.m_isEvents) {
        return tr("These curves are of another program; open a project on the %1 to train.")
            .arg(d.linkTo(QStringLiteral("home")));
    }
    if (!d.m_document.isOpen()) {
        return tr("Open a project, a table or a sample on the %1.")
            .arg(d.linkTo(QStringLiteral("home")));
    }
    if (d.m_document.isLoading()) {
        return tr("The experiment is being read.");
    }
    if (const QString error = d.firstError(); !error.isEmpty()) {
        return error;
    }
    if (d.m_engines.isStarting()) {
        return tr("A run is being started.");
    }
    const QString live = d.liveRunOfExperiment();
    return live.isEmpty() ? QString()
                          : tr("This experiment is being trained: stop %1 on the %2, or put "
                               "another run in the queue.")
                                .arg(live.toHtmlEscaped(), d.linkTo(QStringLiteral("train")));
}

void ProjectSession::train()
{
    const QString hindrance = trainHindrance();
    if (hindrance.isEmpty()) {
        start(trainCommand());
    } else {
        Q_EMIT failed(hindrance, {});
    }
}

void ProjectSession::start(const CommandLine& training)
{
    if (!training.isEmpty()) {
        m_private->m_engines.start(training);
    }
}

void ProjectSession::duplicateRun(const QString& run)
{
    const RunRow* row = m_private->m_runs.snapshot()->find(run);
    if (row == nullptr || m_private->m_folder.isEmpty()) {
        Q_EMIT failed(tr("There is no run %1.").arg(run), {});
        return;
    }
    QString base = QFileInfo(row->experimentFile).completeBaseName();
    base = base.isEmpty() ? run : base;
    inBackground(
        m_private->m_pool, this,
        [folder = row->folder, project = m_private->m_folder, base] {
            return copyFrozen(folder, project, base);
        },
        [this](const MadeFile& made) {
            if (made.file.isEmpty()) {
                Q_EMIT failed(made.error, {});
            } else {
                openProject(made.file);
            }
        });
}

QJsonObject ProjectSession::facts() const
{
    return m_private->m_facts;
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
        if (m_private->m_window.lost().isEmpty() && !last.isEmpty() && !hasProject() &&
            !isOpening()) {
            openProject(last);
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
