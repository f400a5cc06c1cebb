// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>

namespace cannery::benchmarks {

/// How long training stands still while checkpoints of a state are saved.
struct CheckpointStall
{
    double medianMilliseconds = 0; ///< the step after which a checkpoint is due, less a usual step
    double greatestMilliseconds = 0;
    double stepMilliseconds = 0;     ///< the median of all steps
    double wholeMilliseconds = 0;    ///< median from the end of that step until all is on the disk
    int checkpoints = 0;             ///< saved while it trained
    std::uint64_t bytes = 0;         ///< of the tensors of one
    double secondsPerCheckpoint = 0; ///< of the whole training, beyond its steps at their median
};

struct CheckpointRequest
{
    std::string folder;                  ///< empty, or made
    std::int64_t megabytes = 100;        ///< of weights and slots
    int checkpoints = 4;                 ///< beside those of step 0 and of the last step
    std::int64_t stepsBetween = 150'000; ///< long enough to write one behind the training
};

/// Trains a linear model with one hashed column (Ftrl: three floats a bucket) and watches its
/// steps.
Result<CheckpointStall> measureCheckpoints(const CheckpointRequest& request);

} // namespace cannery::benchmarks
