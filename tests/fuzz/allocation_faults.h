// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Makes allocations of the calling thread fail: those of malloc and related functions if no
/// sanitizer interferes, those of operator new always.
namespace cannery::tests {

/// From now on the n-th allocation (from 1) of this thread fails; with `persists` all later ones
/// too. 0: none, they are only counted.
void failAllocation(std::int64_t n, bool persists);
/// Stops that; returns the number of allocations since.
std::int64_t stopFailing();

/// The maximum of bytes allocated by this thread since then, beyond those at the beginning.
std::int64_t peakBytes();

/// Blocks that this thread has allocated and not freed, relative to an arbitrary start.
std::int64_t liveBlocks();

} // namespace cannery::tests
