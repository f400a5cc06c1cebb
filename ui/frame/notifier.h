// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>

namespace cannery::ui {

/// Messages of the desktop (org.freedesktop.Notifications), for what happens while the window is
/// not in front. Without a session bus nothing happens. GUI thread.
class Notifier : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    void send(const QString& title, const QString& body);
};

} // namespace cannery::ui
