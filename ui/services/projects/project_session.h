// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/projects/experiment_check.h"
#include "ui/services/projects/experiment_cluster.h"
#include "ui/services/projects/experiment_library.h"
#include "ui/services/projects/open_project.h"
#include "ui/services/projects/run_starter.h"
#include "ui/services/projects/window_recovery.h"
#include "ui/services/runs/run_watch_list.h"
#include "ui/services/table_import.h"

#include <QObject>
#include <QString>

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

/// The services of a window, which follow the project that is open in it: owns them and connects
/// them with each other; outlives every page. GUI thread.
class ProjectSession : public QObject
{
    Q_OBJECT

public:
    /// `settingsFile`: an ini file; the user's own if empty.
    explicit ProjectSession(QObject* parent = nullptr, const QString& settingsFile = {});
    ~ProjectSession() override;

    OpenProject& project();
    ExperimentDocument& document();
    ExperimentLibrary& experiments();
    ExperimentCluster& cluster();
    ExperimentCheck& check();
    RunStarter& starter();
    RunCatalog& runs();
    SeriesStore& series();
    /// The runs whose curves the pages ("runs", "train") show: their points are kept loaded while
    /// anyone names them. Those of live runs always are.
    RunWatchList& watchList();
    EngineService& engines();
    JobRunner& jobs();
    TableImport& tables();
    SampleLibrary& samples();
    Settings& settings();
    RecentProjects& recents();
    WindowRecovery& recovery();

    /// The `cannery` program for engines and jobs.
    void setProgram(const QString& path);
    /// Opens a file or a folder with the desktop's program for it; emits failed() if there is none.
    void showOutside(const QString& path);

Q_SIGNALS:
    /// Something that a service was to do has failed.
    void failed(const QString& sentence, const QString& details);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
