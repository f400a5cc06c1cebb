// SPDX-License-Identifier: Apache-2.0
#include "core/launch/background_process.h"

#include "core/launch/child_process.h"
#include "core/launch/sleep_inhibitor.h"
#include "storage/io/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace cannery::launch {

namespace {

constexpr const char* kSelf = "/proc/self/exe";
constexpr const char* kPipeVariable = "CANNERY_SUPERVISOR_PIPE";
constexpr int kNotFound = 127;

/// What is executed, prepared before the fork: between fork and exec nothing may be allocated.
struct Program
{
    std::vector<std::string> words;
    std::vector<std::string> variables;
    std::vector<char*> wordPointers;
    std::vector<char*> variablePointers;
};

std::vector<char*> pointersOf(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// The arguments that this process was started with.
std::vector<std::string> ownWords()
{
    const std::string all =
        storage::readWholeFile("/proc/self/cmdline").value_or(std::string("cannery"));
    std::vector<std::string> words;
    std::size_t begin = 0;
    for (std::size_t end = all.find('\0'); end != std::string::npos; end = all.find('\0', begin)) {
        words.push_back(all.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

Program programFor(SessionKind kind, int pipe)
{
    Program program;
    program.words = ownWords();
    if (kind == SessionKind::OwnScope) {
        std::error_code failure;
        program.words[0] = std::filesystem::read_symlink(kSelf, failure).string();
        const std::vector<std::string> scope{"systemd-run", "--user",    "--scope",
                                             "--quiet",     "--collect", "--"};
        program.words.insert(program.words.begin(), scope.begin(), scope.end());
    }
    for (char** variable = environ; *variable != nullptr; ++variable) {
        program.variables.emplace_back(*variable);
    }
    program.variables.push_back(fmt::format("{}={}", kPipeVariable, pipe));
    program.wordPointers = pointersOf(program.words);
    program.variablePointers = pointersOf(program.variables);
    return program;
}

/// In the child between fork and exec: system calls only.
[[noreturn]] void become(SessionKind kind, const Program& program, int pipe)
{
    setsid();
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        dup2(nothing, descriptor);
    }
    fcntl(pipe, F_SETFD, 0);
    if (kind == SessionKind::OwnScope) {
        execvpe("systemd-run", program.wordPointers.data(), program.variablePointers.data());
    } else {
        execve(kSelf, program.wordPointers.data(), program.variablePointers.data());
    }
    _exit(kNotFound);
}

bool isSocket(const std::string& path)
{
    struct stat facts
    {};
    return stat(path.c_str(), &facts) == 0 && S_ISSOCK(facts.st_mode);
}

/// Whether this user's systemd can be reached.
bool hasUserManager()
{
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    return hasSystemd() && runtime != nullptr &&
           isSocket(std::string(runtime) + "/systemd/private");
}

} // namespace

std::vector<SessionKind> sessionKinds()
{
    if (hasUserManager()) {
        return {SessionKind::OwnScope, SessionKind::Plain};
    }
    return {SessionKind::Plain};
}

Result<int> startBackgroundSelf(SessionKind kind)
{
    std::array<int, 2> pipe{-1, -1};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
        return fail(ErrorCode::ResourceExhausted, kProgramNotStarted, "cannery",
                    std::strerror(errno));
    }
    const Program program = programFor(kind, pipe[1]);
    const pid_t middle = fork();
    if (middle == 0) {
        // Forked twice, so that the remaining process belongs to init and never becomes our zombie.
        if (fork() == 0) {
            become(kind, program, pipe[1]);
        }
        _exit(0);
    }
    const int reason = errno;
    close(pipe[1]);
    if (middle < 0) {
        close(pipe[0]);
        return fail(ErrorCode::ResourceExhausted, kProgramNotStarted, "cannery",
                    std::strerror(reason));
    }
    while (waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
    }
    return pipe[0];
}

bool isInBackground()
{
    static const bool s_isInBackground = std::getenv(kPipeVariable) != nullptr;
    return s_isInBackground;
}

int backgroundPipe()
{
    static const int s_pipe = [] {
        int pipe = -1;
        if (isInBackground()) {
            const std::string_view text = std::getenv(kPipeVariable);
            std::from_chars(text.data(), text.data() + text.size(), pipe);
            unsetenv(kPipeVariable);
        }
        struct stat facts
        {};
        const bool isPipe = fstat(pipe, &facts) == 0 && S_ISFIFO(facts.st_mode);
        return isPipe && fcntl(pipe, F_SETFD, FD_CLOEXEC) == 0 ? pipe : -1;
    }();
    return s_pipe;
}

} // namespace cannery::launch
