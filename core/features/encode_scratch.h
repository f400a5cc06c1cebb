// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/features/id_rows.h"

#include <cstdint>
#include <vector>

namespace cannery::features {

/// Reusable memory for encoding, so that encoding allocates nothing once blocks of rows have been
/// this large. One per encoding thread; its contents mean nothing between columns.
struct EncodeScratch
{
    IdRows ids;                        ///< of the current slot
    DenseBlock numbers;                ///< the source of a bucketized column
    std::vector<IdRows> crossed;       ///< the inputs of a cross; crosses are never nested
    std::vector<std::int64_t> places;  ///< the current position in each of them
    std::vector<std::uint64_t> hashes; ///< of prefixes of combinations, or one per row
};

} // namespace cannery::features
