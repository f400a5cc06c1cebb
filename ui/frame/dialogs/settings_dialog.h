// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/dialog.h"

class QListWidget;
class QStackedWidget;

namespace cannery::ui {

class ActionRegistry;
class ProjectSession;
class SettingsPage;

/// The program's settings. Applied at once; not modal.
class SettingsDialog : public Dialog
{
    Q_OBJECT

public:
    SettingsDialog(ProjectSession& session, ActionRegistry& actions, QWidget* parent = nullptr);

    /// "appearance", "charts", "engine", "storage", "notifications", "shortcuts".
    void showSection(const QString& id);
    QString section() const;

    /// Titles of single settings with their sections, for the palette.
    static QList<std::pair<QString, QString>> index();

private:
    void addSection(const QString& id, const QString& title, SettingsPage* page);
    SettingsPage* makeAppearance();
    SettingsPage* makeCharts();
    SettingsPage* makeEngine();
    SettingsPage* makeStorage();
    SettingsPage* makeNotifications();
    SettingsPage* makeShortcuts();

    ProjectSession* m_session;
    ActionRegistry* m_actions;
    QListWidget* m_list;
    QStackedWidget* m_stack;
};

} // namespace cannery::ui
