// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"

namespace cannery::kernels {

/// Whether every row has exactly one id, without a weight.
inline bool hasPlainIds(const IdsView& ids)
{
    const std::int64_t rows = ids.rows();
    if (ids.idCount() != rows || !ids.weights.empty()) {
        return false;
    }
    const std::int64_t first = rows > 0 ? ids.rowOffsets.front() : 0;
    std::int64_t difference = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
        difference |= ids.rowOffsets[r] ^ (first + r);
    }
    return difference == 0;
}

} // namespace cannery::kernels
