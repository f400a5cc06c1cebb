// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/actions/action_registry.h"
#include "ui/pages/edit_toasts.h"
#include "ui/pages/page.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/toaster.h"

#include <QTemporaryDir>
#include <QWidget>

#include <memory>

namespace cannery::tests {

/// A window without a frame: a session in temporary folders, all actions, and a scripted `cannery`
/// program that answers at once and records its arguments.
class PageBench
{
public:
    PageBench();
    ~PageBench();

    ui::PageContext context();
    ui::ProjectSession& session() { return *m_session; }
    ui::ActionRegistry& actions() { return *m_actions; }
    QWidget& window() { return m_window; }
    QString folder() const { return m_folder.path(); }

    /// Copies an example from resources/examples; open when OpenProject::changed() is emitted.
    QString copyExample(const QString& name) const;
    /// Sets what `cannery <verb>` prints on standard output, and its exit code.
    void script(const QString& verb, const QByteArray& output, int exitCode = 0) const;
    /// Makes `cannery <verb>` print this on standard error and then wait until it is ended.
    void scriptWait(const QString& verb, const QByteArray& said = {}) const;
    /// Hands `cannery <verb>` over to the real program.
    void scriptReal(const QString& verb) const;
    /// The argument lines of all calls so far.
    QStringList calls() const;
    bool wasCalled(const QString& verb) const;
    /// The newest call of that verb (others, as `check`, may follow it); empty: none yet.
    QString lastCall(const QString& verb) const;
    /// Opens a project and waits until it is open.
    void open(const QString& path);
    /// Opens a copy of the Titanic example with this number of runs; returns its folder.
    QString openTitanic(bool withRun);
    /// A run with checkpoints, evaluations and curves, as an engine leaves it.
    void addFinishedRun(const QString& project, const QString& name) const;

    /// Puts a page into the window and shows it.
    void show(ui::Page& page);
    /// A page of the catalog, shown; null if there is none with that id.
    ui::Page* page(const QString& id);

private:
    void writeProgram() const;

    QTemporaryDir m_folder;
    QWidget m_window;
    std::unique_ptr<ui::ProjectSession> m_session;
    std::unique_ptr<ui::ActionRegistry> m_actions;
    std::unique_ptr<ui::Toaster> m_toaster;
    std::unique_ptr<ui::EditToasts> m_toasts;
};

} // namespace cannery::tests
