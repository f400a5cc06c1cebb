// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/experiment_copy.h"

#include "storage/io/atomic_write.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace cannery::app {

namespace {

constexpr ErrorKind kNoFolder{"queue.no_temporary_folder",
                              "Cannot create a temporary folder for the experiment in {}."};

} // namespace

Result<ExperimentCopy> ExperimentCopy::write(const std::string& experimentFile,
                                             const std::string& text)
{
    std::error_code failure;
    const std::filesystem::path temporary = std::filesystem::temp_directory_path(failure);
    std::string pattern = (temporary / "cannery-queue-XXXXXX").string();
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

} // namespace cannery::app
