// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/unit_nodes.h"

namespace cannery::layers {

storage::NodeRef besideRows(const storage::FloatNodes& nodes, const storage::NodeRef& numbers,
                            std::size_t rank, std::size_t axis)
{
    if (axis + 1 == rank) {
        return numbers;
    }
    storage::FloatNodes::Ints shape(rank - axis, 1);
    shape[0] = -1;
    return nodes.reshape(numbers, shape);
}

storage::NodeRef sumOfUnits(const storage::FloatNodes& nodes, storage::NodeRef values,
                            const std::vector<std::int64_t>& row, std::size_t axis)
{
    const std::size_t rank = row.size();
    if (axis + 1 == rank) {
        return nodes.sum(
            rank > 1 ? nodes.reshape(values, {-1, static_cast<std::int32_t>(row[axis])}) : values,
            0);
    }
    for (std::size_t dimension = 0; dimension <= rank; ++dimension) {
        if (dimension != axis + 1) {
            values = nodes.sum(values, static_cast<std::int32_t>(dimension), true);
        }
    }
    return nodes.flat(values);
}

} // namespace cannery::layers
