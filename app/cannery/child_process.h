// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <atomic>
#include <string>
#include <vector>

namespace cannery::app {

/// Said of the program and the system's reason by each place that starts one.
inline constexpr ErrorKind kProgramNotStarted{"process.not_started",
                                              "The program {} could not be started: {}."};

/// How a program ended.
struct ChildOutcome
{
    int exitCode = -1; ///< below 0: a signal ended it
    int signal = 0;
    std::string output; ///< what it wrote to stdout, the first MiB
};

/// Runs this program again with other arguments to its end, in a process group of its own, so that
/// Ctrl-C reaches only this one; when `stop` is raised the child gets one SIGTERM and is waited
/// for. Its stderr is ours.
Result<ChildOutcome> runSelf(const std::vector<std::string>& arguments,
                             const std::atomic<bool>& stop);

/// Starts this program again in a session of its own, with nothing open, and does not wait.
Result<void> startSelfDetached(const std::vector<std::string>& arguments);

} // namespace cannery::app
