// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/projects/window_session.h"

#include <QObject>

namespace cannery::ui {

class ExperimentDocument;
class OpenProject;
class Settings;

/// What the next start of the program opens: the window's last project, or, after a crash, nothing
/// before the user has decided about what the crashed window had open. GUI thread.
class WindowRecovery : public QObject
{
    Q_OBJECT

public:
    /// All outlive it.
    WindowRecovery(OpenProject& project, ExperimentDocument& document, Settings& settings,
                   QObject* parent = nullptr);

    /// Opens what was open when the program last ended. After a crash nothing is opened
    /// automatically: found() follows. Emits nothingRestored() if nothing opens.
    void restoreLast();
    /// Only looks for crashed windows, for a start with something to open.
    void findLost();
    const QList<LostWindow>& lost() const;
    void openLost(const QString& project);
    void forgetLost(const QString& project);

Q_SIGNALS:
    /// lost() has changed.
    void found();
    /// restoreLast() has opened nothing: the project is gone, open elsewhere, or its window
    /// crashed.
    void nothingRestored();

private:
    /// `target`: an experiment file or a folder; if empty, the next start opens nothing.
    void noteLast(const QString& target);

    OpenProject& m_project;
    Settings& m_settings;
    WindowSession m_window;
};

} // namespace cannery::ui
