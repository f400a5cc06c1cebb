// SPDX-License-Identifier: GPL-3.0-only
#include "tests/workbench/screen_reader.h"

#include <QApplication>
#include <QCoreApplication>
#include <QWidget>

#include <functional>

namespace cannery::tests {
namespace {

using Visit = std::function<bool(QAccessibleInterface*)>;

/// True once `visit` was. The cells of tables and lists are left out.
bool walk(QAccessibleInterface* element, const Visit& visit)
{
    if (element == nullptr || !element->isValid() || element->state().invisible) {
        return false;
    }
    if (visit(element)) {
        return true;
    }
    if (element->tableInterface() != nullptr) {
        return false;
    }
    for (int i = 0; i < element->childCount(); ++i) {
        if (walk(element->child(i), visit)) {
            return true;
        }
    }
    return false;
}

/// Windows that take all input come first, and alone.
bool walkScreen(const Visit& visit)
{
    for (QWidget* first : {QApplication::activePopupWidget(), QApplication::activeModalWidget()}) {
        if (first != nullptr) {
            return walk(QAccessible::queryAccessibleInterface(first), visit);
        }
    }
    for (QWidget* window : QApplication::topLevelWidgets()) {
        if (window->isVisible() && walk(QAccessible::queryAccessibleInterface(window), visit)) {
            return true;
        }
    }
    return false;
}

/// Tables announce new rows only while assistive technology is active, which the offscreen
/// platform never is.
QAccessibleTableInterface* tableOf(QAccessibleInterface* element)
{
    QAccessibleTableInterface* table = element == nullptr ? nullptr : element->tableInterface();
    if (table != nullptr && element->object() != nullptr) {
        QAccessibleTableModelChangeEvent all(element->object(),
                                             QAccessibleTableModelChangeEvent::ModelReset);
        table->modelChange(&all);
    }
    return table;
}

QString nameOf(QAccessibleInterface* element)
{
    return element->text(QAccessible::Name);
}

} // namespace

QAccessibleInterface* ScreenReader::find(QAccessible::Role role, const QString& name) const
{
    QAccessibleInterface* found = nullptr;
    walkScreen([&](QAccessibleInterface* element) {
        if (element->role() == role && nameOf(element) == name) {
            found = element;
        }
        return found != nullptr;
    });
    return found;
}

bool ScreenReader::shows(const QString& name) const
{
    return walkScreen([&](QAccessibleInterface* element) { return nameOf(element) == name; });
}

bool ScreenReader::press(QAccessible::Role role, const QString& name) const
{
    QAccessibleInterface* element = find(role, name);
    if (element == nullptr || element->actionInterface() == nullptr || element->state().disabled) {
        return false;
    }
    const QStringList actions = element->actionInterface()->actionNames();
    for (const QString& action :
         {QAccessibleActionInterface::pressAction(), QAccessibleActionInterface::toggleAction()}) {
        if (actions.contains(action)) {
            element->actionInterface()->doAction(action);
            QCoreApplication::processEvents();
            return true;
        }
    }
    return false;
}

bool ScreenReader::write(QAccessible::Role role, const QString& name, const QString& text) const
{
    QAccessibleInterface* element = find(role, name);
    if (element == nullptr || element->editableTextInterface() == nullptr ||
        element->textInterface() == nullptr || element->state().disabled) {
        return false;
    }
    element->editableTextInterface()->replaceText(0, element->textInterface()->characterCount(),
                                                  text);
    QCoreApplication::processEvents();
    return true;
}

QString ScreenReader::read(QAccessible::Role role, const QString& name) const
{
    QAccessibleInterface* element = find(role, name);
    return element == nullptr ? QString() : element->text(QAccessible::Value);
}

bool ScreenReader::choose(const QString& name, const QString& item) const
{
    QAccessibleInterface* element = find(QAccessible::ComboBox, name);
    if (element == nullptr || element->actionInterface() == nullptr) {
        return false;
    }
    for (const QString& action : {QAccessibleActionInterface::decreaseAction(),
                                  QAccessibleActionInterface::increaseAction()}) {
        QString before;
        do {
            before = element->text(QAccessible::Value);
            if (before.startsWith(item)) {
                return true;
            }
            element->actionInterface()->doAction(action);
            QCoreApplication::processEvents();
        } while (element->text(QAccessible::Value) != before);
    }
    return false;
}

bool ScreenReader::select(QAccessible::Role role, const QString& name, const QString& text) const
{
    QAccessibleTableInterface* table = tableOf(find(role, name));
    for (int row = 0; table != nullptr && row < table->rowCount(); ++row) {
        for (int column = 0; column < table->columnCount(); ++column) {
            QAccessibleInterface* cell = table->cellAt(row, column);
            if (cell != nullptr && nameOf(cell).startsWith(text)) {
                const bool isDone = table->selectRow(row);
                QCoreApplication::processEvents();
                return isDone;
            }
        }
    }
    return false;
}

QStringList ScreenReader::column(const QString& name, int column) const
{
    QAccessibleTableInterface* table = tableOf(find(QAccessible::Table, name));
    QStringList texts;
    for (int row = 0; table != nullptr && row < table->rowCount(); ++row) {
        texts << nameOf(table->cellAt(row, column));
    }
    return texts;
}

QString ScreenReader::announced() const
{
    QStringList lines{"on the screen:"};
    walkScreen([&](QAccessibleInterface* element) {
        if (!nameOf(element).isEmpty()) {
            lines << QString("%1 \"%2\" = \"%3\" %4")
                         .arg(qAccessibleRoleString(element->role()), nameOf(element),
                              element->text(QAccessible::Value),
                              element->actionInterface() == nullptr
                                  ? QString()
                                  : element->actionInterface()->actionNames().join(", "));
        }
        return false;
    });
    return lines.join("\n  ");
}

} // namespace cannery::tests
