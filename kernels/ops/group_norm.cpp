// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/group_norm.h"

#include <algorithm>
#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<GroupNormImplementation, 2> kImplementations = {{
    {"vector", acceptsAll<GroupNormProblem>, &cpu::kGroupNorm},
    {"reference", acceptsAll<GroupNormProblem>, &reference::kGroupNorm},
}};

/// Whether an axis goes on where its inner neighbour ends.
bool follows(std::int64_t outer, std::int64_t inner, std::int64_t innerSize)
{
    return (outer == 0) == (inner == 0) && outer == inner * innerSize;
}

} // namespace

GroupNormShape groupNormShape(std::span<const GroupNormDimension> row)
{
    GroupNormShape shape;
    // From the innermost dimension outwards, since that is the order in which steps are known.
    for (std::size_t index = row.size(); index-- > 0;) {
        const GroupNormDimension& own = row[index];
        const GroupNormShape::Axis axis{.size = own.size,
                                        .groupStep = own.isTogether ? 0 : shape.groups,
                                        .parameterStep = own.hasParameters ? shape.parameters : 0};
        shape.width *= own.size;
        shape.groups *= own.isTogether ? 1 : own.size;
        shape.parameters *= own.hasParameters ? own.size : 1;
        if (own.size == 1) {
            continue;
        }
        if (!shape.axes.empty()) {
            GroupNormShape::Axis& inner = shape.axes.back();
            if (follows(axis.groupStep, inner.groupStep, inner.size) &&
                follows(axis.parameterStep, inner.parameterStep, inner.size)) {
                inner.size *= own.size;
                continue;
            }
        }
        shape.axes.push_back(axis);
    }
    std::ranges::reverse(shape.axes);
    if (shape.axes.empty()) {
        shape.axes.push_back({});
    }
    return shape;
}

std::int64_t groupNormPartsSize(const GroupNormShape& shape)
{
    return kGroupNormParts * 2 * shape.parameters;
}

std::span<const GroupNormImplementation> groupNormImplementations()
{
    return kImplementations;
}

const GroupNormKernels& groupNormKernels(const GroupNormProblem& problem)
{
    return *choose(groupNormImplementations(), problem).kernels;
}

} // namespace cannery::kernels
