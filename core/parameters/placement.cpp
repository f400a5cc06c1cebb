// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/placement.h"

#include <algorithm>

namespace cannery::parameters {

namespace {

constexpr std::int64_t kElementBytes = 4;

/// As in TensorFlow: the bytes divided by the smallest slice, rounded up, within the limits.
std::int64_t partsOf(std::int64_t rows, std::int64_t elements, const Partitioner& partitioner)
{
    const std::int64_t bytes = elements * kElementBytes;
    const std::int64_t wanted =
        bytes / partitioner.minSliceSize + (bytes % partitioner.minSliceSize > 0 ? 1 : 0);
    return std::max<std::int64_t>(1, std::min({rows, partitioner.maxPartitions, wanted}));
}

} // namespace

std::vector<Part> place(std::span<const Shape> variables, const Partitioner& partitioner,
                        int servers)
{
    std::vector<Part> parts;
    std::vector<std::int64_t> loads(static_cast<std::size_t>(servers), 0);
    for (std::size_t variable = 0; variable < variables.size(); ++variable) {
        const Shape& shape = variables[variable];
        const std::int64_t elements = shape.elementCount();
        const std::int64_t rows = shape.rank() == 0 ? 1 : shape.dims.front();
        const std::int64_t cols = rows == 0 ? 1 : std::max<std::int64_t>(1, elements / rows);
        const std::int64_t count = partsOf(rows, elements, partitioner);
        std::int64_t firstRow = 0;
        for (std::int64_t index = 0; index < count; ++index) {
            // The first parts have one row more.
            const std::int64_t partRows = rows / count + (index < rows % count ? 1 : 0);
            const auto least = std::ranges::min_element(loads);
            *least += partRows * cols;
            parts.push_back({.variable = variable,
                             .first = firstRow * cols,
                             .count = partRows * cols,
                             .cols = cols,
                             .server = static_cast<int>(least - loads.begin())});
            firstRow += partRows;
        }
    }
    return parts;
}

} // namespace cannery::parameters
