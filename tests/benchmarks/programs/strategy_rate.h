// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::benchmarks {

struct StrategyRateRequest
{
    std::string experimentFile;
    std::int64_t batch = 0; ///< rows of a replica
    int replicas = 2;       ///< and threads
    double seconds = 1;     ///< of each strategy
};

/// A strategy's steps beside those of one device.
struct StrategyRate
{
    std::string strategy;
    double millisecondsPerStep = 0; ///< by the clock, median of the slices
    double processorMilliseconds = 0;
    double speed = 0;          ///< times one device's, by the clock: median over pairs of slices
    double processorSpeed = 0; ///< the same by processor time
};

/// One device with the global batch, mirrored and central_storage with a batch for each replica, on
/// the same threads and rows, in slices of some milliseconds that take turns: all meet the same
/// neighbours. One device is the first. Errors: those of prepareModel().
Result<std::vector<StrategyRate>> measureStrategies(const StrategyRateRequest& request);

} // namespace cannery::benchmarks
