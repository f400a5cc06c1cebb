// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/theme.h"

namespace cannery::ui {

/// The font of a role at a body size in pixels: Inter and JetBrains Mono from where the system
/// keeps them, else the desktop's families. Digits have equal widths.
QFont fontOf(TextRole role, double bodyPixels, bool desktopFamily);
/// Size of the desktop's own font as it was at start.
double desktopFontPixels();

} // namespace cannery::ui
