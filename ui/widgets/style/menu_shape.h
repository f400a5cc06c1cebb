// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QMenu;

namespace cannery::ui {

/// Gives a menu the shape of its panel, so that its corners are not black where no compositor
/// blends windows. Call once for each menu.
void shapeMenu(QMenu& menu);

/// The radius of a menu's corners, in pixels.
inline constexpr double kMenuRadius = 8;

} // namespace cannery::ui
