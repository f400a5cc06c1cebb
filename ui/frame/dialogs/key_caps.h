// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QSize>
#include <QStringList>

class QPainter;
class QRect;

namespace cannery::ui {

/// Small boxes that look like keys: "Ctrl", "Shift", "S".
QSize keyCapsSize(const QStringList& keys);
void paintKeyCaps(QPainter& painter, const QRect& where, const QStringList& keys);
/// The parts of "Ctrl+Shift+S"; "+" itself stays one.
QStringList keyParts(const QString& shortcut);

} // namespace cannery::ui
