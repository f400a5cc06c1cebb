// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/io/file_error.h"
#include "storage/io/file_system.h"

#include <cerrno>
#include <mutex>
#include <string>
#include <vector>

namespace cannery::tests {

/// The real disk with injected failures: from the n-th call on (counted from 1) every call fails
/// with this errno, as on a full disk. Every call is recorded as "create a", "append a", "sync a"
/// …. Thread-safe, but calls() only after all writing has ended.
class FaultyFileSystem final : public storage::FileSystem
{
public:
    explicit FaultyFileSystem(int failFrom = 0, int systemError = ENOSPC)
        : m_failFrom(failFrom), m_systemError(systemError)
    {}

    const std::vector<std::string>& calls() const { return m_calls; }
    /// Records a call; an error if it is to fail. Deleting always works, as on a full disk.
    Result<void> note(const std::string& what, const std::string& path);

    Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
    Result<std::unique_ptr<storage::WritableFile>> openForAppend(const std::string& path) override;
    Result<void> rename(const std::string& from, const std::string& to) override;
    Result<void> removeFile(const std::string& path) override;
    Result<void> removeFolder(const std::string& path) override;
    Result<void> makeFolder(const std::string& path) override;
    Result<void> syncFolder(const std::string& path) override;

private:
    int m_failFrom;
    int m_systemError;
    std::mutex m_mutex;
    std::vector<std::string> m_calls;
};

} // namespace cannery::tests
