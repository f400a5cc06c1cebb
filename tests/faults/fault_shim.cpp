// SPDX-License-Identifier: Apache-2.0
// Loaded before the C library (LD_PRELOAD): counts the system calls that a program makes on files
// below one folder and disturbs the n-th. Configured by environment variables:
//
//     CANNERY_FAULT_ROOT   only files below this folder count
//     CANNERY_FAULT_CALLS  which calls count: words of write,sync,rename,create,remove,mkdir,read
//     CANNERY_FAULT_AT     the call that is disturbed, counted from 1; 0: none
//     CANNERY_FAULT_DO     kill    dies by SIGKILL instead of making the call
//                          tear    the same, after half of what was to be written
//                          fail    the call fails once
//                          fail_on this and every later call fails
//                          short   this and every later read and write does only a part
//                          interrupt  SIGINT comes before the call, which is made
//     CANNERY_FAULT_ERRNO  why it fails
//     CANNERY_FAULT_THREADS  maximum number of concurrent threads (the system's limit on processes
//                          does not apply to root)
//     CANNERY_FAULT_LOG    gets a line "number call path" for every call that counts

#include "tests/faults/fault_plan.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace cannery::faults;

namespace {

int openAt(int folder, const char* path, int flags, mode_t mode)
{
    char whole[PATH_MAX];
    const char* named = wholePath(folder, path, whole);
    // Resolving a folder on the way to a file is not an access to the file.
    const bool ours = (flags & O_PATH) == 0 && isBelowRoot(named);
    const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
    if (ours && disturb(writes ? "create" : "read", named)) {
        return -1;
    }
    const int descriptor = static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
    watch(descriptor, ours);
    return descriptor;
}

ssize_t writeAt(int descriptor, const void* bytes, std::size_t size, off_t offset)
{
    if (isWatched(descriptor)) {
        if (disturb("write", nullptr, descriptor,
                    [&] { syscall(SYS_pwrite64, descriptor, bytes, size / 2, offset); })) {
            return -1;
        }
        size = part(size);
    }
    return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
}

ssize_t readAt(int descriptor, void* bytes, std::size_t size, off_t offset)
{
    if (isWatched(descriptor)) {
        if (disturb("read", nullptr, descriptor)) {
            return -1;
        }
        size = part(size);
    }
    return syscall(SYS_pread64, descriptor, bytes, size, offset);
}

mode_t modeOf(int flags, va_list arguments)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

} // namespace

#define OPEN_WITH(folder)                                                                          \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    const mode_t mode = modeOf(flags, arguments);                                                  \
    va_end(arguments);                                                                             \
    return openAt(folder, path, flags, mode);

