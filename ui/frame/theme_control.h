// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>

class QApplication;

namespace cannery::ui {

class ActionRegistry;
class Settings;

/// Keeps the look as the settings and the desktop want it, and serves the actions of theme and text
/// size. GUI thread.
class ThemeControl : public QObject
{
    Q_OBJECT

public:
    ThemeControl(QApplication& application, Settings& settings, QObject* parent = nullptr);

    void connectActions(ActionRegistry& actions);

private:
    void apply();
    void stepTextScale(int steps);

    QApplication* m_application;
    Settings* m_settings;
    ActionRegistry* m_actions = nullptr;
};

} // namespace cannery::ui
