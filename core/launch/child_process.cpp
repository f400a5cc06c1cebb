// SPDX-License-Identifier: Apache-2.0
#include "core/launch/child_process.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

namespace cannery::launch {

namespace {

constexpr ErrorKind kEndedBySignal{"process.ended_by_signal", "Signal {} ended the engine."};
constexpr ErrorKind kEndedByCode{"process.ended_by_code", "The engine ended with exit code {}."};

constexpr const char* kSelf = "/proc/self/exe";
constexpr std::size_t kMostOutput = std::size_t{1} << 20U;
constexpr int kPollMilliseconds = 200;

std::vector<char*> wordsOf(const std::vector<std::string>& arguments, std::string& name)
{
    std::vector<char*> words{name.data()};
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    return words;
}

/// Both ends of a pipe; closes them.
class Pipe
{
public:
    static std::optional<Pipe> open()
    {
        Pipe pipe;
        if (pipe2(pipe.m_ends.data(), O_CLOEXEC) != 0) {
            return std::nullopt;
        }
        return pipe;
    }
    Pipe(Pipe&& other) noexcept : m_ends(other.m_ends) { other.m_ends = {-1, -1}; }
    Pipe& operator=(Pipe&&) = delete;
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }

    int end(std::size_t which) const { return m_ends[which]; }
    void closeEnd(std::size_t which)
    {
        if (m_ends[which] >= 0) {
            close(m_ends[which]);
            m_ends[which] = -1;
        }
    }

private:
    Pipe() = default;

    std::array<int, 2> m_ends{-1, -1};
};

/// Reads until the other end is closed; passes on a stop once.
std::string readOutput(int descriptor, pid_t child, const std::atomic<bool>& stop)
{
    std::string output;
    bool hasPassedOn = false;
    std::array<char, 4096> bytes{};
    while (true) {
        if (stop.load() && !hasPassedOn) {
            hasPassedOn = true;
            kill(child, SIGTERM);
        }
        pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
        if (poll(&wait, 1, kPollMilliseconds) <= 0) {
            continue;
        }
        const ssize_t size = read(descriptor, bytes.data(), bytes.size());
        if (size == 0 || (size < 0 && errno != EINTR)) {
            return output;
        }
        if (size > 0 && output.size() < kMostOutput) {
            output.append(bytes.data(), static_cast<std::size_t>(size));
        }
    }
}

Result<pid_t> spawnSelf(const std::vector<std::string>& arguments, int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::string name = "cannery";
    const std::vector<char*> words = wordsOf(arguments, name);
    pid_t child = 0;
    const int failure = posix_spawn(&child, kSelf, &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        return fail(ErrorCode::Internal, kProgramNotStarted, kSelf, std::strerror(failure));
    }
    return child;
}

/// In the child between fork and exec: system calls only.
[[noreturn]] void becomeDetached(char* const* words)
{
    setsid();
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        dup2(nothing, descriptor);
    }
    close_range(STDERR_FILENO + 1, ~0U, 0);
    execve(kSelf, words, environ);
    _exit(127);
}

} // namespace

Result<ChildOutcome> runSelf(const std::vector<std::string>& arguments,
                             const std::atomic<bool>& stop)
{
    std::optional<Pipe> pipe = Pipe::open();
    if (!pipe) {
        return fail(ErrorCode::ResourceExhausted, kProgramNotStarted, kSelf, std::strerror(errno));
    }
    CANNERY_TRY_ASSIGN(const pid_t child, spawnSelf(arguments, pipe->end(1)));
    pipe->closeEnd(1);
    ChildOutcome outcome{.output = readOutput(pipe->end(0), child, stop)};
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) {
        outcome.exitCode = WEXITSTATUS(status);
    } else if (WIFSIGNALED(status)) {
        outcome.signal = WTERMSIG(status);
    }
    return outcome;
}

Error failureOf(const ChildOutcome& outcome)
{
    Error failure = outcome.signal != 0 ? error(ErrorCode::Aborted, kEndedBySignal, outcome.signal)
                                        : error(ErrorCode::Unknown, kEndedByCode, outcome.exitCode);
    const auto json = nlohmann::json::parse(outcome.output, nullptr, false);
    if (json.is_object() && json.contains("error") && json["error"].is_object()) {
        failure.id = json["error"].value("id", failure.id);
        failure.sentence = json["error"].value("sentence", failure.sentence);
    }
    return failure;
}

Result<void> startSelfDetached(const std::vector<std::string>& arguments)
{
    std::string name = "cannery";
    const std::vector<char*> words = wordsOf(arguments, name);
    const pid_t middle = fork();
    if (middle < 0) {
        return fail(ErrorCode::ResourceExhausted, kProgramNotStarted, kSelf, std::strerror(errno));
    }
    if (middle == 0) {
        // Forked twice, so that the remaining process belongs to init and never becomes our zombie.
        if (fork() == 0) {
            becomeDetached(words.data());
        }
        _exit(0);
    }
    while (waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
    }
    return {};
}

} // namespace cannery::launch
