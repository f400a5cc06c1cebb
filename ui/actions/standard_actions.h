// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

class ActionRegistry;

/// Adds all actions of the window except those of its pages ("action.page_data"), which come from
/// the page catalog. Nothing is connected yet.
void addStandardActions(ActionRegistry& registry);

} // namespace cannery::ui
