// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

class FeatureCommands;
class Label;
class NameChips;

/// The inputs of a cross, or the columns that share a table: chips that a click removes, a menu of
/// what fits, and drops of columns of the table and of feature columns. What does not fit says why,
/// in the menu and while it is dragged here. Each change is one undo step. GUI thread.
class InputEditor : public QWidget
{
    Q_OBJECT

public:
    enum class Kind
    {
        Cross,
        Group,
    };

    InputEditor(Kind kind, FeatureCommands& commands, QWidget* parent = nullptr);

    /// Shows this feature column, which must be of the kind.
    void setColumn(const QString& name);

private:
    void showHint(const QString& hindrance);

    Kind m_kind;
    FeatureCommands& m_commands;
    QString m_column;
    NameChips* m_chips;
    Label* m_hint;
};

} // namespace cannery::ui
