// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/projects/experiment_folder.h"
#include "ui/services/projects/experiment_origins.h"
#include "ui/services/projects/opening.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>

class QThreadPool;

namespace cannery::ui {

class ExperimentDocument;
class OpenProject;
class RunStarter;

/// The experiments of the open project: switching, copying, renaming, deleting. What fails is
/// reported by failed(). GUI thread.
class ExperimentLibrary : public QObject
{
    Q_OBJECT

public:
    /// All outlive it. `pool`: for disk access; it must finish before this is destroyed.
    ExperimentLibrary(OpenProject& project, ExperimentDocument& document, RunCatalog& runs,
                      const RunStarter& starter, QThreadPool& pool, QObject* parent = nullptr);

    /// The experiment files in the project's folder, absolute, the last changed one first.
    QStringList files() const;
    ExperimentFolder& folder() { return m_folder; }
    /// Why the open experiment cannot be copied, renamed or deleted, a sentence; empty if it can.
    QString hindrance() const;
    /// Opens another experiment of the project.
    void switchTo(const QString& file);
    /// Copies the experiment as it is shown to a new one ("Titanic 2") and opens that.
    void newFromThis();
    /// Copies a run's frozen experiment to a new experiment file in the project and opens it.
    void duplicateRun(const QString& run);
    /// The run that the open experiment was copied from; empty if there is none or it is unknown.
    QString copiedFrom() const;
    /// The experiment's name, which may be empty, and its file's, without ".cannery", as one
    /// undo step. Runs keep theirs. `done` gets why it could not be done, or an empty sentence.
    void rename(const QString& name, const QString& fileName,
                const std::function<void(const QString& error)>& done);
    /// Moves the experiment to the desktop's trash and opens the project's next one; its runs stay.
    /// trashed() or failed() follows.
    void trash();
    /// Takes it out of the trash and opens it.
    void restore(const TrashedExperiment& experiment);
    /// Writes a text to an experiment file, which is replaced, and opens that.
    void openWritten(const QString& file, const QString& text);
    /// Writes the open experiment, whose file is gone, to another file and opens that.
    void saveAs(const QString& file);
    /// Gives up the open experiment, whose file is gone, and opens the project's next one.
    void discard();

Q_SIGNALS:
    void trashed(const TrashedExperiment& experiment);
    void failed(const QString& sentence);

private:
    void takeMade(const MadeExperiment& made, const QString& origin, Opening why);
    void takeTrashed(const TrashedExperiment& experiment);

    OpenProject& m_project;
    ExperimentDocument& m_document;
    RunCatalog& m_runs;
    const RunStarter& m_starter;
    QThreadPool& m_pool;
    ExperimentFolder m_folder;
    ExperimentOrigins m_origins;
};

} // namespace cannery::ui
