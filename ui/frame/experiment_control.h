// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QObject>
#include <QPointer>

class QAction;
class QMenu;
class QWidget;

namespace cannery::ui {

class ActionRegistry;
class ProjectSession;
class Strip;
class Toaster;
struct TrashedExperiment;

/// The actions on the project's experiments (switch, copy, rename, compare, delete, export), and
/// the question above the page when the file on the disk is not what the window shows. GUI thread.
class ExperimentControl : public QObject
{
    Q_OBJECT

public:
    ExperimentControl(ProjectSession& session, ActionRegistry& actions, Toaster& toaster,
                      QWidget* window);

    /// For the window to place above its pages.
    Strip* strip() const { return m_strip; }
    /// Below which the list of experiments opens.
    void setAnchor(QWidget* anchor) { m_anchor = anchor; }

private:
    void connectActions();
    void refresh();
    void refreshStrip();
    void showMenu();
    void fillMenu();
    void takeTrashed(const TrashedExperiment& experiment);
    void reviewConflict();
    void reviewRecovered();
    void discardRecovered();
    void chooseFile();
    void chooseProgram();
    void exportProgram(const QString& target);
    void discardGone();

    ProjectSession* m_session;
    ActionRegistry* m_actions;
    Toaster* m_toaster;
    QWidget* m_window;
    QWidget* m_anchor = nullptr;
    QPointer<QMenu> m_menu;
    Strip* m_strip;
    QAction* m_keepMine;
    QAction* m_takeTheirs;
    QAction* m_saveAgain;
    QAction* m_review;
    QAction* m_discard;
    QAction* m_saveAs;
    QAction* m_giveUp;
};

} // namespace cannery::ui
