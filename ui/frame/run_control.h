// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QString>

#include <functional>

namespace cannery::ui {

class ActionRegistry;
class LastingJobs;
class ProjectSession;
class Toaster;
struct EngineStatus;

/// Train, Pause, Stop and related actions: what they do, and when and why they are disabled. They
/// apply to the shown page's run, otherwise to the newest live one. GUI thread.
class RunControl : public QObject
{
    Q_OBJECT

public:
    RunControl(ProjectSession& session, ActionRegistry& actions, QObject* parent = nullptr);

    /// Returns the run of the shown page; may return an empty name.
    void setPageRun(std::function<QString()> pageRun);
    /// The run that the actions apply to now; empty if there is none.
    QString run() const;
    /// "step 7,440 of 12,000 · 39 s left" for a live run.
    QString progressLine(const QString& run) const;
    /// The sweeps that were started in the project: here, by an earlier window, or in a terminal.
    LastingJobs& sweeps() { return *m_sweeps; }
    /// Updates texts and hindrances (the page or its selection changed).
    void refresh();

Q_SIGNALS:
    /// A live run began, ended or progressed.
    void runChanged();
    /// The problems of the project's files have been checked again.
    void checked();

private:
    void connectActions();
    void stop();
    void check();
    void sweep();
    QString sweepHindrance() const;

    ProjectSession* m_session;
    ActionRegistry* m_actions;
    LastingJobs* m_sweeps;
    std::function<QString()> m_pageRun;
};

} // namespace cannery::ui
