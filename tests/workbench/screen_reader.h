// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAccessible>
#include <QStringList>

namespace cannery::tests {

/// Operates the program's windows as assistive technology does: finds everything by role and
/// accessible name, and acts only through accessibility interfaces. Knows no widget or object name.
class ScreenReader
{
public:
    /// The first element on the screen of this role and name; those of an open menu or dialog come
    /// first. Null if there is none.
    QAccessibleInterface* find(QAccessible::Role role, const QString& name) const;
    /// Whether anything on the screen has the name.
    bool shows(const QString& name) const;

    /// Presses a button, tile, place of the rail or entry of a menu.
    bool press(QAccessible::Role role, const QString& name) const;
    /// Replaces the text of a field.
    bool write(QAccessible::Role role, const QString& name, const QString& text) const;
    /// The text of a field, or the chosen item of a choice.
    QString read(QAccessible::Role role, const QString& name) const;
    /// Goes through the items of a choice until it is the one that begins with this text.
    bool choose(const QString& name, const QString& item) const;
    /// Selects the row of a table or list with a cell whose text begins with this.
    bool select(QAccessible::Role role, const QString& name, const QString& text) const;
    /// The texts of a column of a table.
    QStringList column(const QString& table, int column) const;

    /// Roles and names of everything on the screen: for failures.
    QString announced() const;
};

} // namespace cannery::tests
