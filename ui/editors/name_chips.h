// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

namespace cannery::ui {

class Button;
class FlowLayout;

/// A list of names, each a chip that a click removes, and a menu of names to add. Shows what it is
/// given, and emits requests for changes. GUI thread.
class NameChips : public QWidget
{
    Q_OBJECT

public:
    explicit NameChips(QWidget* parent = nullptr);

    void setNames(const QStringList& names);
    const QStringList& names() const { return m_names; }
    /// What the menu offers, in this order. Names that are there are left out.
    void setOffered(const QStringList& offered);
    /// How many must remain: with so few, no chip can be removed.
    void setLeast(int least);

Q_SIGNALS:
    void addRequested(const QString& name);
    void removeRequested(int index);

private:
    bool canLeave() const { return m_names.size() > m_least; }
    /// Makes chips for the names; unchanged ones at both ends are kept.
    void replaceChips(const QStringList& before);
    QWidget* makeChip(const QString& name);
    void rebuildMenu();

    FlowLayout* m_layout;
    QList<QWidget*> m_chips;
    Button* m_add;
    QStringList m_names;
    QStringList m_offered;
    int m_least = 2;
};

} // namespace cannery::ui
