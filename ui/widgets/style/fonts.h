// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/style/theme.h"

namespace cannery::ui {

/// The font of a role at a body size in pixels: Inter and JetBrains Mono as installed, otherwise
/// the desktop's families. Digits have equal widths.
QFont fontOf(TextRole role, double bodyPixels, bool desktopFamily);
/// The size of the desktop's own font at program start.
double desktopFontPixels();

} // namespace cannery::ui
