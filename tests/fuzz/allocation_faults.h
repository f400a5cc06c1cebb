// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Lets allocations of the calling thread fail: of malloc and its kin where no sanitizer stands in
/// the way, of operator new everywhere.
namespace cannery::tests {

/// From now on the n-th allocation (from 1) of this thread fails; with `persists` all later ones
/// too. 0: none, they are only counted.
void failAllocation(std::int64_t n, bool persists);
/// Ends that; the number of allocations since.
std::int64_t stopFailing();

/// The most bytes that this thread held since then, beyond what it held at the beginning.
std::int64_t peakBytes();

/// Blocks that this thread has allocated and nobody on it has freed, from an unknown beginning.
std::int64_t liveBlocks();

} // namespace cannery::tests
