// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"
#include "ui/models/runs/cluster_tasks.h"
#include "ui/services/projects/experiment_folder.h"
#include "ui/services/projects/opening.h"
#include "ui/services/projects/window_session.h"
#include "ui/services/table_import.h"

#include <QJsonObject>
#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>

#include <functional>
#include <memory>

namespace cannery::ui {

class EngineService;
class ExperimentDocument;
class JobRunner;
class RecentProjects;
class RunCatalog;
struct RunRow;
class SampleLibrary;
class SeriesStore;
class Settings;

/// The window's project (or folder of foreign event files) and the services for it. Owns the
/// services; outlives every page. Opening is asynchronous: projectChanged() follows when the
/// project is open, or failed(). GUI thread.
class ProjectSession : public QObject
{
    Q_OBJECT

public:
    /// `settingsFile`: an ini file; empty: the user's own.
    explicit ProjectSession(QObject* parent = nullptr, const QString& settingsFile = {});
    ~ProjectSession() override;

    ExperimentDocument& document();
    RunCatalog& runs();
    SeriesStore& series();
    EngineService& engines();
    JobRunner& jobs();
    Settings& settings();
    RecentProjects& recents();
    SampleLibrary& samples();

    /// The `cannery` program for engines and jobs.
    void setProgram(const QString& path);

    /// Starts opening an experiment file, a folder of experiments (the last changed one), or a
    /// folder of event files. False if the path is empty. If another window has the project, that
    /// window comes to the front and openedElsewhere() is emitted here.
    bool openProject(const QString& path, Opening why = Opening::Chosen);
    /// Opens event files of other programs, read-only.
    void openEventFolder(const QString& folder);
    void closeProject();
    bool hasProject() const;
    bool isEventFolder() const;
    /// The project's folder cannot be written: everything is shown, nothing can be trained or
    /// changed.
    bool isReadOnly() const;
    /// Why nothing can be changed or trained in a read-only project, a sentence; otherwise empty.
    QString changeHindrance() const;
    bool isOpening() const;
    QString projectFolder() const;
    QString projectName() const;
    /// The experiment files in the project's folder, absolute, the last changed one first.
    QStringList experiments() const;
    ExperimentFolder& experimentFolder();
    /// Why the open experiment cannot be copied, renamed or deleted, a sentence; empty if it can.
    QString experimentHindrance() const;
    /// Opens another experiment of the project.
    void switchExperiment(const QString& file);
    /// Copies the experiment as it is shown to a new one ("Titanic 2") and opens that.
    void newFromThis();
    /// The experiment's name (empty: none) and its file's, without ".cannery", as one undo step.
    /// Runs keep theirs. `done` gets why it could not be done, or an empty sentence.
    void renameExperiment(const QString& name, const QString& fileName,
                          const std::function<void(const QString& error)>& done);
    /// Moves the experiment to the desktop's trash and opens the project's next one; its runs stay.
    /// experimentTrashed() or failed() follows.
    void trashExperiment();
    /// Writes a text to an experiment file, which is replaced, and opens that; failed() otherwise.
    void openWritten(const QString& file, const QString& text);
    /// Writes the open experiment, whose file is gone, to another file and opens that.
    void saveExperimentAs(const QString& file);
    /// Gives up the open experiment, whose file is gone, and opens the project's next one.
    void discardExperiment();
    /// Takes it out of the trash and opens it.
    void restoreExperiment(const TrashedExperiment& experiment);

    /// Copies a sample ("titanic") to the user's projects and opens it.
    void openSample(const QString& sample);
    /// Creates a project from a table with `cannery new`, then opens it. An empty label first asks
    /// for the guess of `cannery new` (labelWanted). A table that cannot be read becomes
    /// tables().trouble().
    void newFromTable(const QString& table, const QString& label = {},
                      const TableReading& reading = {});
    /// Valid since labelWanted().
    const LabelQuestion& labelQuestion() const;
    TableImport& tables();
    /// A project is being made (+1), or no longer (-1), that will be opened: what is open is not
    /// trained meanwhile.
    void noteMaking(int change);

