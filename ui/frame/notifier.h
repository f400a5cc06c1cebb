// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>

namespace cannery::ui {

/// Desktop notifications (org.freedesktop.Notifications) for events while the window is not in
/// front. Does nothing without a session bus. GUI thread.
class Notifier : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    void send(const QString& title, const QString& body);
};

} // namespace cannery::ui
