// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace cannery::train {

struct ProgramRun
{
    /// The program, found as a shell would (by PATH, or relative to the folder), and its arguments.
    /// No shell reads them.
    std::vector<std::string> words;
    std::string folder; ///< the working folder
    std::chrono::milliseconds timeout{0};
    std::function<bool()> mustEnd; ///< asked ten times a second; may be empty
};

enum class ProgramEnding
{
    Exited,
    Signalled, ///< killed by somebody else, or crashed
    TimedOut,  ///< killed here, as the next
    Abandoned, ///< mustEnd() has become true
};

struct ProgramOutcome
{
    ProgramEnding ending = ProgramEnding::Exited;
    int code = 0; ///< of Exited: its exit code; of Signalled: the signal
    double seconds = 0;
    std::string output; ///< stdout and stderr as they came, the first 64 KiB

    bool succeeded() const { return ending == ProgramEnding::Exited && code == 0; }
};

/// Runs a program to its end, in a process group of its own, which is killed as a whole; stdin is
/// empty. What it leaves running in the background is not waited for. "train.program_not_started".
Result<ProgramOutcome> runProgram(const ProgramRun& run);

} // namespace cannery::train
