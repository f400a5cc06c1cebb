// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/page.h"

#include <QWidget>

class QStackedWidget;

namespace cannery::ui {

class HealthStrip;
class LogLines;
class PageHeader;
class RunCheckpoints;
class RunExperiment;
class RunInspect;
class RunOverview;
class Segmented;

/// Everything about one run: how it went, what it has logged, its frozen experiment next to another
/// run's, its checkpoints, its log and files; and the actions for its state.
class RunPage : public QWidget
{
    Q_OBJECT

public:
    enum View
    {
        Overview,
        Inspect,
        Experiment,
        Checkpoints,
        Log,
    };

    explicit RunPage(const PageContext& context, QWidget* parent = nullptr);

    /// Shows this run of the snapshot; false if it is not there.
    bool setRun(const ProjectSnapshotPtr& snapshot, const QString& run);
    QString run() const { return m_run.name; }
    void setView(View view);
    RunInspect& inspect() { return *m_inspect; }
    /// The view and what is chosen in it; the same for every run.
    QJsonObject saveState() const;
    void restoreState(const QJsonObject& state);

Q_SIGNALS:
    void leaveRequested();
    /// What saveState() returns.
    void stateChanged();
    /// "export", "export:run:run-012@500"
    void navigate(const QString& target);
    void trashRequested(const QString& run);

private:
    void makeActions();
    void showView();
    void showHeader();
    void showBanner();
    void readFiles();

    PageContext m_context;
    ProjectSnapshotPtr m_snapshot;
    RunRow m_run;
    PageHeader* m_header;
    HealthStrip* m_banner;
    Segmented* m_views;
    QStackedWidget* m_stack;
    RunOverview* m_overview;
    RunInspect* m_inspect;
    RunExperiment* m_experiment;
    RunCheckpoints* m_checkpoints;
    LogLines* m_log;
    QAction* m_resume;
    QAction* m_continue;
    QAction* m_duplicate;
    QAction* m_export;
    QAction* m_trash;
    QAction* m_rescan;
    quint64 m_reading = 0; ///< the id of the current background reading
};

} // namespace cannery::ui
