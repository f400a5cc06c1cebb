// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/program.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace {

/// Of a thread that is not ours, or before main(): nobody above would catch it. Allocates nothing.
[[noreturn]] void endWithASentence()
{
    constexpr std::string_view kNoMemory =
        "error: There is not enough memory, or the system refuses a thread. Raise the limits of "
        "this program (`ulimit -a` shows them) or close other programs.\n";
    constexpr int kFailed = 1;
    try {
        if (const std::exception_ptr thrown = std::current_exception()) {
            std::rethrow_exception(thrown);
        }
    } catch (const std::bad_alloc&) {
        (void)!write(STDERR_FILENO, kNoMemory.data(), kNoMemory.size());
        _exit(kFailed);
    } catch (const std::system_error&) {
        (void)!write(STDERR_FILENO, kNoMemory.data(), kNoMemory.size());
        _exit(kFailed);
    } catch (...) {
    }
    std::abort();
}

/// Before the initializers of libraries that allocate.
[[gnu::constructor(101)]] void catchWhatNobodyCatches()
{
    std::set_terminate(endWithASentence);
}

/// A standard stream that was closed (`>&-`) is one that cannot be used, and not the place that the
/// next file takes: what is printed would end in a checkpoint.
void holdStandardStreams()
{
    int descriptor = 0;
    do {
        descriptor = open("/dev/null", O_PATH | O_CLOEXEC);
    } while (descriptor >= 0 && descriptor <= 2);
    if (descriptor > 2) {
        close(descriptor);
    }
}

} // namespace

int main(int argc, char** argv)
{
    holdStandardStreams();
    // A reader that went away (`cannery runs | head`) ends the write, not the program.
    std::signal(SIGPIPE, SIG_IGN);
    // So does a limit on the size of files (`ulimit -f`): the write fails, with its sentence.
    std::signal(SIGXFSZ, SIG_IGN);
    // Each further arena of glibc reserves 64 MB of address space, for threads (the control
    // service's too) that hardly allocate: a limit on the address space would end a small training.
    mallopt(M_ARENA_MAX, 2);
    return static_cast<int>(
        cannery::app::runProgram(std::vector<std::string>(argv + 1, argv + argc)));
}
