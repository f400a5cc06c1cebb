// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/process_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

namespace cannery::train {
namespace {

/// The beginning of a small kernel file; without a stream, so that a query takes only microseconds.
std::string kernelFile(const char* path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return {};
    }
    // One page is all that these files need before the number.
    std::array<char, 4096> text{};
    const ssize_t size = read(file, text.data(), text.size() - 1);
    close(file);
    return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

std::optional<long long> numberIn(const std::string& text, const char* key)
{
    const char* place = std::strstr(text.c_str(), key);
    long long number = 0;
    // A kernel without this entry: unknown.
    if (place == nullptr || std::sscanf(place + std::strlen(key), "%lld", &number) != 1) {
        return std::nullopt;
    }
    return number;
}

} // namespace

std::int64_t residentBytes()
{
    // "pages resident shared …"
    long long total = 0;
    long long resident = 0;
    const std::string text = kernelFile("/proc/self/statm");
    if (std::sscanf(text.c_str(), "%lld %lld", &total, &resident) != 2) {
        return 0;
    }
    return resident * sysconf(_SC_PAGESIZE);
}

std::int64_t peakResidentBytes()
{
    // Not getrusage(): its number outlives exec, so it may be that of the program before.
    const auto kilobytes = numberIn(kernelFile("/proc/self/status"), "VmHWM:");
    return kilobytes ? *kilobytes * 1024 : 0;
}

std::int64_t availableBytes()
{
    const auto kilobytes = numberIn(kernelFile("/proc/meminfo"), "MemAvailable:");
    if (!kilobytes) {
        return 0;
    }
    std::int64_t bytes = *kilobytes * 1024;
    // The control group's limit; "max" means none.
    const auto limit = numberIn(kernelFile("/sys/fs/cgroup/memory.max"), "");
    const auto used = numberIn(kernelFile("/sys/fs/cgroup/memory.current"), "");
    // A group may have less memory left than the machine.
    if (limit && used) {
        bytes = std::min<std::int64_t>(bytes, std::max(0LL, *limit - *used));
    }
    // At least 1, as 0 means unknown.
    return std::max<std::int64_t>(bytes, 1);
}

} // namespace cannery::train
