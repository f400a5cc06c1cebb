// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/process.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace cannery::launch {

/// What a task of a cluster runs.
struct TaskProgram
{
    std::string name;                   ///< "worker:1"
    std::string program;                ///< its path
    std::vector<std::string> words;     ///< its arguments, without its own name
    std::vector<std::string> variables; ///< "NAME=value", added to this process's or instead
    std::string log;                    ///< the file that gets its output; exists
    /// The launcher reads its output and passes it on to the log; otherwise it goes there directly.
    bool isShown = false;
};

/// A process of a task, in a process group of its own (Ctrl-C reaches its launcher alone), without
/// standard input. The system kills it when the launcher ends, however that ends.
/// Errors are those of notStarted() and of its log.
Result<Process> startTask(const TaskProgram& task);

} // namespace cannery::launch
