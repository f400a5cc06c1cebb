// SPDX-License-Identifier: GPL-3.0-only
// Training in a session: the commands, why training cannot start, and starting from runs.

#include "storage/io/files.h"
#include "ui/document/experiment_reading.h"
#include "ui/models/markup.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/services/projects/project_session_private.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <memory>

namespace cannery::ui {
namespace {

constexpr std::size_t kLongestExperiment = std::size_t{16} << 20U;

/// The view state that has the origins of copies: a run by the file's name.
const QString kOrigins = QStringLiteral("copied_from");

QJsonObject originsOf(const RunCatalog& runs)
{
    return QJsonDocument::fromJson(runs.viewState(kOrigins)).object();
}

/// Copies a run's frozen experiment to a new experiment of the project.
MadeExperiment copyFrozen(const QString& runFolder, const QString& project, const QString& baseName)
{
    const QString frozen = runFolder + QStringLiteral("/experiment.cannery");
    // Through storage, which follows no link out of the run's folder.
    const Result<std::string> read =
        storage::readWholeFile(QFile::encodeName(frozen).toStdString(), kLongestExperiment);
    if (!read) {
        return {{}, ProjectSession::tr("The run's experiment %1 cannot be read.").arg(frozen)};
    }
    QByteArray text = QByteArray::fromStdString(*read);
    // The checksum in the first line belongs to the run's file, not to one that users edit.
    if (text.startsWith("# crc32c ")) {
        text.remove(0, text.indexOf('\n') + 1);
    }
    const QString copyName = ProjectSession::tr("%1 (copy)").arg(readExperiment(text, {})->name);
    return makeExperiment(project, baseName, renamedExperiment(text, copyName));
}

} // namespace

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
    return newRunCommand({});
}

/// `settings`: "--set PATH=VALUE" …
CommandLine ProjectSession::newRunCommand(const QStringList& settings) const
{
    if (!m_private->m_document.isOpen()) {
        return {};
    }
    const QStringList words = QStringList{m_private->m_document.file()} + settings;
    return trainsCluster() ? launchCommand(cluster(), words)
                           : trainingCommand(QStringList{QStringLiteral("train")} + words);
}

CommandLine ProjectSession::resumeCommand(const QString& run, qint64 maxSteps) const
{
    if (const RunRow* row = m_private->m_runs.snapshot()->find(run)) {
        if (const CommandLine again = relaunchCommand(*row, maxSteps); !again.isEmpty()) {
            return again;
        }
    }
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
    return newRunCommand({QStringLiteral("--set"),
                          QStringLiteral("warm_start.ckpt_to_initialize_from=") + checkpoint});
}

QString ProjectSession::trainHindrance() const
{
    const Private& d = *m_private;
    if (isOpening()) {
        return tr("Another project is being opened.");
    }
    if (d.m_isEvents) {
        return tr("These curves are from another program; open a project on the %1 to train.")
            .arg(d.linkTo(QStringLiteral("home")));
    }
    if (!d.m_document.isOpen()) {
        return tr("Open a project, a table or a sample on the %1.")
            .arg(d.linkTo(QStringLiteral("home")));
    }
    if (d.m_document.isLoading()) {
        return tr("The experiment is being read.");
    }
    if (isReadOnly()) {
        return tr("%1 Open that on the %2.")
            .arg(changeHindrance().toHtmlEscaped(), d.linkTo(QStringLiteral("home")));
    }
    const QString fileName = QFileInfo(d.m_document.file()).fileName().toHtmlEscaped();
    if (d.m_document.standing() == Standing::BothChanged) {
        return tr("Another program changed %1, too: choose a version above the page.")
            .arg(fileName);
    }
    if (d.m_document.standing() == Standing::Gone) {
        return tr("%1 was deleted or moved by another program: save it again.").arg(fileName);
    }
    if (!d.m_document.saveProblem().isEmpty()) {
        return tr("The experiment is not saved: %1")
            .arg(d.m_document.saveProblem().toHtmlEscaped());
    }
    if (const QString error = d.firstError(); !error.isEmpty()) {
        return error;
    }
    if (const QString elsewhere = d.clusterHindrance(); !elsewhere.isEmpty()) {
        return elsewhere;
    }
    if (d.m_tables.trying() == d.m_document.file()) {
        return tr("Models are being tried for this table: wait, or skip that above the page.");
    }
    if (d.m_engines.isStarting()) {
        return tr("A run is starting.");
    }
    const QString live = d.liveRunOfExperiment();
    return live.isEmpty() ? QString()
                          : tr("This experiment is training: stop %1 on the %2, or put "
                               "another run in the queue.")
                                .arg(live.toHtmlEscaped(), d.linkTo(QStringLiteral("train")));
}

