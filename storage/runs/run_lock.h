// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::storage {

/// The owner of a run's folder.
struct RunOwner
{
    std::int64_t processId = 0;
    std::string startTime; ///< of the process, in the kernel's clock ticks since boot
    std::string bootId;
    std::string host;

    bool operator==(const RunOwner&) const = default;
};

/// The claim of one process on a run's folder ("run.lock"). The kernel releases it when the process
/// ends, however it ends, so it never needs to be removed; the file itself stays.
class RunLock
{
public:
    /// Claims the folder. "run.locked" (naming the owner) if another process has it,
    /// "run.lock_failed" if the file cannot be created.
    static Result<RunLock> acquire(const std::string& folder);

    /// The same for the one process that evaluates the folder's checkpoints while another trains
    /// ("evaluator.lock"): "run.evaluated".
    static Result<RunLock> acquireEvaluation(const std::string& folder);

    /// The living owner of a folder, if any. Does not interfere with it.
    static std::optional<RunOwner> owner(const std::string& folder);

    RunLock(RunLock&& other) noexcept;
    RunLock& operator=(RunLock&& other) noexcept;
    ~RunLock();

private:
    static Result<RunLock> acquire(const std::string& folder, std::string_view name,
                                   const ErrorKind& taken);
    explicit RunLock(int descriptor) : m_descriptor(descriptor) {}

    int m_descriptor = -1;
};

} // namespace cannery::storage
