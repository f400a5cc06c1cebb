// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/atomic_write.h"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

struct OutputOptions
{
    bool replaces = false;                ///< --force: a file that is there already
    std::vector<std::string> inputs = {}; ///< that the command reads, and so never replaces
};

/// A file that a person names for what a command writes: complete under its name, or not there.
/// Until commit() it is written beside it, and what was there before stays. A device or a pipe is
/// written at once. One thread.
class OutputFile
{
public:
    /// Errors, before anything is written: "output.is_input", "output.is_experiment" (with
    /// `replaces`, too), "output.exists", "output.is_folder"; and those of creating it.
    static Result<OutputFile> create(const std::string& path, const OutputOptions& options);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    Result<void> write(std::string_view text);
    /// At most once.
    Result<void> commit();

private:
    OutputFile(std::string path, std::optional<storage::AtomicFile> file, std::FILE* device)
        : m_path(std::move(path)), m_file(std::move(file)), m_device(device)
    {}

    std::string m_path;
    std::optional<storage::AtomicFile> m_file;
    std::FILE* m_device = nullptr; ///< instead of the file
};

/// Why a file may not be written there, or success.
Result<void> checkOutput(const std::string& path, const OutputOptions& options);

/// The same in one call.
Result<void> writeOutput(const std::string& path, std::string_view text,
                         const OutputOptions& options);

} // namespace cannery::storage
