// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/descriptor.h"
#include "core/base/exit_code.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cannery {

/// How a process ended.
struct ExitStatus
{
    /// Its exit code; 128 + signal if one ended it, as shells count; 255 if nobody can know: where
    /// SIGCHLD is ignored, and in a fork of its parent.
    int code = 0;
    int signal = 0; ///< 0 if there is none

    /// By itself, not by a signal.
    bool exitedWith(ExitCode own) const { return signal == 0 && code == static_cast<int>(own); }
    /// "was killed by signal 9", "ended with exit code 3".
    std::string text() const;
};

/// Where a standard stream of a new process leads.
struct ProcessStream
{
    enum class Kind
    {
        Inherited,    ///< where that of this process does
        Null,         ///< /dev/null
        Pipe,         ///< to this process, which gets the other end
        SameAsOutput, ///< for diagnostics
        Descriptor,   ///< to `descriptor`, which the caller keeps
    };

    Kind kind = Kind::Inherited;
    int descriptor = -1;
};

struct ProcessOptions
{
    /// A path, or a name without '/' that PATH leads to. A relative one starts at `folder`.
    std::string program;
    std::vector<std::string> words;     ///< argv, with its own name. No shell reads them
    std::vector<std::string> variables; ///< "NAME=value", added to this process's or instead
    std::string folder;                 ///< its working directory; ours if empty
    ProcessStream input;
    ProcessStream output;
    ProcessStream diagnostics;
    int passed = -1;             ///< a descriptor above 2 that it gets under the same number
    bool closesOthers = false;   ///< it gets no further ones; otherwise all without FD_CLOEXEC
    bool hasOwnGroup = false;    ///< Ctrl-C does not reach it, and signalGroup() what it starts
    bool diesWithParent = false; ///< killed when the thread that starts it ends, however it does
    /// No signal is blocked, and those that ask for an end are not ignored, as programs of others
    /// expect. Otherwise it inherits both.
    bool hasDefaultSignals = false;
};

/// A child of this process, from its start to its end. Start as many as you like from any threads,
/// but use each in one thread at a time.
///
/// All children come from here but two kinds: that of the supervisor, which goes on in this
/// program instead of executing one, and those of tests.
class Process
{
public:
    /// Returns when the program runs, or the system's reason why it does not: a folder or program
    /// that is missing, too many processes.
    static tl::expected<Process, std::error_code> start(const ProcessOptions& options);

    /// Starts a program in a session of its own, as a child of init: it outlives us, and nobody
    /// waits for it. Its streams cannot be pipes.
    static tl::expected<void, std::error_code> startDetached(const ProcessOptions& options);

    /// A child that fork() has made.
    explicit Process(pid_t child) : m_id(child) {}
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    /// Kills it, not its group, if it has not ended.
    ~Process();

    pid_t id() const { return m_id; }
    /// Its end, if it has ended. Does not wait.
    std::optional<ExitStatus> end();
    ExitStatus wait();
    /// Nothing happens once its end is known: its number may be another process's by then.
    void signal(int number) const;
    /// The same for its whole group, if it has its own.
    void signalGroup(int number) const;

    /// Our ends of its pipes. -1: there is none.
    int input() const { return m_input.number(); }
    int output() const { return m_output.number(); }
    int diagnostics() const { return m_diagnostics.number(); }
    /// It reads the end.
    void closeInput() { m_input.close(); }

private:
    void look(int flags);

    pid_t m_id;
    std::optional<ExitStatus> m_end;
    Descriptor m_input;
    Descriptor m_output;
    Descriptor m_diagnostics;
};

} // namespace cannery
