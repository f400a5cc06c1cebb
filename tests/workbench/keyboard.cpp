// SPDX-License-Identifier: GPL-3.0-only
#include "tests/workbench/keyboard.h"

#include "tests/support/patience.h"

#include <QAction>
#include <QApplication>
#include <QEvent>
#include <QMainWindow>
#include <QMenu>
#include <QTest>
#include <QWindow>

namespace cannery::tests {
namespace {

constexpr int kMostStops = 400;

/// Whether a widget, or one that it is in, has the name.
bool isIn(const QWidget* widget, const QString& name)
{
    for (; widget != nullptr; widget = widget->parentWidget()) {
        if (widget->objectName() == name) {
            return true;
        }
    }
    return false;
}

/// The offscreen platform gives the focus to a menu's window and does not give it back.
bool activateAgain()
{
    for (QWidget* widget : QApplication::topLevelWidgets()) {
        if (widget->isVisible() && qobject_cast<QMainWindow*>(widget) != nullptr) {
            widget->activateWindow();
            return QTest::qWaitFor([widget] { return widget->isActiveWindow(); }, kPatience);
        }
    }
    return false;
}

QWindow* windowWithTheKeys()
{
    const QWidget* widget = QApplication::activePopupWidget();
    widget = widget != nullptr ? widget : QApplication::activeModalWidget();
    if (widget == nullptr && QApplication::activeWindow() == nullptr && !activateAgain()) {
        qFatal("no window has the focus");
    }
    widget = widget != nullptr ? widget : QApplication::activeWindow();
    return widget->window()->windowHandle();
}

} // namespace

Keyboard::Keyboard()
{
    qApp->installEventFilter(this);
}

bool Keyboard::eventFilter(QObject* /*watched*/, QEvent* event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
    case QEvent::MouseMove:
    case QEvent::Wheel:
    case QEvent::TouchBegin:
    case QEvent::TabletPress:
        ++m_pointerEvents;
        break;
    default:
        break;
    }
    return false;
}

void Keyboard::press(Qt::Key key, Qt::KeyboardModifiers modifiers)
{
    QTest::keyClick(windowWithTheKeys(), key, modifiers);
}

void Keyboard::type(const QString& text)
{
    for (const QChar letter : text) {
        QTest::keyClick(windowWithTheKeys(), letter.toLatin1());
    }
}

bool Keyboard::tabTo(const QString& name)
{
    for (int stop = 0; stop < kMostStops; ++stop) {
        if (isIn(QApplication::focusWidget(), name)) {
            return true;
        }
        press(Qt::Key_Tab);
    }
    return false;
}

bool Keyboard::arrowTo(const QString& name, Qt::Key arrow)
{
    for (int stop = 0; stop < kMostStops; ++stop) {
        const QWidget* before = QApplication::focusWidget();
        if (isIn(before, name)) {
            return true;
        }
        press(arrow);
        if (QApplication::focusWidget() == before) {
            return false;
        }
    }
    return false;
}

bool Keyboard::chooseInMenu(const QString& action)
{
    const auto* menu = qobject_cast<const QMenu*>(QApplication::activePopupWidget());
    for (qsizetype i = 0; menu != nullptr && i <= menu->actions().size(); ++i) {
        const QAction* current = menu->activeAction();
        if (current != nullptr && current->objectName() == action) {
            press(Qt::Key_Return);
            return true;
        }
        press(Qt::Key_Down);
    }
    return false;
}

QString Keyboard::focusWords()
{
    QStringList path;
    for (const QWidget* w = QApplication::focusWidget(); w && path.size() < 4;
         w = w->parentWidget()) {
        path.prepend(w->objectName().isEmpty() ? w->metaObject()->className() : w->objectName());
    }
    return "the focus is on " + path.join('/');
}

} // namespace cannery::tests
