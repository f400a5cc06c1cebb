// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QString>

#include <functional>

namespace cannery::ui {

class ActionRegistry;
class ProjectSession;
class Toaster;
struct EngineStatus;

/// Train, Pause, Stop and their like: what they do, when they cannot and why. They mean the run of
/// the shown page, else the newest that is live. GUI thread.
class RunControl : public QObject
{
    Q_OBJECT

public:
    RunControl(ProjectSession& session, ActionRegistry& actions, QObject* parent = nullptr);

    /// Which run the shown page is about; may give an empty name.
    void setPageRun(std::function<QString()> pageRun);
    /// The run that the actions mean now; empty: none.
    QString run() const;
    /// "step 7,440 of 12,000 · 39 s left" of a run that is live.
    QString progressLine(const QString& run) const;
    /// Sets texts and hindrances anew (the page or its selection changed).
    void refresh();

Q_SIGNALS:
    /// Something live began, ended or moved.
    void runChanged();
    /// The problems of the project's files are known anew.
    void checked();

private:
    void connectActions();
    void stop();
    void check();

    ProjectSession* m_session;
    ActionRegistry* m_actions;
    std::function<QString()> m_pageRun;
};

} // namespace cannery::ui
