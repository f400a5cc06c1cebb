// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace cannery::app {

struct QueueRunRequest
{
    std::string project;
    const std::atomic<bool>& stop; ///< raised: the training ends with its checkpoint, then we do
    std::function<void(const std::string&)> note;
};

/// Trains the entries of a project's queue, first to last, each as `cannery train` of its own
/// process, until none waits. False when another process does so already. An entry that could not
/// begin is Failed with the reason; one that became a run is gone from the queue, however the run
/// ended. What a runner that died has left behind is put right first.
Result<bool> runQueue(const QueueRunRequest& request);

/// Trains one entry now, beside whatever else is trained.
Result<void> runQueueEntry(const QueueRunRequest& request, std::int64_t id);

} // namespace cannery::app
