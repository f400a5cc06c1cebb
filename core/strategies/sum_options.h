// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/collectives/communicator.h"
#include "core/coordinator/types.h"
#include "core/plan/network_gradients.h"
#include "core/spec/strategies.pb.h"

#include <cstdint>

namespace cannery::strategies {

/// How workers add up gradients.
struct SumOptions
{
    bool isExact = true;           ///< as one binary tree, whatever the number of workers
    bool isRing = false;           ///< around a ring, unless it is exact
    std::int64_t bytesPerPack = 0; ///< 0: as suits their number

    bool operator==(const SumOptions&) const = default;
};

SumOptions sumOptionsOf(const spec::Strategy& strategy);
collectives::Summation summationOf(const SumOptions& options);
/// Of sums that are not exact: "strategies.note_not_exact".
coordinator::Note orderNote(int workers);

/// A first pack of 1 MiB leaves early; the others are long enough to hide the time that a message
/// takes whatever its length, which grows with the number of workers.
plan::PackSizes packSizesFor(const SumOptions& options, int workers);

} // namespace cannery::strategies