    /// The tasks of the cluster that the open experiment trains on; none if its strategy is for one
    /// process. Kept with the project, not in the experiment.
    ClusterTasks cluster() const;
    void setCluster(const ClusterTasks& tasks);
    /// Whether Train starts several processes on this machine.
    bool trainsCluster() const;

    /// The command that Train would run now; empty if nothing is open.
    CommandLine trainCommand() const;
    /// Why training cannot start, a sentence with a link "page:data"; empty if it can.
    QString trainHindrance() const;
    /// Trains what is shown: an edit on its way to the file arrives there first.
    void train();
    /// Continues a run from its last checkpoint, to `maxSteps` if positive; a cluster's run with
    /// the tasks that its experiment has now.
    CommandLine resumeCommand(const QString& run, qint64 maxSteps = 0) const;
    /// A new run of the open experiment that starts from a checkpoint of another run; the newest
    /// one if `step` is negative.
    CommandLine warmStartCommand(const QString& run, qint64 step = -1) const;
    /// Runs a command that trains (one of the three above) under a supervisor.
    void start(const CommandLine& training);
    /// Continues a run from its last checkpoint.
    void resumeRun(const QString& run);
    /// Copies a run's frozen experiment to a new experiment file in the project and opens it.
    void duplicateRun(const QString& run);
    /// The run that the open experiment was copied from; empty: none, or unknown.
    QString copiedFrom() const;

    /// Opens a file or a folder with the desktop's program for it; emits failed() if there is none.
    void showOutside(const QString& path);

    /// Facts of `cannery check` about the data of the open experiment; empty until known.
    QJsonObject facts() const;

    /// The runs whose curves `who` ("runs", "train") shows: their points are kept loaded while
    /// anyone names them. Those of live runs always are.
    void setWatchedRuns(const QString& who, const QSet<QString>& runs);

    /// Opens what was open when the program last ended. After a crash nothing is opened
    /// automatically: recoveryFound() reports what the crashed window had open. Emits
    /// nothingRestored() if nothing opens.
    void restoreLast();
    /// Only looks for crashed windows, for a start with something to open.
    void findLostWindows();
    const QList<LostWindow>& lostWindows() const;
    void openLost(const QString& project);
    void forgetLost(const QString& project);

Q_SIGNALS:
    void projectChanged();
    /// After projectChanged(), if a project was opened rather than closed.
    void projectOpened(Opening why);
    /// restoreLast() has opened nothing: the project is gone, open elsewhere, or its window
    /// crashed.
    void nothingRestored();
    void experimentTrashed(const TrashedExperiment& experiment);
    /// isOpening() has changed.
    void openingChanged();
    void readinessChanged();
    /// cluster() has changed, other than by another strategy.
    void clusterChanged();
    /// The user should choose or confirm the label of a table; details in labelQuestion().
    void labelWanted(const QString& table, const QStringList& columns, const QString& guess);
    void failed(const QString& sentence, const QString& details);
    /// Data files of the experiment have appeared, disappeared or changed.
    void dataFilesChanged();
    /// The data files were checked, whatever the result.
    void dataFilesLooked();
    void runStarted(const QString& run);
    /// lostWindows() has changed.
    void recoveryFound();
    /// Another window has this project and was brought to the front.
    void openedElsewhere(const QString& path);
    /// This window should come to the front and show the path.
    void raiseRequested(const QString& path);

private:
    CommandLine trainingCommand(const QStringList& words) const;
    CommandLine newRunCommand(const QStringList& settings) const;
    CommandLine launchCommand(const ClusterTasks& tasks, const QStringList& words) const;
    CommandLine relaunchCommand(const RunRow& run, qint64 maxSteps) const;
    void trainOnceSettled();

    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
