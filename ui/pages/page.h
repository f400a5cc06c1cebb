// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"

#include <QWidget>

class QAction;

namespace cannery::ui {

class ActionRegistry;
class ProjectSession;
class Toaster;

/// What every page works with. Everything outlives the page.
struct PageContext
{
    ProjectSession* session = nullptr;
    ActionRegistry* actions = nullptr;
    Toaster* toaster = nullptr;
};

/// The mark at a page's icon in the rail.
struct RailMark
{
    enum class Kind
    {
        None,
        Empty,   ///< ○ the page shows its empty state
        Ready,   ///< ✓
        Warning, ///< ! needs attention
        Error,   ///< ! cannot continue
        Stale,   ///< ↻ something upstream changed
        Count,   ///< a number in a pill
        Working, ///< a ring with progress
    };
    Kind kind = Kind::None;
    int count = 0;
    double progress = 0; ///< of Working, 0 … 1
    QString tip;         ///< a sentence; never empty unless None

    bool operator==(const RailMark&) const = default;
};

/// One page of the window. A page only connects services, models and widgets. Its object name is
/// "page.<id>".
class Page : public QWidget
{
    Q_OBJECT

public:
    Page(const QString& id, const PageContext& context, QWidget* parent = nullptr);

    QString id() const { return m_id; }
    const RailMark& mark() const { return m_mark; }
    /// The inspector's content while the page is shown; null if there is none. Owned by the page
    /// until the frame reparents it.
    virtual QWidget* inspector() { return nullptr; }
    /// The command that does the same as the page's primary button; empty if there is nothing to
    /// do.
    virtual CommandLine command() const { return {}; }
    /// The run that Pause, Stop, Checkpoint Now … apply to while this page is shown; empty: the
    /// newest live one.
    virtual QString currentRun() const { return {}; }
    /// "run:run-012" or "": what to show on the page (from a link or the palette).
    virtual void reveal(const QString& /*what*/) {}
    /// Zoom, filter, expanded parts …; saved with the project.
    virtual QByteArray saveState() const { return {}; }
    virtual void restoreState(const QByteArray& /*state*/) {}
    /// The page's own search field, for Ctrl+F and Ctrl+L; null if it has none.
    virtual QWidget* findField() { return nullptr; }

Q_SIGNALS:
    void markChanged();
    /// Requests another page: "runs", "run:run-012".
    void navigate(const QString& target);

protected:
    void setMark(const RailMark& mark);
    const PageContext& context() const { return m_context; }
    ProjectSession& session() const { return *m_context.session; }
    /// An action by its id.
    QAction* action(const QString& actionId) const;

private:
    QString m_id;
    PageContext m_context;
    RailMark m_mark;
};

} // namespace cannery::ui
