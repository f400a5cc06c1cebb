// SPDX-License-Identifier: Apache-2.0
#include "core/base/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

// New processes are made by vfork(), the only way that serves all users. fork() copies the page
// tables (on a virtual machine 0.7 s for 2 GiB in small pages, where vfork() takes 1 to 10 ms),
// then every thread of the engine faults on each page that it writes, and with strict overcommit it
// fails. posix_spawn() avoids this just as vfork() does, but can neither make a child die with its
// parent nor leave one to init.
//
// Until it executes a program, the child shares our memory, so become() changes none of it and only
// makes system calls; whatever needs memory is prepared before. The calling thread sleeps until
// then, other threads run on.

namespace cannery {

namespace {

constexpr int kInherited = -1;
constexpr int kFirstFree = STDERR_FILENO + 1;
constexpr int kNotStarted = 127; // seen by nobody: the reason is reported instead
constexpr int kSignalCodes = 128;
constexpr int kUnknownEnd = 255;

std::error_code lastError()
{
    return {errno, std::generic_category()};
}

/// What the child does, ready for system calls.
struct Plan
{
    const ProcessOptions& options;
    char* const* paths = nullptr; ///< to try, one after the other
    char* const* words = nullptr;
    char* const* variables = nullptr;
    std::array<int, 3> streams{kInherited, kInherited, kInherited};
    int report = -1; ///< gets errno if it fails; closed by success
    bool isDetached = false;
    pid_t parent = 0;
    sigset_t mask{};
};

// ---- In the child

[[noreturn]] void failIn(const Plan& plan, int reason)
{
    // Nobody is left to report a failure of reporting to.
    (void)!write(plan.report, &reason, sizeof reason);
    _exit(kNotStarted);
}

/// All signals are blocked so far: a handler would change what we share with the parent.
void restoreSignals(const Plan& plan)
{
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action
        {};
        if (sigaction(number, nullptr, &action) != 0) {
            continue; // the C library's own
        }
        const bool isToEnd = number == SIGINT || number == SIGTERM || number == SIGHUP ||
                             number == SIGPIPE || number == SIGQUIT;
        const bool isHandled = action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL;
        if (isHandled || (plan.options.hasDefaultSignals && isToEnd)) {
            action.sa_handler = SIG_DFL;
            action.sa_flags = 0;
            sigaction(number, &action, nullptr);
        }
    }
    sigset_t mask = plan.mask;
    if (plan.options.hasDefaultSignals) {
        // The parent's mask, unless the program is to begin with none.
        sigemptyset(&mask);
    }
    sigprocmask(SIG_SETMASK, &mask, nullptr);
}

bool placeStreams(std::array<int, 3> streams)
{
    // One of them may be in another's place, if we were started without standard streams.
    for (int& stream : streams) {
        if (stream >= 0 && stream < kFirstFree) {
            stream = fcntl(stream, F_DUPFD_CLOEXEC, kFirstFree);
            if (stream < 0) {
                return false;
            }
        }
    }
    for (int place = STDIN_FILENO; place <= STDERR_FILENO; ++place) {
        const int stream = streams[static_cast<std::size_t>(place)];
        if (stream != kInherited && dup2(stream, place) < 0) {
            return false;
        }
    }
    return true;
}

void chooseDescriptors(const Plan& plan)
{
    if (plan.options.closesOthers) {
        close_range(kFirstFree, ~0U, CLOSE_RANGE_CLOEXEC); // `report` must stay until then
    }
    if (plan.options.passed >= 0) {
        // A descriptor that is passed on purpose stays open.
        fcntl(plan.options.passed, F_SETFD, 0);
    }
}

/// Returns the reason if it cannot.
int execute(const Plan& plan)
{
    int reason = ENOENT;
    for (char* const* path = plan.paths; *path != nullptr; ++path) {
        execve(*path, plan.words, plan.variables);
        if (errno == EACCES) {
            reason = EACCES; // a later folder of PATH may have one that may be executed
        } else if (errno != ENOENT && errno != ENOTDIR) {
            return errno;
        }
    }
    return reason;
}

[[noreturn]] void become(const Plan& plan)
{
    if (plan.isDetached) {
        setsid();
    } else if (plan.options.hasOwnGroup) {
        setpgid(0, 0);
    }
    if (plan.options.diesWithParent) {
        // A parent that has died before this call would never be noticed.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != plan.parent) {
            _exit(kSignalCodes + SIGKILL); // it died before the call
        }
    }
    const std::string& folder = plan.options.folder;
    if (!placeStreams(plan.streams) || (!folder.empty() && chdir(folder.c_str()) != 0)) {
        failIn(plan, errno);
    }
    chooseDescriptors(plan);
    restoreSignals(plan);
    failIn(plan, execute(plan));
}

