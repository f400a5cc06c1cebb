// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/strategies/cost_model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::strategies {

/// A training in step, whose number of workers is sought.
struct WorkerQuestion
{
    WorkerStep step; ///< of one batch
    NetworkFigures network;
    std::string networkName; ///< "10 Gbit/s"
    std::int64_t batchRows = 0;
    std::int64_t trainRows = 0;
    std::int64_t virtualShards = 0; ///< batches of a step; 0: one per worker
};

struct WorkerPoint
{
    std::int64_t workers = 1;
    double stepsPerSecond = 0;
    double rowsPerSecond = 0; ///< of all workers
    double efficiency = 1;    ///< rows per second and worker, relative to one that trains alone
    StepSeconds seconds = {};
};

struct WorkerAdvice
{
    std::int64_t recommended = 1;
    std::string sentence;           ///< "No gain beyond 12 workers, because …"
    std::vector<WorkerPoint> curve; ///< for 1, 2, 4 … workers
};

/// No more workers are looked at.
inline constexpr std::int64_t kMostWorkers = 1024;

/// What this many workers do; with virtual shards they must divide their number.
WorkerPoint pointOf(const WorkerQuestion& question, std::int64_t workers);

/// Recommends the fewest workers that are about as fast as any number of which each does at least
/// half as much as one alone, and with which an epoch still has ten steps.
WorkerAdvice adviseWorkers(const WorkerQuestion& question);

} // namespace cannery::strategies
