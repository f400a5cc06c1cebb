// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/program_run.h"

#include "core/base/check.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace cannery::train {
namespace {

constexpr ErrorKind kNotStarted{"train.program_not_started",
                                "The program {} could not be started in {}: {}."};

constexpr std::size_t kMostOutput = std::size_t{64} << 10U;
constexpr int kLookEveryMilliseconds = 100;

/// The reading end of what a program writes.
class OutputPipe
{
public:
    OutputPipe() { m_isOpen = pipe2(m_ends.data(), O_CLOEXEC) == 0; }
    OutputPipe(const OutputPipe&) = delete;
    OutputPipe& operator=(const OutputPipe&) = delete;
    ~OutputPipe()
    {
        closeWriting();
        if (m_isOpen) {
            close(m_ends[0]);
        }
    }

    bool isOpen() const { return m_isOpen; }
    int writing() const { return m_ends[1]; }
    void closeWriting()
    {
        if (m_isOpen && m_ends[1] >= 0) {
            close(m_ends[1]);
            m_ends[1] = -1;
        }
    }

    /// Waits a moment for output and reads what is there. False at its end.
    bool read(std::string& output, int milliseconds)
    {
        pollfd wait{.fd = m_ends[0], .events = POLLIN, .revents = 0};
        if (poll(&wait, 1, milliseconds) <= 0) {
            return true;
        }
        std::array<char, 4096> bytes{};
        const ssize_t size = ::read(m_ends[0], bytes.data(), bytes.size());
        if (size <= 0) {
            return size < 0 && errno == EINTR;
        }
        const std::size_t kept =
            std::min(static_cast<std::size_t>(size), kMostOutput - output.size());
        output.append(bytes.data(), kept);
        return true;
    }

    /// What is there without waiting.
    void drain(std::string& output)
    {
        std::size_t before = 0;
        do {
            before = output.size();
            read(output, 0);
        } while (output.size() > before);
    }

private:
    std::array<int, 2> m_ends{-1, -1};
    bool m_isOpen = false;
};

/// Attributes and actions of posix_spawn, freed.
class Spawning
{
public:
    Spawning(const std::string& folder, int output)
    {
        posix_spawn_file_actions_init(&m_actions);
        posix_spawn_file_actions_addchdir_np(&m_actions, folder.c_str());
        posix_spawn_file_actions_addopen(&m_actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&m_actions, output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&m_actions, output, STDERR_FILENO);
        posix_spawnattr_init(&m_attributes);
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&m_attributes, &signals);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) {
            sigaddset(&signals, signal);
        }
        posix_spawnattr_setsigdefault(&m_attributes, &signals);
        posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF);
    }
    Spawning(const Spawning&) = delete;
    Spawning& operator=(const Spawning&) = delete;
    ~Spawning()
    {
        posix_spawnattr_destroy(&m_attributes);
        posix_spawn_file_actions_destroy(&m_actions);
    }

    int start(const std::vector<std::string>& words, pid_t& child) const
    {
        std::vector<char*> pointers;
        for (const std::string& word : words) {
            pointers.push_back(const_cast<char*>(word.c_str()));
        }
        pointers.push_back(nullptr);
        return posix_spawnp(&child, pointers.front(), &m_actions, &m_attributes, pointers.data(),
                            environ);
    }

private:
    posix_spawn_file_actions_t m_actions{};
    posix_spawnattr_t m_attributes{};
};

void takeStatus(int status, ProgramOutcome& outcome)
{
    if (WIFEXITED(status)) {
        outcome.code = WEXITSTATUS(status);
    } else if (WIFSIGNALED(status)) {
        outcome.ending = ProgramEnding::Signalled;
        outcome.code = WTERMSIG(status);
    }
}

/// Until the program has ended, or has been killed.
void await(pid_t child, const ProgramRun& run, OutputPipe& pipe, ProgramOutcome& outcome)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto elapsed = [&] { return std::chrono::steady_clock::now() - begin; };
    bool hasOutput = true;
    int status = 0;
    while (true) {
        hasOutput = hasOutput && pipe.read(outcome.output, kLookEveryMilliseconds);
        if (!hasOutput) {
            poll(nullptr, 0, 1); // it has closed its output, and mostly ends at once
        }
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) {
            takeStatus(status, outcome);
            break;
        }
        const bool isLate = elapsed() >= run.timeout;
        if (isLate || (run.mustEnd && run.mustEnd())) {
            outcome.ending = isLate ? ProgramEnding::TimedOut : ProgramEnding::Abandoned;
            kill(-child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
            }
            break;
        }
    }
    pipe.drain(outcome.output);
    outcome.seconds = std::chrono::duration<double>(elapsed()).count();
}

} // namespace

Result<ProgramOutcome> runProgram(const ProgramRun& run)
{
    CANNERY_CHECK(!run.words.empty());
    OutputPipe pipe;
    if (!pipe.isOpen()) {
        return fail(ErrorCode::ResourceExhausted, kNotStarted, run.words.front(), run.folder,
                    std::strerror(errno));
    }
    pid_t child = 0;
    const int failure = Spawning(run.folder, pipe.writing()).start(run.words, child);
    if (failure != 0) {
        return fail(ErrorCode::FailedPrecondition, kNotStarted, run.words.front(), run.folder,
                    std::strerror(failure));
    }
    pipe.closeWriting();
    ProgramOutcome outcome;
    await(child, run, pipe, outcome);
    return outcome;
}

} // namespace cannery::train
