// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_plan.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cannery::faults {

namespace {

constexpr int kDescriptors = 4096;

struct Plan
{
    char root[PATH_MAX] = {};
    std::size_t rootSize = 0;
    const char* calls = "";
    long at = 0;
    const char* what = "";
    int systemError = EIO;
    int log = -1;
};

std::atomic<long> counted{0};
std::atomic<bool> watched[kDescriptors];

const Plan& plan()
{
    static const Plan kPlan = [] {
        Plan made;
        snprintf(made.root, sizeof made.root, "%s", variable("CANNERY_FAULT_ROOT"));
        made.rootSize = strlen(made.root);
        made.calls = variable("CANNERY_FAULT_CALLS");
        made.at = atol(variable("CANNERY_FAULT_AT"));
        made.what = variable("CANNERY_FAULT_DO");
        const int systemError = atoi(variable("CANNERY_FAULT_ERRNO"));
        made.systemError = systemError > 0 ? systemError : EIO;
        const char* log = variable("CANNERY_FAULT_LOG");
        if (*log != '\0') {
            made.log = static_cast<int>(syscall(SYS_openat, AT_FDCWD, log,
                                                O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
        }
        return made;
    }();
    return kPlan;
}

bool is(const char* what)
{
    return strcmp(plan().what, what) == 0;
}

void writeLog(long number, const char* kind, const char* path, int descriptor)
{
    char name[PATH_MAX] = {};
    if (path == nullptr) {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        if (syscall(SYS_readlink, link, name, sizeof name - 1) < 0) {
            name[0] = '?';
        }
        path = name;
    }
    char line[PATH_MAX + 64];
    const int size = snprintf(line, sizeof line, "%ld %s %s\n", number, kind, path);
    syscall(SYS_write, plan().log, line, size);
}

} // namespace

const char* variable(const char* name)
{
    const char* value = getenv(name);
    return value == nullptr ? "" : value;
}

bool isBelowRoot(const char* path)
{
    if (plan().rootSize == 0 || path == nullptr) {
        return false;
    }
    if (path[0] == '/') {
        return strncmp(path, plan().root, plan().rootSize) == 0;
    }
    char folder[PATH_MAX];
    return syscall(SYS_getcwd, folder, sizeof folder) > 0 &&
           strncmp(folder, plan().root, plan().rootSize) == 0;
}

const char* wholePath(int folder, const char* path, char (&whole)[PATH_MAX])
{
    if (folder == AT_FDCWD || path == nullptr || path[0] == '/') {
        return path;
    }
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    const long size = syscall(SYS_readlink, link, whole, sizeof whole - 1);
    if (size < 0) {
        return path;
    }
    snprintf(whole + size, sizeof whole - static_cast<std::size_t>(size), "/%s", path);
    return whole;
}

bool isWatched(int descriptor)
{
    return descriptor >= 0 && descriptor < kDescriptors && watched[descriptor];
}

void watch(int descriptor, bool on)
{
    if (descriptor >= 0 && descriptor < kDescriptors) {
        watched[descriptor] = on;
    }
}

Verdict judge(const char* kind, const char* path, int descriptor)
{
    if (strstr(plan().calls, kind) == nullptr) {
        return Verdict::Go;
    }
    const long number = ++counted;
    if (plan().log >= 0) {
        writeLog(number, kind, path, descriptor);
    }
    if (plan().at <= 0 || number < plan().at) {
        return Verdict::Go;
    }
    if (number == plan().at && (is("kill") || is("tear"))) {
        return is("tear") ? Verdict::Tear : Verdict::Kill;
    }
    if (number == plan().at && is("interrupt")) {
        syscall(SYS_kill, syscall(SYS_getpid), SIGINT);
    }
    if (is("fail_on") || (is("fail") && number == plan().at)) {
        errno = plan().systemError;
        return Verdict::Fail;
    }
    return Verdict::Go;
}

void die()
{
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    for (;;) {
        syscall(SYS_pause);
    }
}

std::size_t part(std::size_t size)
{
    return is("short") && size > 1 ? (size + 1) / 2 : size;
}

} // namespace cannery::faults