/// An edit made a moment ago may be on its way to the file.
void ProjectSession::trainOnceSettled()
{
    ExperimentDocument& document = m_private->m_document;
    auto* wait = new QObject(this);
    const auto look = [this, wait, &document, isDone = std::make_shared<bool>(false)] {
        if (!*isDone && document.isSettled()) {
            *isDone = true;
            wait->deleteLater();
            train();
        }
    };
    connect(&document, &ExperimentDocument::saved, wait, look, Qt::QueuedConnection);
    connect(&document, &ExperimentDocument::changed, wait, look, Qt::QueuedConnection);
    connect(&document, &ExperimentDocument::failed, wait, &QObject::deleteLater);
}

void ProjectSession::train()
{
    if (m_private->m_document.isOpen() && !m_private->m_document.isSettled() &&
        m_private->m_document.saveProblem().isEmpty()) {
        trainOnceSettled();
        return;
    }
    const QString hindrance = trainHindrance();
    if (hindrance.isEmpty()) {
        start(trainCommand());
    } else {
        Q_EMIT failed(plainOf(hindrance), {});
    }
}

void ProjectSession::start(const CommandLine& training)
{
    if (isReadOnly()) {
        Q_EMIT failed(changeHindrance(), {});
    } else if (!training.isEmpty()) {
        m_private->m_engines.start(training);
    }
}

void ProjectSession::resumeRun(const QString& run)
{
    start(resumeCommand(run));
}

void ProjectSession::duplicateRun(const QString& run)
{
    const RunRow* row = m_private->m_runs.snapshot()->find(run);
    if (row == nullptr || m_private->m_folder.isEmpty()) {
        Q_EMIT failed(tr("There is no run %1.").arg(run), {});
        return;
    }
    if (isReadOnly()) {
        Q_EMIT failed(changeHindrance(), {});
        return;
    }
    QString base = QFileInfo(row->experimentFile).completeBaseName();
    base = base.isEmpty() ? run : base;
    inBackground(
        m_private->m_pool, this,
        [folder = row->folder, project = m_private->m_folder, base] {
            return copyFrozen(folder, project, base);
        },
        [this, run](const MadeExperiment& made) {
            if (made.file.isEmpty()) {
                Q_EMIT failed(made.error, {});
                return;
            }
            m_private->noteOrigin(made.file, run);
            openProject(made.file, Opening::Duplicated);
        });
}

QString ProjectSession::copiedFrom() const
{
    return originsOf(m_private->m_runs)
        .value(QFileInfo(m_private->m_document.file()).fileName())
        .toString();
}

/// The run that a copy of the experiment goes on from: its own newest one, otherwise the one that
/// it was copied from itself.
QString ProjectSession::Private::originOf(const QString& experiment) const
{
    const ProjectSnapshotPtr runs = m_runs.snapshot();
    const auto own = std::find_if(runs->runs.begin(), runs->runs.end(), [&](const RunRow& run) {
        return !run.trashed && !run.isForeign && run.experimentFile == experiment;
    });
    return own != runs->runs.end()
               ? own->name
               : originsOf(m_runs).value(QFileInfo(experiment).fileName()).toString();
}

void ProjectSession::Private::noteOrigin(const QString& experiment, const QString& run)
{
    QJsonObject origins = originsOf(m_runs);
    if (run.isEmpty()) {
        origins.remove(QFileInfo(experiment).fileName());
    } else {
        origins.insert(QFileInfo(experiment).fileName(), run);
    }
    m_runs.setViewState(kOrigins, QJsonDocument(origins).toJson());
}

} // namespace cannery::ui
