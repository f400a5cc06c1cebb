// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/run_name.h"

#include "storage/io/files.h"
#include "storage/runs/run_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

namespace cannery::train {
namespace {

constexpr std::string_view kPrefix = "run-";

/// The number of a run's folder; 0 for any other name.
std::uint64_t numberOf(std::string_view name)
{
    std::uint64_t number = 0;
    if (name.substr(0, kPrefix.size()) != kPrefix) {
        return 0;
    }
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + kPrefix.size(), end, number);
    return parsed.ec == std::errc() && parsed.ptr == end ? number : 0;
}

std::uint64_t greatestNumber(const std::string& runs)
{
    std::uint64_t greatest = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(runs, ignored)) {
        greatest = std::max(greatest, numberOf(entry.path().filename().string()));
    }
    return greatest;
}

} // namespace

Result<std::string> createRunFolder(const std::string& projectFolder, storage::FileSystem& system)
{
    const std::string runs = storage::joinPath(projectFolder, storage::kRunsFolder);
    CANNERY_TRY(storage::makeFolders(runs, system));
    for (std::uint64_t number = greatestNumber(runs) + 1;; ++number) {
        const std::string folder = storage::joinPath(runs, fmt::format("{}{:03}", kPrefix, number));
        const Result<void> made = system.makeFolder(folder);
        if (made) {
            return folder;
        }
        if (made.error().code != ErrorCode::AlreadyExists) {
            return tl::make_unexpected(made.error());
        }
    }
}

} // namespace cannery::train
