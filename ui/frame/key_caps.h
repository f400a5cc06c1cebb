// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QSize>
#include <QStringList>

class QPainter;
class QRect;

namespace cannery::ui {

/// Small boxes as keys have them: "Ctrl", "Shift", "S".
QSize keyCapsSize(const QStringList& keys);
void paintKeyCaps(QPainter& painter, const QRect& where, const QStringList& keys);
/// "Ctrl+Shift+S" in its parts; "+" itself stays one.
QStringList keyParts(const QString& shortcut);

} // namespace cannery::ui
