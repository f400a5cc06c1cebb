// SPDX-License-Identifier: Apache-2.0
#include "core/plan/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

namespace cannery::plan {

namespace {

namespace fs = std::filesystem;

constexpr ErrorKind kBadLimit{
    "plan.bad_memory_limit",
    "CANNERY_MEMORY_BYTES is '{}': set it to a number of bytes, such as 8000000000, or unset it."};

/// The rest is for the rows, the program itself and other processes.
constexpr double kShare = 0.9;

std::string contentOf(const fs::path& file)
{
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return stream ? text.str() : std::string();
}

std::optional<double> numberIn(std::string_view text)
{
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() ? std::optional<double>(number) : std::nullopt;
}

/// The number after a word at the beginning of a line.
std::optional<double> numberAfter(const std::string& text, std::string_view word)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(word)) {
            const std::size_t digit = line.find_first_of("0123456789", word.size());
            return digit == std::string::npos ? std::nullopt
                                              : numberIn(std::string_view(line).substr(digit));
        }
    }
    return std::nullopt;
}

void lower(MemoryLimit& limit, std::optional<double> bytes, std::string_view source)
{
    if (bytes && *bytes < limit.bytes) {
        limit.bytes = std::max(0.0, *bytes);
        limit.source = source;
    }
}

/// What a control group leaves. The kernel can drop the group's page cache.
std::optional<double> leftIn(const fs::path& group, const char* most, const char* used,
                             std::string_view droppable)
{
    const auto limit = numberIn(contentOf(group / most)); // "max" is not a number
    const auto usage = numberIn(contentOf(group / used));
    if (!limit || !usage) {
        return std::nullopt;
    }
    const double files = numberAfter(contentOf(group / "memory.stat"), droppable).value_or(0);
    return *limit - std::max(0.0, *usage - files);
}

/// Every control group from this process's up to the root, of either version.
void applyControlGroups(MemoryLimit& limit)
{
    constexpr std::string_view kSource = "the control group of this process";
    std::istringstream lines(contentOf("/proc/self/cgroup"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t second = line.find(':', line.find(':') + 1);
        if (second == std::string::npos) {
            continue;
        }
        const bool isUnified = line.starts_with("0::");
        if (!isUnified && line.find(":memory:") == std::string::npos) {
            continue;
        }
        const fs::path root = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        for (fs::path own = line.substr(second + 1);; own = own.parent_path()) {
            const fs::path group = root / own.relative_path();
            lower(limit,
                  isUnified ? leftIn(group, "memory.max", "memory.current", "inactive_file")
                            : leftIn(group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                     "total_inactive_file"),
                  kSource);
            if (!own.has_relative_path()) {
                break;
            }
        }
    }
}

/// What a limit of the shell (ulimit) leaves besides current use.
void applyResource(MemoryLimit& limit, decltype(RLIMIT_AS) resource, std::string_view taken,
                   std::string_view source)
{
    rlimit said{};
    if (::getrlimit(resource, &said) != 0 || said.rlim_cur == RLIM_INFINITY) {
        return;
    }
    const double kilobytes = numberAfter(contentOf("/proc/self/status"), taken).value_or(0);
    lower(limit, static_cast<double>(said.rlim_cur) - kilobytes * 1024, source);
}

} // namespace

Result<MemoryLimit> memoryLimit()
{
    if (const char* said = std::getenv(kMemoryVariable); said != nullptr) {
        const std::string_view text = said;
        std::uint64_t number = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (failure != std::errc() || end != text.data() + text.size()) {
            return fail(ErrorCode::InvalidArgument, kBadLimit, text);
        }
        return MemoryLimit{static_cast<double>(number), kMemoryVariable};
    }
    MemoryLimit limit{std::numeric_limits<double>::infinity(), "this machine"};
    if (const auto kilobytes = numberAfter(contentOf("/proc/meminfo"), "MemAvailable:")) {
        lower(limit, *kilobytes * 1024, "this machine");
    }
    applyControlGroups(limit);
    applyResource(limit, RLIMIT_AS, "VmSize:", "the limit of its address space (ulimit -v)");
    applyResource(limit, RLIMIT_DATA, "VmData:", "the limit of its data (ulimit -d)");
    limit.bytes *= kShare;
    return limit;
}

} // namespace cannery::plan
