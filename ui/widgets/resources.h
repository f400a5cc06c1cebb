#pragma once

namespace cannery::ui {

/// Icons and digits are linked into the program. Any number of times.
void initialiseResources();

} // namespace cannery::ui
