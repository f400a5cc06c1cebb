// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/console/console.h"

#include "core/base/error_json.h"
#include "core/base/printable.h"
#include "core/base/utf8.h"
#include "storage/io/file_error.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cannery::app {

namespace {

constexpr double kAdvanceSeconds = 0.1;
constexpr int kPatienceMilliseconds = 1000;
/// A pipe or terminal that is ready takes this much without blocking.
constexpr std::size_t kMostAtOnce = 4096;

constexpr std::size_t kUsualColumns = 80;

/// The columns of the terminal that shows stderr: of a task whose output a launcher passes on, the
/// one that it may have by another stream.
std::size_t terminalColumns()
{
    for (const int stream : {STDERR_FILENO, STDOUT_FILENO, STDIN_FILENO}) {
        winsize size{};
        if (ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
            return size.ws_col;
        }
    }
    return kUsualColumns;
}

/// The first columns of a text, with a mark where the rest is cut off.
std::string cutTo(const std::string& text, std::size_t columns)
{
    if (characterCount(text) <= columns || columns == 0) {
        return text;
    }
    std::size_t end = 0;
    for (std::size_t column = 1; column < columns; ++column) {
        end = static_cast<std::size_t>(
            std::find_if(text.begin() + static_cast<std::ptrdiff_t>(end) + 1, text.end(),
                         startsCharacter) -
            text.begin());
    }
    return text.substr(0, end) + "…";
}

} // namespace

Console::Console()
    : m_isTerminal(isatty(STDERR_FILENO) == 1 || std::getenv(kOnTerminalVariable) != nullptr),
      m_isResultTerminal(isatty(STDOUT_FILENO) == 1)
{}

void Console::print(std::string_view text) const
{
    // Printing goes on: the first failure decides the exit code, in finish().
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && m_resultFailure == 0) {
        m_resultFailure = errno;
    }
}

void Console::result(std::string_view line) const
{
    print(printable(line) + "\n");
}

void Console::document(std::string_view text) const
{
    print(printable(text, LineBreaks::Keep) + "\n");
}

void Console::content(std::string_view text) const
{
    // The bytes of a file are kept in a pipe; on a terminal, control characters could do harm.
    print(m_isResultTerminal ? printable(text, LineBreaks::Keep) : std::string(text));
}

void Console::flush() const
{
    if (std::fflush(stdout) != 0 && m_resultFailure == 0) {
        m_resultFailure = errno;
    }
}

/// False if the reader of stderr does not keep up.
bool Console::mayNotify() const
{
    if (!m_mayDropLines) {
        return true;
    }
    pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    // A reader that was slow once is not waited for again until it has caught up.
    m_isReaderSlow = poll(&ready, 1, m_isReaderSlow ? 0 : kPatienceMilliseconds) == 0;
    return !m_isReaderSlow;
}

/// What cannot be written is lost: there is nobody to report it to.
void Console::notify(std::string_view text) const
{
    while (!text.empty() && mayNotify()) {
        const ssize_t written =
            write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), kMostAtOnce));
        if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            // Whoever started this program may have made the stream non-blocking.
            pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
            poll(&ready, 1, kPatienceMilliseconds);
        } else if (errno != EINTR) {
            return;
        }
    }
}

void Console::note(std::string_view line) const
{
    if (!m_quiet) {
        diagnostic(line);
    }
}

void Console::diagnostic(std::string_view line) const
{
    notify(printable(line) + "\n");
}

void Console::problem(const Error& error) const
{
    const std::string where = error.path.empty() ? "" : fmt::format(" [{}]", error.path);
    diagnostic(fmt::format("error: {}{}", error.message(), where));
}

void Console::errorResult(const Error& error) const
{
    if (m_json) {
        result(errorJson(error));
    }
}

ExitCode Console::finish(ExitCode code) const
{
    flush();
    if (m_resultFailure == 0) {
        return code;
    }
    // The reader has closed the pipe, as `head` does: no error to be reported.
    if (m_resultFailure == EPIPE) {
        return code != ExitCode::Done || m_mayDropLines ? code : ExitCode::ReaderGone;
    }
    problem(storage::fileError("write the result to", "standard output", m_resultFailure));
    return code == ExitCode::Done ? ExitCode::Failed : code;
}

void Console::advance(double share, const std::string& message)
{
    const double now =
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    // The end is always shown.
    if (share < 1 && now < m_lastAdvance + kAdvanceSeconds) {
        return;
    }
    m_lastAdvance = now;
    if (m_jsonProgress) {
        diagnostic(progressJson(share, message));
    } else if (share < 0) {
        progress(message);
    } else {
        progress(fmt::format("{:3.0f} %  {}", 100 * share, message));
    }
}

void Console::progress(std::string_view line)
{
    if (m_quiet || !m_isTerminal) {
        return;
    }
    notify(fmt::format("{}{}", kClearLine, cutTo(printable(line), progressColumns())));
    m_hasProgress = true;
}

std::size_t Console::progressColumns()
{
    // The last column stays free: some terminals go to the next line once it is filled.
    return std::max<std::size_t>(terminalColumns(), 2) - 1;
}

void Console::clearProgress()
{
    if (m_hasProgress) {
        notify(kClearLine);
        m_hasProgress = false;
    }
}

} // namespace cannery::app
