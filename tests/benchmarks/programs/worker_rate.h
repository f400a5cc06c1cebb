// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

/// What one worker of a cluster measures; every worker that its TF_CONFIG names runs the same.
namespace cannery::benchmarks {

struct WorkerRateRequest
{
    std::string experimentFile;
    std::int64_t batch = 0;
    std::int64_t steps = 1; ///< of a slice
    int rounds = 1;
    std::string strategy; ///< what stands beside multi_worker_mirrored: "reduce: fast"
    std::string options;  ///< fields of communication_options
};

/// Steps of one thread in slices that take turns: alone, while all other workers do the same, and
/// together with them.
struct WorkerRate
{
    double aloneMilliseconds = 0; ///< medians of a step by the clock
    double togetherMilliseconds = 0;
    double waitMilliseconds = 0; ///< for others, of the step together
    double sumMilliseconds = 0;  ///< adding up its dense gradients, while nothing is computed
    double speed = 0;            ///< alone / together: the median of the rounds
    std::int64_t denseBytes = 0; ///< of gradients
};

/// Errors: those of prepareModel() and of the group.
Result<WorkerRate> measureWorker(const WorkerRateRequest& request);

struct AllReduceRequest
{
    std::vector<std::int64_t> sizes; ///< bytes
    std::string order;               ///< "exact", "fast" or "ring"
    double seconds = 1;              ///< for each size, roughly
};

struct AllReduceRate
{
    std::int64_t bytes = 0;
    std::int64_t calls = 0;
    double medianSeconds = 0;
    double leastSeconds = 0;
};

Result<std::vector<AllReduceRate>> measureAllReduce(const AllReduceRequest& request, int* workers);

} // namespace cannery::benchmarks
