// SPDX-License-Identifier: Apache-2.0
#include "core/plan/network_gradients.h"

#include <algorithm>
#include <cstddef>

namespace cannery::plan {

namespace {

constexpr ErrorKind kSharedNotPlaced{
    "layers.shared_not_placed",
    "'{}' is used by several layers, which only the CPU trains: set the device to cpu."};

} // namespace

void NetworkGradients::begin()
{
    m_gradients.clear();
    m_gradients.resize(m_graph.variables.size());
}

Segments* NetworkGradients::addPart(graph::VariableId id, std::int64_t rows, std::int64_t cols)
{
    auto& gradient = m_gradients[static_cast<std::size_t>(id)];
    if (gradient == nullptr) {
        gradient = std::make_unique<VariableGradient>(rows, cols);
    }
    return gradient->addPart();
}

void NetworkGradients::layOut()
{
    m_arena = std::make_unique<FloatArena>();
    m_parts = std::make_unique<FloatArena>();
    m_firstNodes = firstNodes();
    m_statistics.clear();
    for (const auto& layer : m_layers) {
        m_statistics.push_back(m_arena->add(layer->statisticsCount()));
    }
    for (const auto& gradient : m_gradients) {
        if (gradient != nullptr) {
            gradient->plan(*m_arena, *m_parts);
        }
    }
    m_factsOffset = m_arena->add(kStepFacts);
    m_arena->allocate();
    m_parts->allocate();
    for (const auto& gradient : m_gradients) {
        if (gradient != nullptr) {
            gradient->bind(*m_arena, *m_parts);
        }
    }
    for (std::size_t node = 0; node < m_layers.size(); ++node) {
        m_layers[node]->bindStatistics(
            m_arena->span(m_statistics[node], m_layers[node]->statisticsCount()));
    }
    findSparseParts();
}

void NetworkGradients::findSparseParts()
{
    m_sparseParts.clear();
    for (const auto& gradient : m_gradients) {
        if (gradient == nullptr) {
            continue;
        }
        for (layers::GradientSegment& segment : gradient->segments()) {
            if (segment.sparse) {
                m_sparseParts.push_back({&segment.rows, segment.rowCount});
            }
        }
    }
}

void NetworkGradients::updateStatistics(std::int64_t shards)
{
    for (const auto& layer : m_layers) {
        layer->updateStatistics(1.0F / static_cast<float>(shards));
    }
}

bool NetworkGradients::hasStatistics(graph::VariableId id) const
{
    for (std::size_t node = 0; node < m_layers.size(); ++node) {
        if (m_layers[node]->statisticsCount() > 0 &&
            std::ranges::count(m_graph.nodes[node].variables, id) > 0) {
            return true;
        }
    }
    return false;
}

VariableGradient* NetworkGradients::of(graph::VariableId id)
{
    return m_gradients[static_cast<std::size_t>(id)].get();
}

void NetworkGradients::sum(std::size_t first, std::size_t end, kernels::SparseScratch& scratch)
{
    for (std::size_t variable = 0; variable < m_gradients.size(); ++variable) {
        if (m_gradients[variable] != nullptr && m_firstNodes[variable] >= first &&
            m_firstNodes[variable] < end) {
            m_gradients[variable]->sum(scratch);
        }
    }
}

Result<void> NetworkGradients::placeSums(kernels::AcceleratorProgram& program)
{
    for (std::size_t variable = 0; variable < m_gradients.size(); ++variable) {
        if (m_gradients[variable] == nullptr) {
            continue;
        }
        if (m_gradients[variable]->isDenseSum()) {
            return fail(ErrorCode::Unimplemented, kSharedNotPlaced,
                        m_graph.variables[variable].name);
        }
        m_gradients[variable]->placeSum(program, m_graph.variables[variable].name);
    }
    return {};
}

std::vector<std::size_t> NetworkGradients::firstNodes() const
{
    std::vector<std::size_t> nodes(m_gradients.size(), m_layers.size());
    for (std::size_t node = m_layers.size(); node-- > 0;) {
        for (const graph::VariableId id : m_graph.nodes[node].variables) {
            nodes[static_cast<std::size_t>(id)] = node;
        }
    }
    return nodes;
}

std::vector<Pack> NetworkGradients::packs(const PackSizes& sizes) const
{
    std::vector<Pack> packs;
    std::int64_t end = m_arena->size();
    std::size_t node = m_layers.size();
    for (std::size_t variable = m_gradients.size(); variable-- > 0;) {
        if (m_gradients[variable] == nullptr || m_gradients[variable]->arenaOffset() < 0) {
            continue;
        }
        const std::int64_t begin = m_gradients[variable]->arenaOffset();
        node = std::min(node, m_firstNodes[variable]);
        const std::int64_t wanted = packs.empty() ? sizes.first : sizes.others;
        if ((end - begin) * static_cast<std::int64_t>(sizeof(float)) >= wanted) {
            packs.push_back({.first = begin, .count = end - begin, .node = node});
            end = begin;
        }
    }
    for (std::size_t layer = 0; layer < m_layers.size(); ++layer) {
        node = m_layers[layer]->statisticsCount() > 0 ? std::min(node, layer) : node;
    }
    if (end > 0) {
        packs.push_back({.first = 0, .count = end, .node = node});
    }
    return packs;
}

} // namespace cannery::plan