/// The process between us and a detached one: ends when that runs, which then belongs to init and
/// never becomes our zombie.
[[noreturn]] void leaveToInit(const Plan& plan)
{
    const pid_t child = vfork();
    if (child == 0) {
        become(plan);
    }
    if (child < 0) {
        failIn(plan, errno);
    }
    _exit(0);
}

// ---- In the parent

/// Not inlined: the child writes to this frame and below, which nobody reads afterwards.
[[gnu::noinline]] pid_t makeChild(const Plan& plan)
{
    const pid_t child = vfork();
    if (child == 0) {
        if (plan.isDetached) {
            leaveToInit(plan);
        }
        become(plan);
    }
    return child;
}

class BlockedSignals
{
public:
    BlockedSignals()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &m_before);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }

    const sigset_t& before() const { return m_before; }

private:
    sigset_t m_before{};
};

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// Where a program may be. execvpe() would do, but has a shell run files that are not programs.
std::vector<std::string> pathsOf(const std::string& program)
{
    if (program.find('/') != std::string::npos) {
        return {program};
    }
    const char* const variable = std::getenv("PATH");
    std::string_view folders = variable != nullptr ? variable : "/bin:/usr/bin";
    std::vector<std::string> paths;
    while (true) {
        const std::size_t end = folders.find(':');
        const std::string_view folder = folders.substr(0, end);
        // An empty part of PATH is the current folder.
        paths.push_back(folder.empty() ? program : fmt::format("{}/{}", folder, program));
        if (end == std::string_view::npos) {
            return paths;
        }
        folders.remove_prefix(end + 1);
    }
}

/// The variables of this process, but for those that are replaced.
std::vector<std::string> variablesWith(std::vector<std::string> own)
{
    std::vector<std::string> all = std::move(own);
    const std::size_t replaced = all.size();
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const std::string_view begin = text.substr(0, text.find('=') + 1);
        const auto isSame = [&](const std::string& one) { return one.starts_with(begin); };
        // A variable that occurs twice would be read by some programs as the one, by others as the
        // other.
        if (std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(replaced),
                         isSame)) {
            all.emplace_back(text);
        }
    }
    return all;
}

/// The memory and descriptors of a plan, until the child runs.
class Preparation
{
public:
    explicit Preparation(const ProcessOptions& options)
        : m_options(options), m_paths(pathsOf(options.program)), m_words(options.words),
          m_variables(variablesWith(options.variables)), m_pathPointers(pointersTo(m_paths)),
          m_wordPointers(pointersTo(m_words)), m_variablePointers(pointersTo(m_variables))
    {}

    /// The child, or for a detached one what made it, which has ended or is about to.
    tl::expected<pid_t, std::error_code> start(bool isDetached)
    {
        tl::expected<Pipe, std::error_code> report = openPipe();
        if (!report || !openStreams()) {
            return tl::make_unexpected(report ? m_failure : report.error());
        }
        const auto child = makeChild(isDetached, report->writing.number());
        report->writing.close(); // so that the success of the child, which closes its own, is seen
        int reason = 0;
        ssize_t size = -1;
        while (child && (size = read(report->reading.number(), &reason, sizeof reason)) < 0 &&
               errno == EINTR) {
        }
        // Nothing was written: the pipe was closed by a program that runs.
        if (size != sizeof reason) {
            return child;
        }
        // The child that failed must not stay behind as a zombie.
        Process(*child).wait();
        return tl::make_unexpected(std::error_code(reason, std::generic_category()));
    }

    Descriptor ourInput() { return std::move(m_ours[STDIN_FILENO]); }
    Descriptor ourOutput() { return std::move(m_ours[STDOUT_FILENO]); }
    Descriptor ourDiagnostics() { return std::move(m_ours[STDERR_FILENO]); }

private:
    bool openStreams()
    {
        return openStream(STDIN_FILENO, m_options.input) &&
               openStream(STDOUT_FILENO, m_options.output) &&
               openStream(STDERR_FILENO, m_options.diagnostics);
    }

