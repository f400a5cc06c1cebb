// SPDX-License-Identifier: Apache-2.0
#include "core/plan/network.h"

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

void Network::bindPlaced(std::size_t input, const float* values, const kernels::DeviceIds& ids)
{
    layers::ValueBuffer& value = m_values[static_cast<std::size_t>(m_graph.inputs[input].value)];
    value.data = values;
    value.placedIds = ids;
}

void Network::bindPlaced(std::size_t input, const kernels::MatrixView& steps)
{
    m_values[static_cast<std::size_t>(m_graph.inputs[input].value)].placedSteps = steps;
}

void Network::bindStepOffsets(graph::ValueId id, std::span<const std::int64_t> stepOffsets)
{
    m_values[static_cast<std::size_t>(id)].stepOffsets = stepOffsets;
}

Result<void> Network::placeForward(const layers::Placement& placement, std::size_t end)
{
    for (std::size_t node = 0; node < end; ++node) {
        const graph::Node& described = m_graph.nodes[node];
        CANNERY_TRY(
            withName(m_layers[node]->placeForward(labelled(placement, described)), described));
    }
    return {};
}

Result<void> Network::placeBackward(const layers::Placement& placement)
{
    for (std::size_t node = m_layers.size(); node-- > 0;) {
        const graph::Node& described = m_graph.nodes[node];
        if (goesBackThrough(node)) {
            CANNERY_TRY(
                withName(m_layers[node]->placeBackward(labelled(placement, described)), described));
        }
    }
    for (std::size_t variable = 0; variable < m_gradients.size(); ++variable) {
        if (m_gradients[variable] != nullptr) {
            m_gradients[variable]->placeSum(placement.program, m_graph.variables[variable].name);
        }
    }
    return {};
}

void Network::placeStatistics(const layers::Placement& placement)
{
    for (std::size_t node = 0; node < m_layers.size(); ++node) {
        m_layers[node]->placeStatistics(labelled(placement, m_graph.nodes[node]));
    }
}

} // namespace cannery::plan
