// SPDX-License-Identifier: Apache-2.0
#include "core/control/socket_budget.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <latch>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

namespace cannery::control {
namespace {

/// Files that a training opens at the same time besides its standard streams: table, events,
/// checkpoint, store.
constexpr std::size_t kFilesOfTraining = 24;
/// Files that the library opens for itself.
constexpr std::size_t kFilesOfLibrary = 12;
constexpr std::size_t kFewestCallers = 2;
/// Threads of the library, up to 16 on as many cores, and those that a training starts later.
constexpr int kThreads = 32;
/// For the stacks of these threads and the needs of a small training.
constexpr std::size_t kAddressSpace = std::size_t{512} << 20U;

/// The part of a limit that is not used yet.
std::size_t leftOf(int resource, std::size_t used)
{
    rlimit limit{};
    // No limit, or none that can be read.
    if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY) {
        return std::numeric_limits<std::size_t>::max();
    }
    return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

std::size_t openDescriptors()
{
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir("/proc/self/fd"), closedir);
    // With the one that lists them, which is closed afterwards.
    std::size_t count = 0;
    while (entries && readdir(entries.get()) != nullptr) {
        ++count;
    }
    return count;
}

/// Address space and private memory of this process, in bytes.
struct MemoryUse
{
    std::size_t space = 0;
    std::size_t data = 0;
};

MemoryUse memoryUse()
{
    MemoryUse use;
    if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        // A file of another form says nothing.
        if (std::fscanf(file, "%zu %*u %*u %*u %*u %zu", &use.space, &use.data) != 2) {
            use = {};
        }
        use.space *= page;
        use.data *= page;
        std::fclose(file);
    }
    return use;
}

bool hasAddressSpace()
{
    const MemoryUse use = memoryUse();
    return leftOf(RLIMIT_AS, use.space) >= kAddressSpace &&
           leftOf(RLIMIT_DATA, use.data) >= kAddressSpace;
}

bool hasThreads()
{
    std::latch release(1);
    std::vector<std::jthread> threads;
    bool all = true;
    try {
        // Really started, as the limit counts those of all processes of the user.
        threads.reserve(kThreads);
        while (threads.size() < kThreads) {
            threads.emplace_back([&release] { release.wait(); });
        }
    } catch (const std::exception&) {
        all = false;
    }
    release.count_down();
    return all;
}

} // namespace

SocketBudget measureSocketBudget(std::size_t mostCallers)
{
    constexpr std::size_t kMostDescriptors = std::size_t{1} << 16U;
    constexpr std::size_t kOthers = kFilesOfTraining + kFilesOfLibrary;
    const std::size_t free = leftOf(RLIMIT_NOFILE, openDescriptors());
    // Files of the training come first.
    if (free < kOthers + kFewestCallers) {
        return {.objection = "too few files may be open at once (`ulimit -n`)"};
    }
    if (!hasAddressSpace()) {
        return {.objection = "too little memory may be used (`ulimit -v`)"};
    }
    if (!hasThreads()) {
        return {.objection = "too few threads may be started (`ulimit -u`)"};
    }
    return {.callers = std::min(mostCallers, free - kOthers),
            .descriptors = std::min(leftOf(RLIMIT_NOFILE, 0), kMostDescriptors)};
}

} // namespace cannery::control
