#pragma once

#include "ui/models/command_line.h"

#include <QObject>
#include <QString>

#include <memory>

namespace cannery::ui {

class EngineService;
class ExperimentDocument;
class JobRunner;
class RunCatalog;
class SeriesStore;
class Settings;
class RecentProjects;

/// What the window is about: one project (or one folder of foreign event files) and everything that
/// works for it. Owns the services; outlives every page. GUI thread.
class ProjectSession : public QObject
{
    Q_OBJECT

public:
    explicit ProjectSession(QObject* parent = nullptr);
    ~ProjectSession() override;

    ExperimentDocument& document();
    RunCatalog& runs();
    SeriesStore& series();
    EngineService& engines();
    JobRunner& jobs();
    Settings& settings();
    RecentProjects& recents();

    /// Opens an experiment file, or the folder of one.
    bool openProject(const QString& path);
    /// Browses event files of other programs, read-only.
    void openEventFolder(const QString& folder);
    void closeProject();
    bool hasProject() const;
    bool isEventFolder() const;
    QString projectFolder() const;
    QString projectName() const;

    /// Copies a shipped sample ("titanic") to the user's projects and opens it.
    void openSample(const QString& sample);
    /// Makes a project beside or from a table with `cannery new`, then opens it. An empty label
    /// asks the guess of `cannery new --json` (signal labelWanted).
    void newFromTable(const QString& table, const QString& label = {});

    /// What Train would run now.
    CommandLine trainCommand() const;
    /// Why training cannot start, a sentence with a link "page:data"; empty when it can.
    QString trainHindrance() const;
    void train();

Q_SIGNALS:
    void projectChanged();
    void readinessChanged();
    /// The label of a table could not be guessed with confidence, or a person should confirm it.
    void labelWanted(const QString& table, const QStringList& columns, const QString& guess);
    void failed(const QString& sentence, const QString& details);
    void runStarted(const QString& run);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
