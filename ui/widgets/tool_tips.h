// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QLabel;

namespace cannery::ui {

/// Makes Qt's tool tip show its text as it is written, wrapped at a readable width and cut at a
/// length that fits on a screen. Called by the style, before the tip gets a text.
void makeTipPlain(QLabel& tip);

} // namespace cannery::ui
