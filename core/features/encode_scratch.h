// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/features/id_rows.h"

#include <cstdint>
#include <vector>

namespace cannery::features {

/// Memory that encoding uses again and again, so that it allocates nothing once blocks of rows have
/// been as large. One for each thread that encodes; what it holds means nothing between columns.
struct EncodeScratch
{
    IdRows ids;                        ///< of the slot at hand
    DenseBlock numbers;                ///< the source of a bucketized column
    std::vector<IdRows> crossed;       ///< the inputs of a cross; a cross never stands in another
    std::vector<std::int64_t> places;  ///< in each of them
    std::vector<std::uint64_t> hashes; ///< of beginnings of combinations, or one a row
};

} // namespace cannery::features
