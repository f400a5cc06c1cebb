// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>

namespace cannery::benchmarks {

/// Scalars written to one event file: a record each, every record with its checksums.
struct ScalarPass
{
    double seconds = 0; ///< until the file is closed
    std::uint64_t bytes = 0;
};

/// `tags` values a step, as a person logs a loss and some metrics.
Result<ScalarPass> writeScalars(const std::string& folder, std::int64_t steps, int tags);

/// The scalars in the newest event file of a folder, counted by reading them.
Result<std::int64_t> countScalars(const std::string& folder);

} // namespace cannery::benchmarks
