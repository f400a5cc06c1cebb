// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QLabel;

namespace cannery::ui {

/// Makes Qt's tooltip show its text literally, wrapped at a readable width and cut to a length that
/// fits on a screen. Called by the style before the tooltip gets a text.
void makeTipPlain(QLabel& tip);

} // namespace cannery::ui
