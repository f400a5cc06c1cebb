// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QAbstractButton;
class QAction;
class QMenu;
class QMenuBar;

namespace cannery::ui {

class ActionRegistry;
class ElidedLabel;
class Label;
class ProjectButton;

/// The top of the window: menus, the experiment's name and save state, and the field that opens the
/// palette.
class MenuRow : public QWidget
{
    Q_OBJECT

public:
    explicit MenuRow(ActionRegistry& actions, QWidget* parent = nullptr);

    void setProject(const QString& name);
    QWidget* projectButton() const;
    /// "Saved", "Saving…", or why it is not.
    void setSaveState(const QString& words, bool isProblem, const QString& tip = {});
    /// The menu that contains an action; null if none does.
    QMenu* menuOf(const QAction* action) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fillMenus();
    void fitHeight();
    void fit();
    int menusWidth() const;

    ActionRegistry* m_actions;
    QMenuBar* m_menuBar;
    ProjectButton* m_project;
    Label* m_dot;
    ElidedLabel* m_saved;
    QAbstractButton* m_search;
};

} // namespace cannery::ui
