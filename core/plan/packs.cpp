// SPDX-License-Identifier: Apache-2.0
#include "core/plan/network.h"

#include <algorithm>

namespace cannery::plan {

std::vector<Pack> Network::packs(const PackSizes& sizes) const
{
    // The first of the nodes that write a variable's gradient is the last to do so.
    std::vector<std::size_t> nodes(m_gradients.size(), m_layers.size());
    for (std::size_t node = m_layers.size(); node-- > 0;) {
        for (const graph::VariableId id : m_graph.nodes[node].variables) {
            nodes[static_cast<std::size_t>(id)] = node;
        }
    }
    std::vector<Pack> packs;
    std::int64_t end = m_gradientArena->size();
    std::size_t node = m_layers.size();
    for (std::size_t variable = m_gradients.size(); variable-- > 0;) {
        if (m_gradients[variable] == nullptr || m_gradients[variable]->offset() < 0) {
            continue;
        }
        const std::int64_t begin = m_gradients[variable]->offset();
        node = std::min(node, nodes[variable]);
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
