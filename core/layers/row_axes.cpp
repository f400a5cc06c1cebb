// SPDX-License-Identifier: Apache-2.0
#include "core/layers/row_axes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kAxis{"layers.axis",
                          "A layer {} has no dimension {} to work along: rows of '{}' have the "
                          "shape {}. Give one from 1 to {}, or from -{} to -1."};
constexpr ErrorKind kAxisTwice{"layers.axis_twice",
                               "A layer {} is given dimension {} of '{}', of shape {}, twice; name "
                               "each dimension once."};

} // namespace

std::size_t rowAxis(std::size_t rank, std::int64_t axis)
{
    const auto size = static_cast<std::int64_t>(rank);
    return static_cast<std::size_t>(axis < 0 ? axis + size : axis - 1);
}

std::vector<std::size_t> rowAxes(std::size_t rank, std::span<const std::int64_t> axes)
{
    if (axes.empty()) {
        return {rank - 1};
    }
    std::vector<std::size_t> result;
    for (const std::int64_t axis : axes) {
        result.push_back(rowAxis(rank, axis));
    }
    std::ranges::sort(result);
    return result;
}

Result<std::size_t> rowAxis(std::string_view layer, const graph::Value& input, std::int64_t axis)
{
    const std::size_t rank = graph::rowShape(input).size();
    const auto size = static_cast<std::int64_t>(rank);
    if (axis == 0 || axis < -size || axis > size) {
        return fail(ErrorCode::InvalidArgument, kAxis, layer, axis, input.name,
                    graph::shapeText(input), size, size);
    }
    return rowAxis(rank, axis);
}

Result<std::vector<std::size_t>> rowAxes(std::string_view layer, const graph::Value& input,
                                         std::span<const std::int64_t> axes)
{
    const std::size_t rank = graph::rowShape(input).size();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        CANNERY_TRY_ASSIGN(const std::size_t own, rowAxis(layer, input, axes[i]));
        for (const std::int64_t earlier : axes.first(i)) {
            if (rowAxis(rank, earlier) == own) {
                return fail(ErrorCode::InvalidArgument, kAxisTwice, layer, axes[i], input.name,
                            graph::shapeText(input));
            }
        }
    }
    return rowAxes(rank, axes);
}

} // namespace cannery::layers
