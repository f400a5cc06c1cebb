// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>

namespace cannery::benchmarks {

struct StepRateRequest
{
    std::string experimentFile;
    std::int64_t batch = 0; ///< rows; at most as many as the training data has
    int threads = 1;
    double seconds = 1;
};

/// Training steps of a model on one batch that stays in memory, each some milliseconds of steps
/// between two of the loop of peak_rate.h: so both meet the same neighbours and the same frequency,
/// and only their ratio is kept. Times are those of the processor, all threads together; medians
/// over the slices.
struct StepRate
{
    double millisecondsPerStep = 0;
    /// Billions of operations that the loop of the widest instructions would have done in the time
    /// of a step. A step's own operations divided by this are its share of the
    /// peak.
    double peakGflopPerStep = 0;
    /// The least of all slices: that which was disturbed least.
    double leastPeakGflopPerStep = 0;
    std::int64_t steps = 0;
};

/// Errors: those of reading and compiling the experiment.
Result<StepRate> measureSteps(const StepRateRequest& request);

} // namespace cannery::benchmarks
