// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"
#include "ui/services/opening.h"
#include "ui/services/table_import.h"
#include "ui/services/window_session.h"

#include <QJsonObject>
#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>

#include <memory>

namespace cannery::ui {

class EngineService;
class ExperimentDocument;
class JobRunner;
class RecentProjects;
class RunCatalog;
class SampleLibrary;
class SeriesStore;
class Settings;

/// What the window is about: one project (or one folder of foreign event files) and everything that
/// works for it. Owns the services; outlives every page. Opening is asynchronous: projectChanged()
/// follows when the project is there, or failed(). GUI thread.
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

    /// The `cannery` program of engines and jobs.
    void setProgram(const QString& path);

    /// Begins to open an experiment file, the folder of some (the one changed last), or a folder of
    /// event files. False when the path is empty. When another window has the project, that one
    /// comes to the front and openedElsewhere() is emitted here.
    bool openProject(const QString& path, Opening why = Opening::Chosen);
    /// Browses event files of other programs, read-only.
    void openEventFolder(const QString& folder);
    void closeProject();
    bool hasProject() const;
    bool isEventFolder() const;
    /// The project's folder cannot be written: everything is shown, nothing is trained or changed.
    bool isReadOnly() const;
    /// Why nothing can be changed or trained in a read-only project, a sentence; else empty.
    QString changeHindrance() const;
    bool isOpening() const;
    QString projectFolder() const;
    QString projectName() const;
    /// Experiment files of the project's folder, absolute, the one changed last first.
    QStringList experiments() const;

    /// Copies a shipped sample ("titanic") to the user's projects and opens it.
    void openSample(const QString& sample);
    /// Makes a project from a table with `cannery new`, then opens it. An empty label asks for the
    /// guess of `cannery new` first (labelWanted). What cannot be read becomes tables().trouble().
    void newFromTable(const QString& table, const QString& label = {},
                      const TableReading& reading = {});
    /// Valid since labelWanted().
    const LabelQuestion& labelQuestion() const;
    TableImport& tables();

    /// What Train would run now; empty when nothing is open.
    CommandLine trainCommand() const;
    /// Why training cannot start, a sentence with a link "page:data"; empty when it can.
    QString trainHindrance() const;
    void train();
    /// Goes on with a run from its last checkpoint, to `maxSteps` when above 0.
    CommandLine resumeCommand(const QString& run, qint64 maxSteps = 0) const;
    /// A new run of the open experiment that starts from a checkpoint of another run; the newest
    /// one when `step` is negative.
    CommandLine warmStartCommand(const QString& run, qint64 step = -1) const;
    /// Runs a command that trains (of the three above) under a supervisor.
    void start(const CommandLine& training);
    /// Goes on with a run from its last checkpoint.
    void resumeRun(const QString& run);
    /// Copies a run's frozen experiment to a new experiment file in the project and opens it.
    void duplicateRun(const QString& run);

    /// Gives a file or a folder to the desktop's program for it; failed() when nothing takes it.
    void showOutside(const QString& path);

    /// Facts of `cannery check` about the data of the open experiment; empty until known.
    QJsonObject facts() const;

    /// Runs whose curves `who` ("runs", "train") shows: their points are kept loaded as long as
    /// somebody names them. Live runs are always.
    void setWatchedRuns(const QString& who, const QSet<QString>& runs);

    /// Opens what was open when the program ended last. After a crash nothing is opened by itself:
    /// recoveryFound() tells what a window had that died. nothingRestored() when nothing opens.
    void restoreLast();
    /// Only looks for windows that died, for a start with something to open.
    void findLostWindows();
    const QList<LostWindow>& lostWindows() const;
    void openLost(const QString& project);
    void forgetLost(const QString& project);

Q_SIGNALS:
    void projectChanged();
    /// After projectChanged(), when a project was opened and not when one was closed.
    void projectOpened(Opening why);
    /// restoreLast() has come to nothing: it is gone, open elsewhere, or the window died with it.
    void nothingRestored();
    /// isOpening() has changed.
    void openingChanged();
    void readinessChanged();
    /// A person should choose or confirm the label of a table; details in labelQuestion().
    void labelWanted(const QString& table, const QStringList& columns, const QString& guess);
    void failed(const QString& sentence, const QString& details);
    /// Files of rows that the experiment names have come, gone or changed.
    void dataFilesChanged();
    /// They were looked at, whatever was found.
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

    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
