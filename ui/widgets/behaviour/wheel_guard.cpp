// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/behaviour/wheel_guard.h"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QScrollBar>

namespace cannery::ui {
namespace {

QWidget* boxOf(QObject* object)
{
    const bool isBox =
        qobject_cast<QComboBox*>(object) || qobject_cast<QAbstractSpinBox*>(object) ||
        (qobject_cast<QAbstractSlider*>(object) && !qobject_cast<QScrollBar*>(object));
    return isBox ? static_cast<QWidget*>(object) : nullptr;
}

class WheelGuard : public QObject
{
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::Wheel && event->type() != QEvent::Polish) {
            return false;
        }
        QWidget* box = boxOf(watched);
        if (box == nullptr) {
            return false;
        }
        if (event->type() == QEvent::Polish) {
            // Qt gives the focus before it delivers the event.
            if (box->focusPolicy() == Qt::WheelFocus) {
                box->setFocusPolicy(Qt::StrongFocus);
            }
            return false;
        }
        // A page that is scrolled must not change a value that passes below the pointer.
        const QWidget* focus = QApplication::focusWidget();
        if (focus != nullptr && (focus == box || box->isAncestorOf(focus))) {
            return false;
        }
        event->ignore(); // so that it goes on to the parent
        return true;
    }
};

} // namespace

void guardWheel(QApplication& application)
{
    application.installEventFilter(new WheelGuard(&application));
}

} // namespace cannery::ui
