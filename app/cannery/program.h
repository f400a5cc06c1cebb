// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/exit_code.h"

#include <string>
#include <vector>

namespace cannery::app {

/// Runs `cannery <words>`: finds the command, parses its options, runs it.
ExitCode runProgram(const std::vector<std::string>& words);

} // namespace cannery::app
