// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/program.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace {

/// Allocates nothing.
[[noreturn]] void endForLackOfMemory()
{
    constexpr std::string_view kNoMemory =
        "error: There is not enough memory, or the system refused a thread. Raise the limits of "
        "this program (`ulimit -a` shows them) or close other programs.\n";
    constexpr int kFailed = 1;
    (void)!write(STDERR_FILENO, kNoMemory.data(), kNoMemory.size());
    _exit(kFailed);
}

bool mainHasBegun = false;

/// For exceptions on foreign threads or before main(), which nothing else catches.
[[noreturn]] void endWithASentence()
{
    try {
        if (const std::exception_ptr thrown = std::current_exception()) {
            std::rethrow_exception(thrown);
        } else if (!mainHasBegun) {
            endForLackOfMemory(); // not even enough for the exception
        }
    } catch (const std::bad_alloc&) {
        endForLackOfMemory();
    } catch (const std::system_error&) {
        endForLackOfMemory();
    } catch (...) {
    }
    std::abort();
}

/// Bytes of the largest block that is kept when it is freed (glibc has no larger limit), and of
/// what is kept altogether at the end of the heap.
constexpr int kKeptBlock = 32 << 20;
constexpr int kKeptMemory = 64 << 20;

/// Reopens closed standard streams (`>&-`) as unusable: otherwise the next file opened would take
/// their place, and printed text would end up in a checkpoint.
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

/// Runs before the initializers of shared libraries, which allocate and open descriptors.
void prepareForLibraries()
{
    std::set_terminate(endWithASentence);
    holdStandardStreams();
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const beforeLibraries)() = prepareForLibraries;

/// Runs before the program's own initializers.
[[gnu::constructor(101)]] void loadUnwinder()
{
    // For exceptions that leave pthread_once() (protobuf's descriptors), glibc loads its unwinder
    // at the first of them, and aborts if there is no memory left for that.
    void* frame = nullptr;
    if (backtrace(&frame, 1) == 0) {
        endForLackOfMemory();
    }
}

} // namespace

int main(int argc, char** argv)
{
    mainHasBegun = true;
    // A reader that closes the pipe (`cannery runs | head`) ends the write, not the program.
    std::signal(SIGPIPE, SIG_IGN);
    // So does a file size limit (`ulimit -f`): the write fails, with its sentence.
    std::signal(SIGXFSZ, SIG_IGN);
    // Some starters ignore it, which programs inherit: the ends of our children would be lost.
    std::signal(SIGCHLD, SIG_DFL);
    // Each additional glibc arena reserves 64 MB of address space for threads that hardly allocate
    // (such as the control service's): a limit on the address space would end a small training.
    mallopt(M_ARENA_MAX, 2);
    // Memory that is freed is kept for what comes next: a page from the system is cleared first,
    // which takes longer than most of what is done there.
    mallopt(M_MMAP_THRESHOLD, kKeptBlock);
    mallopt(M_TRIM_THRESHOLD, kKeptMemory);
    return static_cast<int>(
        cannery::app::runProgram(std::vector<std::string>(argv + 1, argv + argc)));
}
