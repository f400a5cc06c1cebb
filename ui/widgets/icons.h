#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace cannery::ui {

/// A symbolic icon ("player-play") that follows the text colour, the theme, the state and the
/// device ratio. A name that is not in resources/icons is a mistake of ours and ends the program.
QIcon icon(const QString& name);
/// The same in one colour.
QIcon icon(const QString& name, const QColor& colour);

} // namespace cannery::ui
