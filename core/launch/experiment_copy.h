// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>

namespace cannery::launch {

/// A copy of an experiment in a temporary folder, removed with this object: what a training reads
/// while people go on editing the file.
class ExperimentCopy
{
public:
    /// Also removes the copies of processes that no longer exist.
    /// @param experimentFile the copy has its name. "queue.no_temporary_folder", or what writing
    /// fails with.
    static Result<ExperimentCopy> write(const std::string& experimentFile, const std::string& text);

    ExperimentCopy(ExperimentCopy&& other) noexcept;
    ExperimentCopy& operator=(ExperimentCopy&&) = delete;
    ~ExperimentCopy();

    const std::string& file() const { return m_file; }

private:
    ExperimentCopy(std::string folder, std::string file)
        : m_folder(std::move(folder)), m_file(std::move(file))
    {}

    std::string m_folder;
    std::string m_file;
};

} // namespace cannery::launch
