// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>

namespace cannery::storage {

/// The claim of one runner on a project's queue ("queue.lock"). The kernel releases it when the
/// process ends, however it ends; the file stays.
class QueueLock
{
public:
    /// Nothing if another process already runs the queue.
    static Result<std::optional<QueueLock>> tryAcquire(const std::string& projectFolder);
    /// Whether a process runs the queue. Does not interfere with it.
    static bool isHeld(const std::string& projectFolder);

    QueueLock(QueueLock&& other) noexcept;
    QueueLock& operator=(QueueLock&& other) noexcept;
    ~QueueLock();

private:
    explicit QueueLock(int descriptor) : m_descriptor(descriptor) {}

    int m_descriptor = -1;
};

} // namespace cannery::storage
