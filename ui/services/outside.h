// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QString>
#include <QUrl>

#include <functional>

namespace cannery::ui {

/// Opens a file, a folder or a web address with the desktop's program for it (xdg-open). `done` is
/// called later in `context`'s thread, with an empty text or with a sentence that says what did not
/// open and what to do; not if `context` has been destroyed. Programs and launchers (*.desktop) are
/// never started: a file name may come from someone else's project.
void openOutside(QObject* context, const QUrl& what, std::function<void(const QString&)> done);
void openOutside(QObject* context, const QString& path, std::function<void(const QString&)> done);

} // namespace cannery::ui
