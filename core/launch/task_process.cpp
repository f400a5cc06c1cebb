// SPDX-License-Identifier: Apache-2.0
#include "core/launch/task_process.h"

#include "core/launch/child_process.h"
#include "core/launch/signal_relay.h"
#include "storage/io/confinement.h"
#include "storage/io/file_error.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace cannery::launch {

namespace {

constexpr int kTaskNotFound = 127;
constexpr int kSignalCodes = 128;

/// Closes a descriptor.
class Descriptor
{
public:
    explicit Descriptor(int number = -1) : m_number(number) {}
    Descriptor(Descriptor&& other) noexcept : m_number(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(m_number, other.m_number);
        return *this;
    }
    ~Descriptor()
    {
        if (m_number >= 0) {
            close(m_number);
        }
    }

    int number() const { return m_number; }
    int release() { return std::exchange(m_number, -1); }

private:
    int m_number;
};

/// The streams of a process: what it gets, and what its launcher reads.
struct Streams
{
    Descriptor output;
    Descriptor diagnostics;
    Descriptor outputReader;
    Descriptor diagnosticsReader;
};

bool openPipe(Descriptor& reader, Descriptor& writer)
{
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return false;
    }
    reader = Descriptor(ends[0]);
    writer = Descriptor(ends[1]);
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

Result<Streams> openStreams(const TaskProgram& task)
{
    Streams streams;
    if (!task.isShown) {
        streams.output =
            Descriptor(storage::openConfined(task.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC));
        if (streams.output.number() < 0) {
            return tl::make_unexpected(storage::fileError("open", task.log, errno));
        }
    } else if (!openPipe(streams.outputReader, streams.output) ||
               !openPipe(streams.diagnosticsReader, streams.diagnostics)) {
        return fail(ErrorCode::ResourceExhausted, kProgramNotStarted, task.program,
                    std::strerror(errno));
    }
    return streams;
}

/// The variables of this process, but for those that a task has its own of.
std::vector<std::string> variablesOf(const TaskProgram& task)
{
    std::vector<std::string> all = task.variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const std::string_view begin = text.substr(0, text.find('=') + 1);
        bool isReplaced = false;
        for (const std::string& own : task.variables) {
            isReplaced = isReplaced || own.starts_with(begin);
        }
        if (!isReplaced) {
            all.emplace_back(text);
        }
    }
    return all;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// What is executed, prepared before the fork: between fork and exec nothing may be allocated.
struct PreparedTask
{
    const char* program = nullptr;
    char* const* words = nullptr;
    char* const* variables = nullptr;
    int output = -1;
    int diagnostics = -1;
    pid_t launcher = 0;
};

/// In the child between fork and exec: system calls only.
[[noreturn]] void becomeTask(const PreparedTask& task)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != task.launcher) {
        _exit(kSignalCodes + SIGKILL); // the launcher died before it could be watched
    }
    dup2(open("/dev/null", O_RDWR | O_CLOEXEC), STDIN_FILENO);
    dup2(task.output, STDOUT_FILENO);
    dup2(task.diagnostics, STDERR_FILENO);
    execve(task.program, task.words, task.variables);
    _exit(kTaskNotFound);
}

} // namespace

std::string TaskEnd::words() const
{
    return signal != 0 ? fmt::format("was killed by signal {}", signal)
                       : fmt::format("ended with exit code {}", code);
}

Result<std::unique_ptr<TaskProcess>> TaskProcess::start(const TaskProgram& task)
{
    CANNERY_TRY_ASSIGN(Streams streams, openStreams(task));
    std::vector<std::string> words = task.words;
    words.insert(words.begin(), "cannery");
    std::vector<std::string> variables = variablesOf(task);
    const std::vector<char*> wordPointers = pointersTo(words);
    const std::vector<char*> variablePointers = pointersTo(variables);
    const PreparedTask prepared{.program = task.program.c_str(),
                                .words = wordPointers.data(),
                                .variables = variablePointers.data(),
                                .output = streams.output.number(),
                                .diagnostics =
                                    (task.isShown ? streams.diagnostics : streams.output).number(),
                                .launcher = getpid()};
    pid_t process = -1;
    {
        const SignalsHeld held;
        process = fork();
        if (process == 0) {
            SignalRelay::forget();
        }
    }
    if (process == 0) {
        becomeTask(prepared);
    }
    if (process < 0) {
        return fail(ErrorCode::ResourceExhausted, kProgramNotStarted, task.program,
                    std::strerror(errno));
    }
    std::unique_ptr<TaskProcess> started(new TaskProcess);
    started->m_process = process;
    started->m_output = streams.outputReader.release();
    started->m_diagnostics = streams.diagnosticsReader.release();
    return started;
}

TaskProcess::~TaskProcess()
{
    if (!m_end) {
        kill(m_process, SIGKILL);
        while (waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    for (const int descriptor : {m_output, m_diagnostics}) {
        if (descriptor >= 0) {
            close(descriptor);
        }
    }
}

std::optional<TaskEnd> TaskProcess::end()
{
    int status = 0;
    if (!m_end && waitpid(m_process, &status, WNOHANG) == m_process) {
        m_end = WIFSIGNALED(status)
                    ? TaskEnd{.code = kSignalCodes + WTERMSIG(status), .signal = WTERMSIG(status)}
                    : TaskEnd{.code = WEXITSTATUS(status)};
    }
    return m_end;
}

void TaskProcess::signal(int number) const
{
    if (!m_end) {
        kill(m_process, number);
    }
}

} // namespace cannery::launch
