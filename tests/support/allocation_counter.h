// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cannery::tests {

/// Calls of malloc, calloc, realloc and their like in this program since its start, by any thread
/// and any library (operator new and Eigen among them). This program defines those functions
/// itself, in front of the C library's.
std::int64_t allocationCount();

/// False in a build whose sanitizer has the allocator to itself: nothing is counted then.
bool allocationsAreCounted();

} // namespace cannery::tests
