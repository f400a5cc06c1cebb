// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/behaviour/input_watch.h"

#include "ui/widgets/style/painting.h"

#include <QApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QMenuBar>
#include <QPointer>
#include <QWidget>

namespace cannery::ui {
namespace {

/// Focus rings appear with the first navigation key and disappear with a mouse press.
class InputWatch : public QObject
{
public:
    using QObject::QObject;
    bool usesKeys = false;

protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override
    {
        const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::KeyRelease;
        if (isKey && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Alt) {
            updateMenuBars();
        } else if (event->type() == QEvent::KeyPress) {
            set(true);
        } else if (event->type() == QEvent::MouseButtonPress) {
            set(false);
        }
        return false;
    }

private:
    /// Access keys are underlined while Alt is held.
    static void updateMenuBars()
    {
        if (const QWidget* window = QApplication::activeWindow()) {
            for (QMenuBar* bar : window->findChildren<QMenuBar*>()) {
                bar->update();
            }
        }
    }

    void set(bool keys)
    {
        if (usesKeys == keys) {
            return;
        }
        usesKeys = keys;
        if (QWidget* focus = QApplication::focusWidget()) {
            focus->update();
        }
    }
};

QPointer<InputWatch>& watch()
{
    static QPointer<InputWatch> theWatch;
    return theWatch;
}

} // namespace

void watchInput(QApplication& application)
{
    watch() = new InputWatch(&application);
    application.installEventFilter(watch());
}

bool focusRingsVisible()
{
    return watch() && watch()->usesKeys;
}

bool showsFocusRing(const QWidget& widget)
{
    return widget.hasFocus() && widget.isEnabled() && focusRingsVisible();
}

} // namespace cannery::ui
