// SPDX-License-Identifier: Apache-2.0
#include "core/launch/background_process.h"

#include "core/launch/child_process.h"
#include "core/launch/sleep_inhibitor.h"
#include "storage/io/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

namespace cannery::launch {

namespace {

constexpr const char* kPipeVariable = "CANNERY_SUPERVISOR_PIPE";

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

ProcessOptions optionsFor(SessionKind kind, int pipe)
{
    ProcessOptions options{.program = kThisProgram,
                           .words = ownWords(),
                           .variables = {fmt::format("{}={}", kPipeVariable, pipe)},
                           .passed = pipe};
    // Nothing is left of the terminal.
    options.input.kind = options.output.kind = options.diagnostics.kind = ProcessStream::Kind::Null;
    if (kind == SessionKind::OwnScope) {
        std::error_code failure;
        // systemd-run would take /proc/self for itself.
        options.words[0] = std::filesystem::read_symlink(kThisProgram, failure).string();
        const std::vector<std::string> scope{"systemd-run", "--user",    "--scope",
                                             "--quiet",     "--collect", "--"};
        options.words.insert(options.words.begin(), scope.begin(), scope.end());
        options.program = scope.front();
    }
    return options;
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
        // A scope of its own survives the end of the session.
        return {SessionKind::OwnScope, SessionKind::Plain};
    }
    return {SessionKind::Plain};
}

Result<Descriptor> startBackgroundSelf(SessionKind kind)
{
    tl::expected<Pipe, std::error_code> pipe = openPipe();
    if (!pipe) {
        return tl::make_unexpected(notStarted("cannery", pipe.error()));
    }
    const auto started = Process::startDetached(optionsFor(kind, pipe->writing.number()));
    // systemd-run may be missing: one more way that does not work here.
    if (!started && kind != SessionKind::OwnScope) {
        return tl::make_unexpected(notStarted("cannery", started.error()));
    }
    return std::move(pipe->reading);
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
            // Not for programs that are started from here.
            unsetenv(kPipeVariable);
        }
        struct stat facts
        {};
        // A number from the environment may be anything.
        const bool isPipe = fstat(pipe, &facts) == 0 && S_ISFIFO(facts.st_mode);
        return isPipe && fcntl(pipe, F_SETFD, FD_CLOEXEC) == 0 ? pipe : -1;
    }();
    return s_pipe;
}

} // namespace cannery::launch
