// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console.h"

#include <string>

namespace cannery::app {

/// Says so when a project cannot be written, on behalf of a command that only reads it. `project`
/// empty: what is read belongs to none.
void noteIfReadOnly(const Console& console, const std::string& project);

} // namespace cannery::app
