// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/process.h"
#include "core/base/result.h"

#include <atomic>
#include <string>
#include <vector>

namespace cannery::launch {

/// The running program, even if its file has been replaced since.
inline constexpr const char* kThisProgram = "/proc/self/exe";

/// "process.not_started": ResourceExhausted for lack of memory, processes or descriptors, Internal
/// if the program cannot be executed.
Error notStarted(const std::string& program, std::error_code reason);

/// How a program ended.
struct ChildOutcome
{
    ExitStatus status;
    std::string output; ///< what it wrote to stdout, the first MiB
};

/// Runs this program again with other arguments and waits for it. It gets its own process group, so
/// Ctrl-C reaches only the parent; when `stop` is set, the child gets one SIGTERM and is waited
/// for. It shares our stderr.
Result<ChildOutcome> runSelf(const std::vector<std::string>& arguments,
                             const std::atomic<bool>& stop);

/// Why a child failed: the error that it printed with --json, or how it ended.
Error failureOf(const ChildOutcome& outcome);

/// Starts this program again in a session of its own, with no open files, and does not wait.
Result<void> startSelfDetached(const std::vector<std::string>& arguments);

} // namespace cannery::launch
