// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QKeySequenceEdit;
class QStandardItemModel;

namespace cannery::ui {

class ActionRegistry;
class Button;
class Label;
class TableView;

/// Every action with its shortcut: choose a row, press the new keys. Keys of another action are
/// refused, with its name.
class ShortcutTable : public QWidget
{
    Q_OBJECT

public:
    explicit ShortcutTable(ActionRegistry& actions, QWidget* parent = nullptr);

    /// Acts as if the user had pressed these keys for the action.
    bool assign(const QString& actionId, const QKeySequence& keys);
    QString problem() const;

private:
    void fill();
    void showRow();
    QString currentAction() const;

    ActionRegistry* m_actions;
    QStandardItemModel* m_model;
    TableView* m_view;
    QKeySequenceEdit* m_edit;
    Button* m_reset;
    Label* m_problem;
};

} // namespace cannery::ui
