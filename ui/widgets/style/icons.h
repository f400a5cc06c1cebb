// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <QString>

class QPainter;

namespace cannery::ui {

/// A symbolic icon ("player-play") that follows the text colour, the theme, the state and the
/// device pixel ratio. A name that is not in resources/icons is a bug and ends the program.
QIcon icon(const QString& name);
/// Like icon(), in one colour.
QIcon icon(const QString& name, const QColor& colour);

/// For painted widgets: cached by name, colour, size and ratio. `size` in screen pixels at ratio 1.
QPixmap iconPixmap(const QString& name, const QColor& colour, int size, qreal ratio);
/// In the middle of the rectangle.
void paintIcon(QPainter& painter, const QRectF& where, const QString& name, const QColor& colour,
               int size);
bool hasIcon(const QString& name);

} // namespace cannery::ui
