// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
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

/// How a task's process ended.
struct TaskEnd
{
    int code = 0;   ///< its exit code; 128 + signal if one ended it
    int signal = 0; ///< 0: none

    /// "was killed by signal 9", "ended with exit code 3".
    std::string words() const;
};

/// A process of a task, in a process group of its own (Ctrl-C reaches its launcher alone), without
/// standard input. The system kills it when the launcher ends, however that ends. One thread.
class TaskProcess
{
public:
    /// "process.not_started", or an error of its log.
    static Result<std::unique_ptr<TaskProcess>> start(const TaskProgram& task);
    /// Kills it if it has not ended.
    ~TaskProcess();
    TaskProcess(const TaskProcess&) = delete;
    TaskProcess& operator=(const TaskProcess&) = delete;

    pid_t id() const { return m_process; }
    /// Its end, if it has ended. Does not wait.
    std::optional<TaskEnd> end();
    void signal(int number) const;

    /// Of a task that is shown: where to read its stdout and stderr, without blocking. -1 for
    /// others.
    int output() const { return m_output; }
    int diagnostics() const { return m_diagnostics; }

private:
    TaskProcess() = default;

    pid_t m_process = -1;
    std::optional<TaskEnd> m_end;
    int m_output = -1;
    int m_diagnostics = -1;
};

} // namespace cannery::launch
