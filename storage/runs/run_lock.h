// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::storage {

/// Who holds a run's folder.
struct RunOwner
{
    std::int64_t processId = 0;
    std::string startTime; ///< of the process, in the kernel's clock ticks since boot
    std::string bootId;
    std::string host;

    bool operator==(const RunOwner&) const = default;
};

/// The claim of one process on a run's folder ("run.lock"). The kernel gives it up when the process
/// ends, however it ends, so nobody ever has to remove it; the file itself stays.
class RunLock
{
public:
    /// Claims the folder. "run.locked" (naming the owner) when another process has it,
    /// "run.lock_failed" when the file cannot be made.
    static Result<RunLock> acquire(const std::string& folder);

    /// The living owner of a folder, if any. Does not disturb anyone.
    static std::optional<RunOwner> owner(const std::string& folder);

    RunLock(RunLock&& other) noexcept;
    RunLock& operator=(RunLock&& other) noexcept;
    ~RunLock();

private:
    explicit RunLock(int descriptor) : m_descriptor(descriptor) {}

    int m_descriptor = -1;
};

} // namespace cannery::storage
