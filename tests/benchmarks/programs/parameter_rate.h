// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>

namespace cannery::benchmarks {

struct ParameterRequest
{
    std::int64_t megabytes = 64;          ///< of the dense variable
    std::int64_t tableRows = 1 << 20;     ///< of 16 floats
    std::int64_t rowsPerStep = 64 * 1024; ///< looked up, spread over the table
    double seconds = 1;                   ///< for each figure; at least one exchange
};

/// What one task exchanges with a parameter server in this process, over loopback: the median
/// exchange.
struct ParameterRate
{
    double pulledBytesPerSecond = 0; ///< all of the dense variable
    double pushedBytesPerSecond = 0; ///< its gradient, until plain SGD has been applied
    double pulledRowsPerSecond = 0;
    double pushedRowsPerSecond = 0;
    double oneRowMicroseconds = 0; ///< pulled
    double oneRowTail = 0;         ///< its 99th percentile
};

Result<ParameterRate> measureParameters(const ParameterRequest& request);

} // namespace cannery::benchmarks
