// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>

namespace cannery::storage {

/// The claim of one runner on a project's queue ("queue.lock"). The kernel gives it up when the
/// process ends, however it ends; the file stays.
class QueueLock
{
public:
    /// Nothing when another process runs the queue already.
    static Result<std::optional<QueueLock>> tryAcquire(const std::string& projectFolder);
    /// Whether somebody runs the queue. Does not disturb anyone.
    static bool isHeld(const std::string& projectFolder);

    QueueLock(QueueLock&& other) noexcept;
    QueueLock& operator=(QueueLock&& other) noexcept;
    ~QueueLock();

private:
    explicit QueueLock(int descriptor) : m_descriptor(descriptor) {}

    int m_descriptor = -1;
};

} // namespace cannery::storage