extern "C" {

int open(const char* path, int flags, ...)
{
    OPEN_WITH(AT_FDCWD)
}

int open64(const char* path, int flags, ...)
{
    OPEN_WITH(AT_FDCWD)
}

int openat(int folder, const char* path, int flags, ...)
{
    OPEN_WITH(folder)
}

int openat64(int folder, const char* path, int flags, ...)
{
    OPEN_WITH(folder)
}

int __open_2(const char* path, int flags)
{
    return openAt(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char* path, int flags)
{
    return openAt(AT_FDCWD, path, flags, 0);
}

FILE* fopen(const char* path, const char* how)
{
    if (isBelowRoot(path) && disturb(how[0] == 'r' ? "read" : "create", path)) {
        return nullptr;
    }
    return next<FILE* (*)(const char*, const char*)>("fopen")(path, how);
}

FILE* fopen64(const char* path, const char* how)
{
    if (isBelowRoot(path) && disturb(how[0] == 'r' ? "read" : "create", path)) {
        return nullptr;
    }
    FILE* file = next<FILE* (*)(const char*, const char*)>("fopen64")(path, how);
    if (file != nullptr) {
        watch(fileno(file), isBelowRoot(path));
    }
    return file;
}

int close(int descriptor)
{
    watch(descriptor, false);
    return static_cast<int>(syscall(SYS_close, descriptor));
}

ssize_t write(int descriptor, const void* bytes, size_t size)
{
    if (isWatched(descriptor)) {
        if (disturb("write", nullptr, descriptor,
                    [&] { syscall(SYS_write, descriptor, bytes, size / 2); })) {
            return -1;
        }
        size = part(size);
    }
    return syscall(SYS_write, descriptor, bytes, size);
}

ssize_t writev(int descriptor, const iovec* parts, int count)
{
    if (isWatched(descriptor) && disturb("write", nullptr, descriptor)) {
        return -1;
    }
    return syscall(SYS_writev, descriptor, parts, count);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset)
{
    return writeAt(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off_t offset)
{
    return writeAt(descriptor, bytes, size, offset);
}

int ftruncate(int descriptor, off_t size)
{
    if (isWatched(descriptor) && disturb("write", nullptr, descriptor)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_ftruncate, descriptor, size));
}

int ftruncate64(int descriptor, off_t size)
{
    return ftruncate(descriptor, size);
}

int fsync(int descriptor)
{
    if (isWatched(descriptor) && disturb("sync", nullptr, descriptor)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_fsync, descriptor));
}

int fdatasync(int descriptor)
{
    if (isWatched(descriptor) && disturb("sync", nullptr, descriptor)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_fdatasync, descriptor));
}

int rename(const char* from, const char* to)
{
    if (isBelowRoot(to) && disturb("rename", to)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_rename, from, to));
}

int renameat(int fromFolder, const char* from, int toFolder, const char* to)
{
    char whole[PATH_MAX];
    const char* named = wholePath(toFolder, to, whole);
    if (isBelowRoot(named) && disturb("rename", named)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_renameat, fromFolder, from, toFolder, to));
}

int unlink(const char* path)
{
    if (isBelowRoot(path) && disturb("remove", path)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_unlink, path));
}

int unlinkat(int folder, const char* path, int flags)
{
    char whole[PATH_MAX];
    const char* named = wholePath(folder, path, whole);
    if (isBelowRoot(named) && disturb("remove", named)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}

int rmdir(const char* path)
{
    if (isBelowRoot(path) && disturb("remove", path)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_rmdir, path));
}

int remove(const char* path)
{
    if (isBelowRoot(path) && disturb("remove", path)) {
        return -1;
    }
    const long status = syscall(SYS_unlink, path);
    return static_cast<int>(status != 0 && errno == EISDIR ? syscall(SYS_rmdir, path) : status);
}

int mkdir(const char* path, mode_t mode)
{
    if (isBelowRoot(path) && disturb("mkdir", path)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_mkdir, path, mode));
}

int mkdirat(int folder, const char* path, mode_t mode)
{
    char whole[PATH_MAX];
    const char* named = wholePath(folder, path, whole);
    if (isBelowRoot(named) && disturb("mkdir", named)) {
        return -1;
    }
    return static_cast<int>(syscall(SYS_mkdirat, folder, path, mode));
}

ssize_t read(int descriptor, void* bytes, size_t size)
{
    if (isWatched(descriptor)) {
        if (disturb("read", nullptr, descriptor)) {
            return -1;
        }
        size = part(size);
    }
    return syscall(SYS_read, descriptor, bytes, size);
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset)
{
    return readAt(descriptor, bytes, size, offset);
}

ssize_t pread64(int descriptor, void* bytes, size_t size, off_t offset)
{
    return readAt(descriptor, bytes, size, offset);
}

void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t offset)
{
    if (isWatched(descriptor) && disturb("read", nullptr, descriptor)) {
        return MAP_FAILED;
    }
    return reinterpret_cast<void*>(
        syscall(SYS_mmap, address, size, protection, flags, descriptor, offset));
}

void* mmap64(void* address, size_t size, int protection, int flags, int descriptor, off_t offset)
{
    return mmap(address, size, protection, flags, descriptor, offset);
}

} // extern "C"
