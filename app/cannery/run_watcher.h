// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console.h"
#include "app/cannery/exit_code.h"

#include <string>

namespace cannery::app {

/// Prints how the engine of a run folder is getting on as a training does that runs here (with
/// JSON: each status and log line as an object on stdout), until it ends. Ctrl-C leaves it running
/// and says so. An engine that is gone without a word is waited for a while: its supervisor may
/// start it again. Done when the run was finished or stopped, or when it was left.
ExitCode watchRun(Console& console, const std::string& folder);

} // namespace cannery::app
