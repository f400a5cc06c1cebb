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
    // The body of a notification may hold markup; a name out of a project is none.
    QDBusMessage call = QDBusMessage::createMethodCall("org.freedesktop.Notifications",
                                                       "/org/freedesktop/Notifications",
                                                       "org.freedesktop.Notifications", "Notify");
    call << QCoreApplication::applicationName() << 0U << QString("cannery-workbench") << title
         << body.toHtmlEscaped() << QStringList() << QVariantMap() << kUsualTime;
    bus.send(call);
}

} // namespace cannery::ui
