// SPDX-License-Identifier: Apache-2.0
#include "storage/io/output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace cannery::storage {

namespace fs = std::filesystem;

namespace {

constexpr ErrorKind kIsInput{"output.is_input",
                             "{} is read by this command, which would replace it: give another "
                             "name with --output."};
constexpr ErrorKind kIsExperiment{
    "output.is_experiment",
    "{} is an experiment, which is never replaced: give another name with --output."};
constexpr ErrorKind kIsThere{
    "output.exists",
    "{} already exists: give another name with --output, or replace it with --force."};
constexpr ErrorKind kIsFolder{"output.is_folder",
                              "{} is a folder: name a file in it with --output."};
constexpr ErrorKind kUnwritable{"output.unwritable", "Cannot write {}: {}."};

bool areSame(const fs::path& a, const fs::path& b)
{
    std::error_code ignored;
    return fs::equivalent(a, b, ignored);
}

/// The file itself, where the name is a link to it.
fs::path targetOf(const std::string& path)
{
    std::error_code failure;
    const fs::path target = fs::canonical(path, failure);
    return failure ? fs::path(path) : target;
}

} // namespace

Result<void> checkOutput(const std::string& path, const OutputOptions& options)
{
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (fs::is_directory(status)) {
        return fail(ErrorCode::InvalidArgument, kIsFolder, path);
    }
    if (!fs::is_regular_file(status)) {
        // /dev/stdout and named pipes are written as they are: nothing there can be lost.
        return {}; // nothing is there, or a device or a pipe
    }
    for (const std::string& input : options.inputs) {
        // By identity, so that links and other spellings of the name are found.
        if (areSame(path, input)) {
            return fail(ErrorCode::InvalidArgument, kIsInput, path);
        }
    }
    // Even with --force: experiments are a person's work, and other outputs can be made again.
    if (targetOf(path).extension() == ".cannery") {
        return fail(ErrorCode::AlreadyExists, kIsExperiment, path);
    }
    // An empty file has nothing to lose; mktemp makes such ones.
    if (!options.replaces && fs::file_size(path, ignored) > 0) {
        return fail(ErrorCode::AlreadyExists, kIsThere, path);
    }
    return {};
}

Result<OutputFile> OutputFile::create(const std::string& path, const OutputOptions& options)
{
    CANNERY_TRY(checkOutput(path, options));
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    const bool isThere = fs::exists(status);
    if (isThere && !fs::is_regular_file(status)) {
        std::FILE* device = std::fopen(path.c_str(), "wb");
        if (device == nullptr) {
            return fail(ErrorCode::PermissionDenied, kUnwritable, path, std::strerror(errno));
        }
        return OutputFile(path, std::nullopt, device);
    }
    // Beside the target of a link, so that the link stays one.
    CANNERY_TRY_ASSIGN(storage::AtomicFile file,
                       storage::AtomicFile::create(targetOf(path).string()));
    if (isThere) {
        // A replaced file stays as readable for others as it was.
        file.setPermissions(status.permissions());
    }
    return OutputFile(path, std::move(file), nullptr);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : m_path(std::move(other.m_path)), m_file(std::move(other.m_file)),
      m_device(std::exchange(other.m_device, nullptr))
{}

OutputFile::~OutputFile()
{
    if (m_device != nullptr) {
        std::fclose(m_device);
    }
}

Result<void> OutputFile::write(std::string_view text)
{
    if (m_file) {
        return m_file->append(text);
    }
    if (std::fwrite(text.data(), 1, text.size(), m_device) != text.size()) {
        return fail(ErrorCode::ResourceExhausted, kUnwritable, m_path, std::strerror(errno));
    }
    return {};
}

Result<void> OutputFile::commit()
{
    if (m_file) {
        return m_file->commit();
    }
    if (std::fclose(std::exchange(m_device, nullptr)) != 0) {
        return fail(ErrorCode::ResourceExhausted, kUnwritable, m_path, std::strerror(errno));
    }
    return {};
}

Result<void> writeOutput(const std::string& path, std::string_view text,
                         const OutputOptions& options)
{
    CANNERY_TRY_ASSIGN(OutputFile file, OutputFile::create(path, options));
    CANNERY_TRY(file.write(text));
    return file.commit();
}

} // namespace cannery::storage
