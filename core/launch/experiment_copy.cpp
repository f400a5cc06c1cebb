// SPDX-License-Identifier: Apache-2.0
#include "core/launch/experiment_copy.h"

#include "storage/io/atomic_write.h"
#include "storage/io/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cannery::launch {

namespace {

constexpr ErrorKind kNoFolder{"queue.no_temporary_folder",
                              "Cannot create a temporary folder for the experiment in {}."};

constexpr std::string_view kPrefix = "cannery-queue-";

/// Folders of processes that were killed, which could not remove them.
void removeLeftovers(const std::string& temporary)
{
    const Result<std::vector<std::string>> names = storage::listFolder(temporary);
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
        if (!name.starts_with(kPrefix)) {
            continue;
        }
        pid_t process = 0;
        const char* end = name.data() + name.size();
        const auto [rest, code] = std::from_chars(name.data() + kPrefix.size(), end, process);
        const bool isOfProcess = code == std::errc() && rest != end && *rest == '-' && process > 0;
        // Only folders of processes that are gone: others may be in use.
        if (isOfProcess && kill(process, 0) != 0 && errno == ESRCH) {
            (void)storage::removeTree(storage::joinPath(temporary, name)); // if it is ours
        }
    }
}

} // namespace

Result<ExperimentCopy> ExperimentCopy::write(const std::string& experimentFile,
                                             const std::string& text)
{
    std::error_code failure;
    const std::filesystem::path temporary = std::filesystem::temp_directory_path(failure);
    removeLeftovers(temporary.string());
    std::string pattern = (temporary / fmt::format("{}{}-XXXXXX", kPrefix, getpid())).string();
    if (failure || mkdtemp(pattern.data()) == nullptr) {
        return fail(ErrorCode::Internal, kNoFolder, temporary.string());
    }
    const std::filesystem::path name = std::filesystem::path(experimentFile).filename();
    ExperimentCopy copy(pattern, (std::filesystem::path(pattern) / name).string());
    CANNERY_TRY(storage::writeFileAtomically(copy.m_file, text));
    return copy;
}

ExperimentCopy::ExperimentCopy(ExperimentCopy&& other) noexcept
    : m_folder(std::exchange(other.m_folder, {})), m_file(std::move(other.m_file))
{}

ExperimentCopy::~ExperimentCopy()
{
    if (!m_folder.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(m_folder, ignored);
    }
}

} // namespace cannery::launch
