// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"

#include <string>

namespace cannery::app {

/// Prints a note if a project is read-only, for a command that only reads it. `project` empty: what
/// is read belongs to no project.
void noteIfReadOnly(const Console& console, const std::string& project);

} // namespace cannery::app
