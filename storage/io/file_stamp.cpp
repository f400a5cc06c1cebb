// SPDX-License-Identifier: Apache-2.0
#include "storage/io/file_stamp.h"

#include <fmt/core.h>

#include <sys/stat.h>

namespace cannery::storage {

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
// Steps of the time: a few ticks of the kernel's clock, or the two seconds of FAT.
constexpr std::int64_t kFineStep = 50'000'000;
constexpr std::int64_t kCoarseStep = 2 * kNanoseconds;

std::int64_t nanosecondsOf(const timespec& time)
{
    return static_cast<std::int64_t>(time.tv_sec) * kNanoseconds + time.tv_nsec;
}

} // namespace

std::optional<FileStamp> stampOf(const std::string& path)
{
    struct stat status
    {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    return FileStamp{.inode = static_cast<std::uint64_t>(status.st_ino),
                     .size = static_cast<std::uint64_t>(status.st_size),
                     .modified = nanosecondsOf(status.st_mtim),
                     .changed = nanosecondsOf(status.st_ctim)};
}

bool wasSettled(const FileStamp& stamp, std::chrono::system_clock::time_point time)
{
    const auto then =
        // By the time of change, which unlike that of modification no program can set. A whole
        // second means a file system with coarse stamps.
        std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
    const bool isCoarse = stamp.changed % kNanoseconds == 0;
    return stamp.changed + (isCoarse ? kCoarseStep : kFineStep) <= then;
}

std::string toText(const FileStamp& stamp)
{
    return fmt::format("inode {} size {} modified {} changed {}", stamp.inode, stamp.size,
                       stamp.modified, stamp.changed);
}

} // namespace cannery::storage
