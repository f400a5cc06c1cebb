// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/behaviour/control_accessible.h"

#include <QAbstractItemView>
#include <QAccessibleWidget>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>

namespace cannery::ui {
namespace {

class ChoiceAccessible : public QAccessibleWidget
{
public:
    explicit ChoiceAccessible(QComboBox* choice)
        : QAccessibleWidget(choice, QAccessible::ComboBox), m_choice(*choice)
    {}

    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value ? m_choice.currentText() : QAccessibleWidget::text(kind);
    }
    QAccessible::State state() const override
    {
        QAccessible::State state = QAccessibleWidget::state();
        state.expandable = true;
        state.hasPopup = true;
        const QWidget* popup = QApplication::activePopupWidget();
        state.expanded = popup != nullptr && popup->parentWidget() == &m_choice;
        return state;
    }
    int childCount() const override { return 1; }
    QAccessibleInterface* child(int index) const override
    {
        return index == 0 ? QAccessible::queryAccessibleInterface(m_choice.view()) : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* child) const override
    {
        return child->object() == m_choice.view() ? 0 : -1;
    }
    QStringList actionNames() const override
    {
        return QStringList{showMenuAction(), increaseAction(), decreaseAction()} +
               QAccessibleWidget::actionNames();
    }
    void doAction(const QString& action) override
    {
        if (action == showMenuAction()) {
            m_choice.showPopup();
        } else if (action == increaseAction() || action == decreaseAction()) {
            // As a key, so that entries that cannot be chosen are skipped and the signals of a
            // user's choice are emitted, not those of a program's.
            QKeyEvent key(QEvent::KeyPress, action == increaseAction() ? Qt::Key_Down : Qt::Key_Up,
                          {});
            QCoreApplication::sendEvent(&m_choice, &key);
        } else {
            QAccessibleWidget::doAction(action);
        }
    }

private:
    QComboBox& m_choice;
};

class ToolButtonAccessible : public QAccessibleWidget
{
public:
    explicit ToolButtonAccessible(QToolButton* button)
        : QAccessibleWidget(button, QAccessible::Button), m_button(*button)
    {}

    QAccessible::State state() const override
    {
        QAccessible::State state = QAccessibleWidget::state();
        state.checkable = m_button.isCheckable();
        state.checked = m_button.isChecked();
        state.hasPopup = m_button.menu() != nullptr;
        return state;
    }
    QStringList actionNames() const override
    {
        const QString own = m_button.menu() != nullptr ? showMenuAction() : pressAction();
        return m_button.isEnabled() ? QStringList{own} + QAccessibleWidget::actionNames()
                                    : QStringList();
    }
    void doAction(const QString& action) override
    {
        if (action == pressAction()) {
            m_button.click();
        } else if (action == showMenuAction()) {
            // The menu runs its own event loop.
            QMetaObject::invokeMethod(&m_button, &QToolButton::showMenu, Qt::QueuedConnection);
        } else {
            QAccessibleWidget::doAction(action);
        }
    }

private:
    QToolButton& m_button;
};

/// Qt's reads beyond the list of its children if it is asked for a scroll bar that has just gone,
/// as a screen reader does that counted a moment ago.
class ScrollAreaAccessible : public QAccessibleWidget
{
public:
    explicit ScrollAreaAccessible(QScrollArea* area)
        : QAccessibleWidget(area, QAccessible::Client), m_area(*area)
    {}

    int childCount() const override { return static_cast<int>(children().size()); }
    QAccessibleInterface* child(int index) const override
    {
        return QAccessible::queryAccessibleInterface(children().value(index));
    }
    int indexOfChild(const QAccessibleInterface* child) const override
    {
        return static_cast<int>(children().indexOf(qobject_cast<QWidget*>(child->object())));
    }

private:
    QWidgetList children() const
    {
        QWidgetList children{m_area.viewport()};
        for (const QScrollBar* bar : {m_area.horizontalScrollBar(), m_area.verticalScrollBar()}) {
            if (bar->isVisible()) {
                children << bar->parentWidget();
            }
        }
        return children;
    }

    QScrollArea& m_area;
};

QAccessibleInterface* controlInterface(const QString&, QObject* object)
{
    if (auto* area = qobject_cast<QScrollArea*>(object)) {
        return new ScrollAreaAccessible(area);
    }
    if (auto* choice = qobject_cast<QComboBox*>(object)) {
        return choice->isEditable() ? nullptr : new ChoiceAccessible(choice);
    }
    auto* button = qobject_cast<QToolButton*>(object);
    return button != nullptr ? new ToolButtonAccessible(button) : nullptr;
}

} // namespace

void installControlAccessible()
{
    static const bool kInstalled = [] {
        QAccessible::installFactory(controlInterface);
        return true;
    }();
    Q_UNUSED(kInstalled)
}

} // namespace cannery::ui
