// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cannery::features {

/// Ids of a categorical column as TensorFlow has them, 64 bits and unchecked: an identity column
/// may give any value. Reused, so that nothing is allocated once it has grown.
struct IdRows
{
    std::vector<std::int64_t> rowOffsets; ///< rows + 1
    std::vector<std::int64_t> ids;
    std::vector<float> weights; ///< as many as ids, or empty

    /// Requested by weighted columns: which cell of its row each id came from.
    bool recordCells = false;
    std::vector<std::int32_t> cells;

    void start(std::int64_t rowCount)
    {
        rowOffsets.clear();
        rowOffsets.reserve(static_cast<std::size_t>(rowCount) + 1);
        rowOffsets.push_back(0);
        ids.clear();
        weights.clear();
        cells.clear();
    }
    void endRow() { rowOffsets.push_back(static_cast<std::int64_t>(ids.size())); }
};

} // namespace cannery::features
