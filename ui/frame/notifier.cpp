// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/notifier.h"

#include <QCoreApplication>
#include <QDBusConnection>
#include <QDBusMessage>

namespace cannery::ui {

void Notifier::send(const QString& title, const QString& body)
{
    if (!qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS")) {
        return;
    }
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) {
        return;
    }
    constexpr int kUsualTime = -1;
    // A notification's body may contain markup; a name from a project must not.
    QDBusMessage call = QDBusMessage::createMethodCall("org.freedesktop.Notifications",
                                                       "/org/freedesktop/Notifications",
                                                       "org.freedesktop.Notifications", "Notify");
    call << QCoreApplication::applicationName() << 0U << QString("cannery-workbench") << title
         << body.toHtmlEscaped() << QStringList() << QVariantMap() << kUsualTime;
    bus.send(call);
}

} // namespace cannery::ui
