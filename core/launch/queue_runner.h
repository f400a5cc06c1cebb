// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace cannery::launch {

struct QueueRunRequest
{
    std::string project;
    const std::atomic<bool>&
        stop; ///< when set, the training saves and ends, then so does the runner
    std::function<void(const std::string&)> note;
};

/// Trains the entries of a project's queue, first to last, each in a `cannery train` process of its
/// own, until none is waiting. Returns false if another process already does. An entry that could
/// not begin is Failed with the reason; one that became a run leaves the queue, however the run
/// ended. First cleans up after a runner that died.
Result<bool> runQueue(const QueueRunRequest& request);

/// Trains one entry now, alongside whatever else is training.
Result<void> runQueueEntry(const QueueRunRequest& request, std::int64_t id);

} // namespace cannery::launch
