// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>

namespace cannery::plan {

/// Bytes in place of what memoryLimit() finds; README's table.
inline constexpr const char* kMemoryVariable = "CANNERY_MEMORY_BYTES";

/// How much memory a model of this process may take, and who says so.
struct MemoryLimit
{
    double bytes = 0;
    std::string
        source; ///< "of which this machine has 3.2 GB left" without the number: for sentences
};

/// Nine tenths of the least of: what the machine can give without swapping (MemAvailable), what
/// each control group above this process leaves, and what RLIMIT_AS and RLIMIT_DATA leave.
/// CANNERY_MEMORY_BYTES takes their place. Where the system tells nothing there is no limit (an
/// infinite number). Any thread. Errors: "plan.bad_memory_limit" when the variable is not a number.
Result<MemoryLimit> memoryLimit();

} // namespace cannery::plan
