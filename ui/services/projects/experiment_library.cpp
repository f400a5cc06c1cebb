// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/experiment_library.h"

#include "storage/io/files.h"
#include "ui/document/background.h"
#include "ui/document/experiment_document.h"
#include "ui/document/experiment_reading.h"
#include "ui/document/experiment_renaming.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/services/projects/open_project.h"
#include "ui/services/projects/run_starter.h"
#include "ui/services/runs/run_catalog.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QThreadPool>

namespace cannery::ui {
namespace {

constexpr std::size_t kLongestExperiment = std::size_t{16} << 20U;

/// "titanic" of "titanic-2", so that copies are counted, not chained.
QString stemOf(const QString& file)
{
    static const QRegularExpression kNumber(QStringLiteral("-[0-9]{1,4}$"));
    const QString base = QFileInfo(file).completeBaseName();
    const QString stem = QString(base).remove(kNumber);
    return stem.isEmpty() ? base : stem;
}

/// Copies a run's frozen experiment to a new experiment of the project.
MadeExperiment copyFrozen(const QString& runFolder, const QString& project, const QString& baseName)
{
    const QString frozen = runFolder + QStringLiteral("/experiment.cannery");
    // Through storage, which follows no link out of the run's folder.
    const Result<std::string> read =
        storage::readWholeFile(QFile::encodeName(frozen).toStdString(), kLongestExperiment);
    if (!read) {
        return {{}, ExperimentLibrary::tr("The run's experiment %1 cannot be read.").arg(frozen)};
    }
    QByteArray text = QByteArray::fromStdString(*read);
    // The checksum in the first line belongs to the run's file, not to one that users edit.
    if (text.startsWith("# crc32c ")) {
        text.remove(0, text.indexOf('\n') + 1);
    }
    const QString copyName = ExperimentLibrary::tr("%1 (copy)").arg(readExperiment(text, {})->name);
    return makeExperiment(project, baseName, renamedExperiment(text, copyName));
}

} // namespace

ExperimentLibrary::ExperimentLibrary(OpenProject& project, ExperimentDocument& document,
                                     RunCatalog& runs, const RunStarter& starter, QThreadPool& pool,
                                     QObject* parent)
    : QObject(parent), m_project(project), m_document(document), m_runs(runs), m_starter(starter),
      m_pool(pool), m_folder(pool), m_origins(runs)
{
    connect(&m_project, &OpenProject::taken, this, [this](const ProjectTarget& target) {
        m_folder.setFolder(m_project.isEventFolder() ? QString() : target.folder);
    });
    connect(&m_document, &ExperimentDocument::moved, this, [this](const QString& from) {
        m_origins.noteMoved(from, m_document.file());
        m_folder.refresh();
    });
}

QStringList ExperimentLibrary::files() const
{
    QStringList files;
    for (const ExperimentEntry& entry : m_folder.entries()) {
        files << entry.file;
    }
    return files;
}

QString ExperimentLibrary::hindrance() const
{
    if (!m_document.isOpen()) {
        return tr("No experiment is open.");
    }
    if (m_document.isLoading()) {
        return tr("The experiment is being read.");
    }
    if (m_project.isReadOnly()) {
        return m_project.changeHindrance();
    }
    if (m_document.storage().standing() == Standing::BothChanged) {
        return tr("Another program changed %1, too: choose a version first.")
            .arg(QFileInfo(m_document.file()).fileName());
    }
    return m_document.storage().problem();
}

void ExperimentLibrary::switchTo(const QString& file)
{
    if (file != m_document.file()) {
        m_project.open(file, Opening::Switched);
    }
}

void ExperimentLibrary::newFromThis()
{
    if (const QString why = hindrance(); !why.isEmpty()) {
        Q_EMIT failed(why);
        return;
    }
    const QByteArray text = m_document.text().toUtf8();
    const QString name = m_folder.freshName(m_document.name());
    // Looked up now: another experiment may be open when the file is written.
    const QString origin = m_origins.originOf(m_document.file());
    inBackground(
        m_pool, this,
        [folder = m_project.folder(), base = stemOf(m_document.file()), text, name] {
            return makeExperiment(folder, base, renamedExperiment(text, name));
        },
        [this, origin](const MadeExperiment& made) { takeMade(made, origin, Opening::Switched); });
}

void ExperimentLibrary::duplicateRun(const QString& run)
{
    const RunRow* row = m_runs.snapshot()->find(run);
    if (row == nullptr || !m_project.isOpen()) {
        Q_EMIT failed(tr("There is no run %1.").arg(run));
        return;
    }
    if (m_project.isReadOnly()) {
        Q_EMIT failed(m_project.changeHindrance());
        return;
    }
    QString base = QFileInfo(row->experimentFile).completeBaseName();
    base = base.isEmpty() ? run : base;
    inBackground(
        m_pool, this,
        [folder = row->folder, project = m_project.folder(), base] {
            return copyFrozen(folder, project, base);
        },
        [this, run](const MadeExperiment& made) { takeMade(made, run, Opening::Duplicated); });
}

/// The origin is noted before the copy is opened, whose pages compare it with that run.
void ExperimentLibrary::takeMade(const MadeExperiment& made, const QString& origin, Opening why)
{
    if (made.file.isEmpty()) {
        Q_EMIT failed(made.error);
        return;
    }
    if (!origin.isEmpty()) {
        m_origins.note(made.file, origin);
    }
    m_project.open(made.file, why);
}

QString ExperimentLibrary::copiedFrom() const
{
    return m_origins.copiedFrom(m_document.file());
}

void ExperimentLibrary::rename(const QString& name, const QString& fileName,
                               const std::function<void(const QString& error)>& done)
{
    QString why = hindrance();
    why = why.isEmpty() ? fileNameProblem(fileName) : why;
    if (!why.isEmpty()) {
        done(why);
        return;
    }
    const QString file =
        QDir(m_project.folder()).absoluteFilePath(fileName + QStringLiteral(".cannery"));
    // A live run is found again by the path of its experiment.
    const QString live = m_starter.liveRun();
    if (!live.isEmpty() && file != m_document.file()) {
        done(tr("%1 is training this experiment; its file keeps its name until then.").arg(live));
        return;
    }
    renameExperiment(m_document, name, file, done);
}

/// The window must not write the file again after it is in the trash.
void ExperimentLibrary::trash()
{
    if (const QString why = hindrance(); !why.isEmpty()) {
        Q_EMIT failed(why);
        return;
    }
    const QString file = m_document.file();
    const QString name = m_document.name();
    m_document.close();
    m_document.storage().afterWriting([this, file, name] {
        inBackground(
            m_pool, this, [file, name] { return moveToTrash(file, name); },
            [this](const TrashedExperiment& experiment) { takeTrashed(experiment); });
    });
}

void ExperimentLibrary::takeTrashed(const TrashedExperiment& experiment)
{
    if (m_project.folder() != QFileInfo(experiment.file).absolutePath() || m_document.isOpen()) {
        return; // something else was opened meanwhile
    }
    if (!experiment.error.isEmpty()) {
        Q_EMIT failed(experiment.error);
    } else {
        Q_EMIT trashed(experiment);
    }
    m_project.openNext(experiment.file);
}

void ExperimentLibrary::restore(const TrashedExperiment& experiment)
{
    inBackground(
        m_pool, this, [experiment] { return restoreFromTrash(experiment); },
        [this, experiment](const QString& error) {
            if (error.isEmpty()) {
                m_project.open(experiment.file, Opening::Switched);
            } else {
                Q_EMIT failed(error);
            }
        });
}

void ExperimentLibrary::openWritten(const QString& file, const QString& text)
{
    inBackground(
        m_pool, this, [file, text] { return writeExperiment(file, text.toUtf8()); },
        [this, file](const QString& error) {
            if (error.isEmpty()) {
                m_project.open(file, Opening::Switched);
            } else {
                Q_EMIT failed(error);
            }
        });
}

void ExperimentLibrary::saveAs(const QString& file)
{
    if (m_document.storage().standing() != Standing::Gone) {
        return;
    }
    if (QFileInfo(file).absoluteFilePath() == m_document.file()) {
        m_document.storage().saveAgain();
        return;
    }
    inBackground(
        m_pool, this,
        [file, text = m_document.text()] { return writeExperiment(file, text.toUtf8()); },
        [this, file, from = m_document.file(),
         revision = m_document.revision()](const QString& error) {
            const bool isSame =
                m_document.file() == from && m_document.storage().standing() == Standing::Gone;
            if (!error.isEmpty()) {
                Q_EMIT failed(error);
            } else if (isSame && m_document.revision() != revision) {
                saveAs(file); // it was edited meanwhile
            } else {
                if (isSame) {
                    m_document.storage().discard(); // all of it is in the other file
                }
                m_project.open(file, Opening::Switched);
            }
        });
}

void ExperimentLibrary::discard()
{
    const QString file = m_document.file();
    if (m_document.storage().standing() != Standing::Gone) {
        return;
    }
    m_document.storage().discard();
    if (QDir(m_project.folder()).exists()) {
        m_project.openNext(file);
    } else {
        m_project.close(); // the folder is gone as well
    }
}

} // namespace cannery::ui
