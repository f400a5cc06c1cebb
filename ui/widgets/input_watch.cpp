#include "ui/widgets/input_watch.h"

#include "ui/widgets/painting.h"

#include <QApplication>
#include <QEvent>
#include <QPointer>
#include <QWidget>

namespace cannery::ui {
namespace {

/// Focus rings come with the first key that moves something and go with a press of the mouse.
class InputWatch : public QObject
{
public:
    using QObject::QObject;
    bool usesKeys = false;

protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override
    {
        if (event->type() == QEvent::KeyPress) {
            set(true);
        } else if (event->type() == QEvent::MouseButtonPress) {
            set(false);
        }
        return false;
    }

private:
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
