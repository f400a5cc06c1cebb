// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

class QAction;

namespace cannery::ui {

class Settings;

/// Menus that actions stand in, in the order of the menu bar.
enum class MenuId
{
    File,
    FileExport,
    Edit,
    View,
    Run,
    Tools,
    Window,
    Help,
};

struct ActionSpec
{
    QString id;   ///< "action.train": the object name, and the name in settings and tests
    QString text; ///< title case, "…" when it asks more
    QString icon; ///< name of a symbolic icon; may be empty
    MenuId menu = MenuId::File;
    QKeySequence shortcut;
    QString help; ///< one sentence; tool tip and palette
    bool checkable = false;
    QString group; ///< actions of one group stand together between separators
    /// WidgetShortcut: only while a widget that holds the action has the focus (keys of charts and
    /// tables).
    Qt::ShortcutContext context = Qt::WindowShortcut;
};

/// What the menu is called; translated, with its access key ("&File").
QString menuTitle(MenuId menu);

/// The only list of what a person can do. Menus, palette, tool buttons, shortcuts and tests are
/// made from it. GUI thread.
class ActionRegistry : public QObject
{
    Q_OBJECT

public:
    explicit ActionRegistry(Settings& settings, QObject* parent = nullptr);

    /// Adds an action; its shortcut is the person's own when one was set.
    QAction* add(const ActionSpec& spec);
    QAction* find(const QString& id) const;
    QList<QAction*> actions() const;
    const ActionSpec& spec(const QString& id) const;

    /// What a menu shows, in order; actions of one group stand next to each other.
    QList<QAction*> actionsOf(MenuId menu) const;

    /// Disables with a sentence that says why (tool tip, palette, status bar); empty enables.
    void setHindrance(const QString& id, const QString& sentence);
    QString hindrance(const QString& id) const;

    /// Rebinds. Returns the action that has the keys already, or null after rebinding.
    QAction* setShortcut(const QString& id, const QKeySequence& keys);
    void resetShortcut(const QString& id);

Q_SIGNALS:
    void added(QAction* action);
    void shortcutsChanged();

private:
    Settings* m_settings;
    QList<QAction*> m_actions;
    QHash<QString, ActionSpec> m_specs;
};

} // namespace cannery::ui
