// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QString>
#include <QUrl>

#include <functional>

namespace cannery::ui {

/// Gives a file, a folder or an address of the web to the program that the desktop has for it
/// (xdg-open) and says whether one took it: `done` is called in `context`'s thread, later, with an
/// empty text, or with a sentence that says what did not open and what to do. Nothing is called
/// once `context` is gone. Programs and starters (*.desktop) are never started: a file's name may
/// come out of somebody's project.
void openOutside(QObject* context, const QUrl& what, std::function<void(const QString&)> done);
void openOutside(QObject* context, const QString& path, std::function<void(const QString&)> done);

} // namespace cannery::ui
