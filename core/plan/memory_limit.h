// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>

namespace cannery::plan {

/// Bytes that replace the result of memoryLimit(); see README's table.
inline constexpr const char* kMemoryVariable = "CANNERY_MEMORY_BYTES";

/// How much memory a model in this process may take, and what limits it.
struct MemoryLimit
{
    double bytes = 0;
    std::string
        source; ///< "of which this machine has 3.2 GB left" without the number: for messages
};

/// Nine tenths of the minimum of: what the machine can provide without swapping (MemAvailable),
/// what each control group of this process leaves, and what RLIMIT_AS and RLIMIT_DATA leave.
/// CANNERY_MEMORY_BYTES replaces it. If the system reports none of these, there is no limit
/// (infinity). Any thread. Errors: "plan.bad_memory_limit" if the variable is not a number.
Result<MemoryLimit> memoryLimit();

} // namespace cannery::plan
