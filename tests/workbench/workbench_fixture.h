// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "tests/support/patience.h"
#include "ui/frame/main_window.h"
#include "ui/frame/theme_control.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/services/projects/project_session.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>

namespace cannery::tests {

/// A whole workbench on a fresh machine: empty home and runtime folders, the shipped samples, the
/// real engine. Every engine that it left running is killed at the end.
class WorkbenchFixture
{
public:
    WorkbenchFixture();
    ~WorkbenchFixture();

    /// A new program start: session, theme, window at 1280 × 800, first page.
    void open(bool restoreLast = false);
    /// Closes it as at the regular end of the program.
    void close();

    ui::ProjectSession& session() const { return *m_session; }
    ui::MainWindow& window() const { return *m_window; }
    QString path(const QString& name = {}) const { return m_home.filePath(name); }
    /// A table with an obvious label, written to the home folder.
    QString writeTable(const QString& name = "bought.csv") const;

    /// A visible widget by its object name; null if there is none.
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
    /// Clicks its centre with the mouse. False if there is no visible, enabled widget of that name.
    bool click(const QString& name) const;
    bool trigger(const QString& actionId) const;

    /// Copies a sample and opens it, without a click.
    bool openSample(const QString& sample);
    /// Sets fields of the open experiment, as an editor would.
    bool setField(const QString& path, const QString& text) const;

    const ui::RunRow* newestRun() const;
    bool waitFor(const std::function<bool()>& condition, int milliseconds = kPatience) const;
    /// The newest run's state, from the store or, while it is live, from its engine.
    bool waitForState(ui::RunState state) const;
    /// The step of the newest run's last checkpoint; -1: none yet.
    qint64 latestCheckpoint() const;
    /// The process id of the engine that owns the run; 0: none.
    qint64 engineProcess(const QString& run) const;
    /// Starts a long training that saves often.
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