    bool openStream(std::size_t place, const ProcessStream& stream)
    {
        switch (stream.kind) {
        case ProcessStream::Kind::Inherited:
            return true;
        case ProcessStream::Kind::Null:
            m_opened[place] = Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC));
            break;
        case ProcessStream::Kind::Pipe: {
            // Each of them closes its end when the object goes.
            tl::expected<Pipe, std::error_code> pipe = openPipe();
            if (!pipe) {
                m_failure = pipe.error();
                return false;
            }
            const bool isInput = place == STDIN_FILENO;
            m_opened[place] = std::move(isInput ? pipe->reading : pipe->writing);
            m_ours[place] = std::move(isInput ? pipe->writing : pipe->reading);
            break;
        }
        case ProcessStream::Kind::SameAsOutput:
            // The place of the output, wherever that goes.
            m_streams[place] =
                m_streams[STDOUT_FILENO] == kInherited ? STDOUT_FILENO : m_streams[STDOUT_FILENO];
            return true;
        case ProcessStream::Kind::Descriptor:
            m_streams[place] = stream.descriptor;
            return true;
        }
        m_streams[place] = m_opened[place].number();
        if (m_streams[place] < 0) {
            m_failure = lastError();
        }
        return m_streams[place] >= 0;
    }

    tl::expected<pid_t, std::error_code> makeChild(bool isDetached, int report) const
    {
        // A handler of ours must not run in the child, which shares our memory.
        const BlockedSignals blocked;
        const pid_t child = cannery::makeChild({.options = m_options,
                                                .paths = m_pathPointers.data(),
                                                .words = m_wordPointers.data(),
                                                .variables = m_variablePointers.data(),
                                                .streams = m_streams,
                                                .report = report,
                                                .isDetached = isDetached,
                                                .parent = getpid(),
                                                .mask = blocked.before()});
        if (child < 0) {
            return tl::make_unexpected(lastError());
        }
        return child;
    }

    const ProcessOptions& m_options;
    std::vector<std::string> m_paths;
    std::vector<std::string> m_words;
    std::vector<std::string> m_variables;
    std::vector<char*> m_pathPointers;
    std::vector<char*> m_wordPointers;
    std::vector<char*> m_variablePointers;
    std::array<int, 3> m_streams{kInherited, kInherited, kInherited};
    std::array<Descriptor, 3> m_opened; ///< the child's, closed here
    std::array<Descriptor, 3> m_ours;
    std::error_code m_failure;
};

} // namespace

std::string ExitStatus::text() const
{
    return signal != 0 ? fmt::format("was killed by signal {}", signal)
                       : fmt::format("ended with exit code {}", code);
}

tl::expected<Process, std::error_code> Process::start(const ProcessOptions& options)
{
    Preparation preparation(options);
    const tl::expected<pid_t, std::error_code> child = preparation.start(false);
    if (!child) {
        return tl::make_unexpected(child.error());
    }
    Process process(*child);
    // Ends that the child holds are closed with the preparation.
    process.m_input = preparation.ourInput();
    process.m_output = preparation.ourOutput();
    process.m_diagnostics = preparation.ourDiagnostics();
    return process;
}

tl::expected<void, std::error_code> Process::startDetached(const ProcessOptions& options)
{
    const tl::expected<pid_t, std::error_code> middle = Preparation(options).start(true);
    if (!middle) {
        return tl::make_unexpected(middle.error());
    }
    // The process between ends at once.
    Process(*middle).wait();
    return {};
}

Process::Process(Process&& other) noexcept
    : m_id(std::exchange(other.m_id, -1)), m_end(other.m_end), m_input(std::move(other.m_input)),
      m_output(std::move(other.m_output)), m_diagnostics(std::move(other.m_diagnostics))
{}

Process& Process::operator=(Process&& other) noexcept
{
    std::swap(m_id, other.m_id);
    std::swap(m_end, other.m_end);
    std::swap(m_input, other.m_input);
    std::swap(m_output, other.m_output);
    std::swap(m_diagnostics, other.m_diagnostics);
    return *this;
}

Process::~Process()
{
    // First, whether it is ours at all: a fork of ours, which destroys its copy, kills nothing.
    if (m_id > 0 && !end()) {
        signal(SIGKILL);
        wait();
    }
}

std::optional<ExitStatus> Process::end()
{
    look(WNOHANG);
    return m_end;
}

ExitStatus Process::wait()
{
    while (!m_end) {
        // Interrupted by a signal: wait again.
        look(0);
    }
    return *m_end;
}

void Process::look(int flags)
{
    int status = 0;
    const pid_t ended = m_end ? 0 : waitpid(m_id, &status, flags);
    if (ended == m_id) {
        // A shell shows such an end by a code of this kind, too.
        m_end = WIFSIGNALED(status) ? ExitStatus{.code = kSignalCodes + WTERMSIG(status),
                                                 .signal = WTERMSIG(status)}
                                    : ExitStatus{.code = WEXITSTATUS(status)};
    } else if (ended < 0 && errno != EINTR) {
        // Somebody else has waited for it: how it ended is lost.
        m_end = ExitStatus{.code = kUnknownEnd};
    }
}

void Process::signal(int number) const
{
    // A number that has ended may belong to another process by now.
    if (!m_end) {
        kill(m_id, number);
    }
}

void Process::signalGroup(int number) const
{
    if (!m_end) {
        kill(-m_id, number);
    }
}

} // namespace cannery
