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

/// Axes are added from the innermost one outwards; one that is read as its inner neighbour joins
/// it.
class ShapeBuilder
{
public:
    void add(std::int64_t size, bool isGrouped, bool hasParameters)
    {
        const GroupNormShape::Axis axis{.size = size,
                                        .groupStep = isGrouped ? m_shape.groups : 0,
                                        .parameterStep = hasParameters ? m_shape.parameters : 0};
        m_shape.width *= size;
        m_shape.groups *= isGrouped ? size : 1;
        m_shape.parameters *= hasParameters ? size : 1;
        if (size == 1) {
            return;
        }
        if (!m_shape.axes.empty()) {
            GroupNormShape::Axis& inner = m_shape.axes.back();
            if (follows(axis.groupStep, inner.groupStep, inner.size) &&
                follows(axis.parameterStep, inner.parameterStep, inner.size)) {
                inner.size *= size;
                return;
            }
        }
        m_shape.axes.push_back(axis);
    }

    GroupNormShape finish()
    {
        std::ranges::reverse(m_shape.axes);
        if (m_shape.axes.empty()) {
            m_shape.axes.push_back({});
        }
        return std::move(m_shape);
    }

private:
    static bool follows(std::int64_t outer, std::int64_t inner, std::int64_t innerSize)
    {
        return (outer == 0) == (inner == 0) && outer == inner * innerSize;
    }

    GroupNormShape m_shape;
};

} // namespace

GroupNormShape groupsAlong(std::span<const std::int64_t> row, std::span<const std::size_t> axes)
{
    ShapeBuilder builder;
    for (std::size_t axis = row.size(); axis-- > 0;) {
        const bool isAlong = std::ranges::find(axes, axis) != axes.end();
        builder.add(row[axis], !isAlong, isAlong);
    }
    return builder.finish();
}

GroupNormShape groupsOfChannels(std::span<const std::int64_t> row, std::int64_t groups)
{
    CANNERY_CHECK(!row.empty() && groups > 0 && row.back() % groups == 0);
    ShapeBuilder builder;
    builder.add(row.back() / groups, false, true);
    builder.add(groups, true, true);
    for (const std::int64_t size : row.first(row.size() - 1)) {
        builder.add(size, false, false);
    }
    return builder.finish();
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
