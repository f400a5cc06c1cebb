// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

/// Icons and digits are linked into the program. Any number of times.
void initialiseResources();

} // namespace cannery::ui
