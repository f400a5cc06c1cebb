// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"

namespace cannery::ui {

/// Connects the dialogs of the pages: New Project…, the label of a dropped table, Predict File….
/// Called once, with the window that owns the dialogs.
void connectPageDialogs(const PageContext& context, QWidget* window);

} // namespace cannery::ui
