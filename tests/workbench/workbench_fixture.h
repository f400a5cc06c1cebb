// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "tests/support/patience.h"
#include "ui/frame/main_window.h"
#include "ui/frame/theme_control.h"
#include "ui/models/run_snapshot.h"
#include "ui/services/project_session.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>

namespace cannery::tests {

/// A whole workbench on a machine of its own: empty home and runtime folders, the shipped samples,
/// the real engine. Every engine that it left running is killed at the end.
class WorkbenchFixture
{
public:
    WorkbenchFixture();
    ~WorkbenchFixture();

    /// A new program start: session, theme, window at 1280 × 800, first page.
    void open(bool restoreLast = false);
    /// As at a proper end of the program.
    void close();

    ui::ProjectSession& session() const { return *m_session; }
    ui::MainWindow& window() const { return *m_window; }
    QString path(const QString& name = {}) const { return m_home.filePath(name); }
    /// A table with a clear label, written into the home folder.
    QString writeTable(const QString& name = "bought.csv") const;

    /// By object name, visible; null when there is none.
    template <typename T = QWidget>
    T* find(const QString& name) const
    {
        const QList<T*> all = m_window->findChildren<T*>(name);
        for (T* one : all) {
            if (one->isVisible()) {
                return one;
            }
        }
        return nullptr;
    }
    QAction* action(const QString& id) const;
    /// With the mouse, in the middle. False when nothing visible and enabled has that name.
    bool click(const QString& name) const;
    bool trigger(const QString& actionId) const;

    /// Copies a sample and opens it, without a click.
    bool openSample(const QString& sample);
    /// Sets fields of the open experiment, as an editor would write them.
    bool setField(const QString& path, const QString& text) const;

    const ui::RunRow* newestRun() const;
    bool waitFor(const std::function<bool()>& condition, int milliseconds = kPatience) const;
    /// Of the newest run, in the store and, while it is live, by its engine's own word.
    bool waitForState(ui::RunState state) const;
    /// Step of the newest run's last checkpoint; -1 before there is one.
    qint64 latestCheckpoint() const;
    /// Process id of the engine that owns the run; 0 when nobody does.
    qint64 engineProcess(const QString& run) const;
    /// A long training that saves often, running.
    bool startEndlessTraining();

    /// Grabs the window into build/…/screenshots/<name>.png.
    void picture(const QString& name) const;

private:
    QTemporaryDir m_home;
    std::unique_ptr<ui::ProjectSession> m_session;
    std::unique_ptr<ui::ThemeControl> m_theme;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace cannery::tests
