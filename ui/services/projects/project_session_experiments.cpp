// SPDX-License-Identifier: GPL-3.0-only
// Several experiments in a project: switching, copying, renaming, deleting.

#include "ui/document/experiment_reading.h"
#include "ui/services/projects/project_session_private.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace cannery::ui {
namespace {

/// "titanic" of "titanic-2", so that copies are counted, not chained.
QString stemOf(const QString& file)
{
    static const QRegularExpression kNumber(QStringLiteral("-[0-9]{1,4}$"));
    const QString base = QFileInfo(file).completeBaseName();
    const QString stem = QString(base).remove(kNumber);
    return stem.isEmpty() ? base : stem;
}

} // namespace

ExperimentFolder& ProjectSession::experimentFolder()
{
    return m_private->m_experiments;
}

QStringList ProjectSession::experiments() const
{
    QStringList files;
    for (const ExperimentEntry& entry : m_private->m_experiments.entries()) {
        files << entry.file;
    }
    return files;
}

QString ProjectSession::experimentHindrance() const
{
    const ExperimentDocument& document = m_private->m_document;
    if (!document.isOpen()) {
        return tr("No experiment is open.");
    }
    if (document.isLoading()) {
        return tr("The experiment is being read.");
    }
    if (isReadOnly()) {
        return changeHindrance();
    }
    if (document.standing() == Standing::BothChanged) {
        return tr("Another program changed %1, too: choose a version first.")
            .arg(QFileInfo(document.file()).fileName());
    }
    return document.saveProblem();
}

void ProjectSession::switchExperiment(const QString& file)
{
    if (file != m_private->m_document.file()) {
        openProject(file, Opening::Switched);
    }
}

void ProjectSession::newFromThis()
{
    if (const QString hindrance = experimentHindrance(); !hindrance.isEmpty()) {
        Q_EMIT failed(hindrance, {});
        return;
    }
    const QByteArray text = m_private->m_document.text().toUtf8();
    const QString name = m_private->m_experiments.freshName(m_private->m_document.name());
    inBackground(
        m_private->m_pool, this,
        [folder = m_private->m_folder, base = stemOf(m_private->m_document.file()), text, name] {
            return makeExperiment(folder, base, renamedExperiment(text, name));
        },
        [this,
         origin = m_private->originOf(m_private->m_document.file())](const MadeExperiment& made) {
            if (made.file.isEmpty()) {
                Q_EMIT failed(made.error, {});
            } else {
                if (!origin.isEmpty()) {
                    m_private->noteOrigin(made.file, origin);
                }
                openProject(made.file, Opening::Switched);
            }
        });
}

void ProjectSession::renameExperiment(const QString& name, const QString& fileName,
                                      const std::function<void(const QString& error)>& done)
{
    QString hindrance = experimentHindrance();
    hindrance = hindrance.isEmpty() ? fileNameProblem(fileName) : hindrance;
    if (!hindrance.isEmpty()) {
        done(hindrance);
        return;
    }
    const QString file =
        QDir(m_private->m_folder).absoluteFilePath(fileName + QStringLiteral(".cannery"));
    const QString live = m_private->liveRunOfExperiment();
    if (!live.isEmpty() && file != m_private->m_document.file()) {
        done(tr("%1 is training this experiment; its file keeps its name until then.").arg(live));
        return;
    }
    m_private->m_document.rename(name, file, done);
}

/// The window must not write the file again after it is in the trash.
void ProjectSession::trashExperiment()
{
    if (const QString hindrance = experimentHindrance(); !hindrance.isEmpty()) {
        Q_EMIT failed(hindrance, {});
        return;
    }
    Private& d = *m_private;
    const QString file = d.m_document.file();
    const QString name = d.m_document.name();
    d.m_document.close();
    d.m_document.afterWriting([this, file, name] {
        inBackground(
            m_private->m_pool, this, [file, name] { return moveToTrash(file, name); },
            [this](const TrashedExperiment& experiment) { m_private->takeTrashed(experiment); });
    });
}

void ProjectSession::openWritten(const QString& file, const QString& text)
{
    inBackground(
        m_private->m_pool, this, [file, text] { return writeExperiment(file, text.toUtf8()); },
        [this, file](const QString& error) {
            if (error.isEmpty()) {
                openProject(file, Opening::Switched);
            } else {
                Q_EMIT failed(error, {});
            }
        });
}

void ProjectSession::saveExperimentAs(const QString& file)
{
    ExperimentDocument& document = m_private->m_document;
    if (document.standing() != Standing::Gone) {
        return;
    }
    if (QFileInfo(file).absoluteFilePath() == document.file()) {
        document.saveAgain();
        return;
    }
    inBackground(
        m_private->m_pool, this,
        [file, text = document.text()] { return writeExperiment(file, text.toUtf8()); },
        [this, &document, file, from = document.file(),
         revision = document.revision()](const QString& error) {
            const bool isSame = document.file() == from && document.standing() == Standing::Gone;
            if (!error.isEmpty()) {
                Q_EMIT failed(error, {});
            } else if (isSame && document.revision() != revision) {
                saveExperimentAs(file); // it was edited meanwhile
            } else {
                if (isSame) {
                    document.discard(); // all of it is in the other file
                }
                openProject(file, Opening::Switched);
            }
        });
}

void ProjectSession::discardExperiment()
{
    const QString file = m_private->m_document.file();
    if (m_private->m_document.standing() != Standing::Gone) {
        return;
    }
    m_private->m_document.discard();
    if (QDir(m_private->m_folder).exists()) {
        m_private->openNext(file);
    } else {
        closeProject();
    }
}

void ProjectSession::restoreExperiment(const TrashedExperiment& experiment)
{
    inBackground(
        m_private->m_pool, this, [experiment] { return restoreFromTrash(experiment); },
        [this, experiment](const QString& error) {
            if (error.isEmpty()) {
                openProject(experiment.file, Opening::Switched);
            } else {
                Q_EMIT failed(error, {});
            }
        });
}

void ProjectSession::Private::takeTrashed(const TrashedExperiment& experiment)
{
    if (m_folder != QFileInfo(experiment.file).absolutePath() || m_document.isOpen()) {
        return; // something else was opened meanwhile
    }
    if (!experiment.error.isEmpty()) {
        Q_EMIT m_owner->failed(experiment.error, {});
    } else {
        Q_EMIT m_owner->experimentTrashed(experiment);
    }
    openNext(experiment.file);
}

void ProjectSession::Private::openNext(const QString& wanted)
{
    find(m_folder, Opening::Switched, [folder = m_folder, file = wanted] {
        const QString next =
            QFileInfo::exists(file) ? file : experimentsIn(folder).value(0, QString());
        return findExperiment(folder, next);
    });
}

void ProjectSession::Private::takeMoved(const QString& from)
{
    const QString file = m_document.file();
    m_runs.moveInQueue(from, file);
    if (const QString origin = originOf(from); !origin.isEmpty()) {
        noteOrigin(from, {});
        noteOrigin(file, origin); // runs keep the former name
    }
    if (const ClusterTasks tasks = clusterOf(from); !tasks.isEmpty()) {
        noteCluster(from, {});
        noteCluster(file, tasks);
    }
    m_window.noteOpening(m_folder, file, m_isEvents);
    m_window.noteOpened();
    m_settings.setValue(kLastProject, file);
    m_recents.noteOpened(m_folder, file, m_owner->projectName());
    m_experiments.refresh();
    checkReadiness();
}

} // namespace cannery::ui
