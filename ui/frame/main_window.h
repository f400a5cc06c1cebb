// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"
#include "ui/services/projects/opening.h"

#include <QHash>
#include <QMainWindow>

#include <optional>

class QAction;
class QSplitter;
class QStackedWidget;

namespace cannery::ui {

class ActionRegistry;
class UpdateThrottle;
class CommandPalette;
class Drawer;
class DropOverlay;
class ExperimentControl;
class InspectorPanel;
class MenuRow;
class NavRail;
class Notifier;
class Page;
class ProjectSession;
class RunControl;
class SettingsDialog;
class StatusLine;
class Strip;
class ThemeControl;
class Toaster;
class ViewStateSaver;

/// The window: menus, rail, pages, inspector, drawer, status line. It only connects: pages show
/// things, services know them. The session and the theme outlive it.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    MainWindow(ProjectSession& session, ThemeControl& theme, QWidget* parent = nullptr);
    ~MainWindow() override;

    ActionRegistry& actions() { return *m_actions; }
    CommandPalette& palette() { return *m_palette; }
    Drawer& drawer() { return *m_drawer; }
    NavRail& rail() { return *m_rail; }
    Toaster& toaster() { return *m_toaster; }

    Page* page(const QString& id) const;
    Page* currentPage() const;
    /// "train", "page:data", "run:run-012" (on Runs), "setting:engine", "action.train", "tag:loss",
    /// "experiment:/home/ada/titanic.cannery".
    void navigate(const QString& target);
    /// Creates a project from a table; opens anything else.
    void openPath(const QString& path);
    /// Shows an error at the top of the page.
    void showFailure(const QString& sentence, const QString& details = {});

    /// Restores geometry, panels and page; 1280 × 800 the first time.
    void restoreWindow();

Q_SIGNALS:
    void closed();

protected:
    /// In reading order.
    bool focusNextPrevChild(bool next) override;
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makePages();
    void layOut();
    void connectActions();
    void connectPanels();
    void stepHistory(int by);
    void connectSession();
    void connectDocument();
    void connectEngines();
    void notifyOfEnd(const QString& run);
    void connectErrors();
    void showPage(const QString& id);
    void refreshPage();
    void arrive();
    void refreshProject();
    void refreshHistory();
    void refreshIssues();
    void refreshRun();
    void refreshInspector();
    void fitBreakpoints();
    void openPalette();
    void showWhere(const QString& target);
    void openSettings(const QString& section);
    void setDrawer(int part, bool open);
    void setFocusMode(bool on);
    void cycleFocus(int step);
    /// About what has the focus.
    void showHelp();
    void chooseFile(const QString& title, const QString& filter, bool folder);
    void editProblem(const ProblemRow& problem);
    void saveWindow();

    ProjectSession* m_session;
    ThemeControl* m_theme;
    ActionRegistry* m_actions;
    RunControl* m_runs;
    UpdateThrottle* m_runWords; ///< the window's texts about the live run
    Toaster* m_toaster;
    MenuRow* m_menuRow;
    NavRail* m_rail;
    QStackedWidget* m_pages;
    Strip* m_failure;
    QWidget* m_centre;
    QSplitter* m_sideSplit;
    QSplitter* m_drawerSplit;
    InspectorPanel* m_inspector;
    Drawer* m_drawer;
    StatusLine* m_status;
    CommandPalette* m_palette;
    DropOverlay* m_drop;
    ExperimentControl* m_experiments;
    Notifier* m_notifier;
    ViewStateSaver* m_views;
    QHash<QString, Page*> m_pageOf;
    QString m_failureDetails;
    QAction* m_copyFailure = nullptr;
    QAction* m_setBatchSize = nullptr; ///< what a failure proposes
    std::optional<Opening> m_arriving; ///< a project was opened, but its runs are not known yet
    bool m_inspectorWanted = true;
    bool m_mayClose = false;
};

} // namespace cannery::ui
