// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/dialogs/shortcut_table.h"

#include "ui/actions/action_registry.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/table_view.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QStandardItemModel>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr int kIdRole = Qt::UserRole;

QString menuWords(MenuId menu)
{
    return menuTitle(menu).remove('&');
}

} // namespace

ShortcutTable::ShortcutTable(ActionRegistry& actions, QWidget* parent)
    : QWidget(parent), m_actions(&actions), m_model(new QStandardItemModel(this)),
      m_view(new TableView(TableView::Rows::Data, this)), m_edit(new QKeySequenceEdit(this)),
      m_reset(new Button(Button::Kind::Plain, tr("Reset"), this)),
      m_problem(new Label({}, TextRole::Label, Ink::Error, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view, 1);
    auto* row = new QHBoxLayout;
    row->addWidget(new Label(tr("New keys"), TextRole::Body, Ink::Text, this));
    row->addWidget(m_edit, 1);
    row->addWidget(m_reset);
    column->addLayout(row);
    column->addWidget(m_problem);
    m_problem->setWordWrap(true);
    m_problem->setObjectName("label.shortcut_problem");
    m_view->setModel(m_model);
    m_view->setObjectName("table.shortcuts");
    m_view->setAccessibleName(tr("Shortcuts"));
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setMinimumHeight(scaled(220));
    m_edit->setObjectName("field.shortcut");
    m_edit->setAccessibleName(tr("New keys"));
    m_reset->setObjectName("button.reset_shortcut");
    fill();
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ShortcutTable::showRow);
    connect(m_edit, &QKeySequenceEdit::editingFinished, this, [this] {
        if (!currentAction().isEmpty()) {
            assign(currentAction(), m_edit->keySequence());
        }
    });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        if (!currentAction().isEmpty()) {
            m_actions->resetShortcut(currentAction());
            showRow();
        }
    });
    connect(m_actions, &ActionRegistry::shortcutsChanged, this, &ShortcutTable::fill);
    m_view->selectRow(0);
}

bool ShortcutTable::assign(const QString& actionId, const QKeySequence& keys)
{
    const QAction* taken = m_actions->setShortcut(actionId, keys);
    m_problem->setText(
        taken ? tr("%1 is already used for %2. Choose other keys, or clear these first.")
                    .arg(keys.toString(QKeySequence::NativeText), taken->iconText())
              : QString());
    return taken == nullptr;
}

QString ShortcutTable::problem() const
{
    return m_problem->text();
}

void ShortcutTable::fill()
{
    // By number, because all rows are made again in the same order.
    const int current = m_view->currentIndex().row();
    m_model->setRowCount(0);
    m_model->setHorizontalHeaderLabels({tr("Action"), tr("Menu"), tr("Keys")});
    for (const QAction* action : m_actions->actions()) {
        auto* name = new QStandardItem(action->iconText());
        name->setData(action->objectName(), kIdRole);
        name->setToolTip(m_actions->spec(action->objectName()).help);
        m_model->appendRow(
            {name, new QStandardItem(menuWords(m_actions->spec(action->objectName()).menu)),
             new QStandardItem(action->shortcut().toString(QKeySequence::NativeText))});
    }
    m_view->horizontalHeader()->resizeSection(0, scaled(230));
    if (current >= 0) {
        m_view->selectRow(current);
    }
}

void ShortcutTable::showRow()
{
    const QString id = currentAction();
    if (const QAction* action = m_actions->find(id)) {
        m_edit->setKeySequence(action->shortcut());
        m_problem->setText({});
    }
}

QString ShortcutTable::currentAction() const
{
    return m_model->index(m_view->currentIndex().row(), 0).data(kIdRole).toString();
}

} // namespace cannery::ui
