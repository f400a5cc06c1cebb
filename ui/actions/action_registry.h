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

/// The menus for actions, in the order of the menu bar.
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
    QString text; ///< title case, "…" if it asks for more
    QString icon; ///< name of a symbolic icon; may be empty
    MenuId menu = MenuId::File;
    QKeySequence shortcut;
    QString help; ///< one sentence, for tooltip and palette
    bool checkable = false;
    QString group; ///< actions of one group are between separators
    /// WidgetShortcut: only while a widget with the action has the focus (keys of charts and
    /// tables).
    Qt::ShortcutContext context = Qt::WindowShortcut;
};

/// The menu's name, translated, with its access key ("&File").
QString menuTitle(MenuId menu);

/// The only list of the program's actions. Menus, palette, tool buttons, shortcuts and tests are
/// made from it. GUI thread.
class ActionRegistry : public QObject
{
    Q_OBJECT

public:
    explicit ActionRegistry(Settings& settings, QObject* parent = nullptr);

    /// Adds an action, with the user's shortcut if one was set.
    QAction* add(const ActionSpec& spec);
    QAction* find(const QString& id) const;
    QList<QAction*> actions() const;
    const ActionSpec& spec(const QString& id) const;

    /// The actions of a menu in order; actions of one group are adjacent.
    QList<QAction*> actionsOf(MenuId menu) const;

    /// Disables with a sentence that says why (tooltip, palette, status line); an empty one
    /// enables.
    void setHindrance(const QString& id, const QString& sentence);
    QString hindrance(const QString& id) const;

    /// Rebinds. Returns the action that already has the keys, or null after rebinding.
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
