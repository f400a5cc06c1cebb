// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"

namespace cannery::ui {

/// Connects what asks before it does something: New Project…, the label of a dropped table, Predict
/// File…. Once, with the window that the dialogs belong to.
void connectPageDialogs(const PageContext& context, QWidget* window);

} // namespace cannery::ui
