// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

/// Initializes the icons and digits linked into the program. May be called repeatedly.
void initialiseResources();

} // namespace cannery::ui
