// SPDX-License-Identifier: Apache-2.0
#include "core/plan/network_placement.h"

#include <utility>

namespace cannery::plan {

namespace {

layers::Placement labelled(const layers::Placement& placement, const graph::Node& node)
{
    layers::Placement own = placement;
    own.label = node.name;
    return own;
}

Result<void> withName(Result<void> placed, const graph::Node& node)
{
    if (!placed) {
        return tl::make_unexpected(std::move(placed).error().with(node.name));
    }
    return placed;
}

} // namespace

void NetworkPlacement::bind(std::size_t input, const float* values, const kernels::DeviceIds& ids)
{
    layers::ValueBuffer& value =
        m_parts.values[static_cast<std::size_t>(m_parts.graph.inputs[input].value)];
    value.data = values;
    value.placedIds = ids;
}

void NetworkPlacement::bind(std::size_t input, const kernels::MatrixView& steps)
{
    m_parts.values[static_cast<std::size_t>(m_parts.graph.inputs[input].value)].placedSteps = steps;
}

void NetworkPlacement::bindStepOffsets(graph::ValueId id, std::span<const std::int64_t> stepOffsets)
{
    m_parts.values[static_cast<std::size_t>(id)].stepOffsets = stepOffsets;
}

Result<void> NetworkPlacement::placeForward(const layers::Placement& placement, std::size_t end)
{
    for (std::size_t node = 0; node < end; ++node) {
        const graph::Node& described = m_parts.graph.nodes[node];
        CANNERY_TRY(withName(m_parts.layers[node]->placeForward(labelled(placement, described)),
                             described));
    }
    return {};
}

Result<void> NetworkPlacement::placeBackward(const layers::Placement& placement)
{
    for (std::size_t node = m_parts.layers.size(); node-- > 0;) {
        const graph::Node& described = m_parts.graph.nodes[node];
        if (m_parts.wantsGradient[static_cast<std::size_t>(described.output)]) {
            m_parts.uses.placeSum(described.output, labelled(placement, described));
            CANNERY_TRY(withName(
                m_parts.layers[node]->placeBackward(labelled(placement, described)), described));
        }
    }
    return m_parts.gradients.placeSums(placement.program);
}

void NetworkPlacement::placeStatistics(const layers::Placement& placement)
{
    for (std::size_t node = 0; node < m_parts.layers.size(); ++node) {
        m_parts.layers[node]->placeStatistics(labelled(placement, m_parts.graph.nodes[node]));
    }
}

} // namespace cannery::plan
