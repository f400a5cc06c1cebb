// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cannery::features {

/// Memory of the caller's for a batch of rows that each have one id in every block, and no
/// sequences: laid out as in EncodedRows, each array by itself. Null: the rows' numbers are left
/// out.
struct BatchPlaces
{
    struct Ids
    {
        std::int64_t* rowOffsets = nullptr; ///< 0 to the number of rows
        std::int32_t* ids = nullptr;
        float* weights = nullptr; ///< 1 where ids carry none
    };
    std::vector<float*> dense; ///< by block; of those left out at the end, there may be none
    std::vector<Ids> ids;      ///< the same
    float* labels = nullptr;
    float* weights = nullptr;
};

} // namespace cannery::features
