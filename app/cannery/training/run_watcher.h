// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/base/exit_code.h"

#include <string>

namespace cannery::app {

/// Prints the progress of a run folder's engine like that of a training in this process (with JSON:
/// each status and log line as an object on stdout) until it ends. Ctrl-C leaves it running and
/// says so. If the engine disappears, waits a while for its supervisor to restart it. Returns Done
/// if the run finished, was stopped, or was left running.
ExitCode watchRun(Console& console, const std::string& folder);

} // namespace cannery::app
