// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/version_folders.h"

#include "storage/io/files.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

namespace cannery::storage {
namespace {

constexpr ErrorKind kExhausted{
    "saved_model.versions_exhausted",
    "{} contains version {}, the largest possible number; rename it, or export elsewhere."};

} // namespace

std::optional<std::int64_t> versionOf(std::string_view name)
{
    std::int64_t version = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), version);
    // from_chars() accepts a minus.
    if (problem != std::errc() || end != name.data() + name.size() || name.front() == '-') {
        return std::nullopt;
    }
    return version;
}

std::int64_t greatestVersion(const std::string& base)
{
    std::int64_t greatest = 0;
    if (!isFolder(base)) {
        return greatest;
    }
    for (const std::string& name : listFolder(base).value_or(std::vector<std::string>())) {
        greatest = std::max(greatest, versionOf(name).value_or(0));
    }
    return greatest;
}

Result<std::int64_t> nextVersion(const std::string& base, std::int64_t wanted)
{
    const std::int64_t greatest = greatestVersion(base);
    if (greatest == std::numeric_limits<std::int64_t>::max()) {
        return fail(ErrorCode::FailedPrecondition, kExhausted, base, greatest);
    }
    return std::max(wanted, greatest + 1);
}

std::string versionName(std::int64_t version)
{
    // So that the names sort as the numbers do.
    return fmt::format("{:010}", version);
}

} // namespace cannery::storage
