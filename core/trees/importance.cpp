// SPDX-License-Identifier: Apache-2.0
#include "core/trees/importance.h"

#include <algorithm>

namespace cannery::trees {

std::vector<double> gainsOf(const Ensemble& ensemble, std::int32_t features)
{
    std::vector<double> gains(static_cast<std::size_t>(features));
    for (const Tree& tree : ensemble.trees) {
        for (const Node& node : tree.nodes) {
            if (!node.isLeaf()) {
                gains[static_cast<std::size_t>(node.feature)] +=
                    static_cast<double>(tree.weight) * static_cast<double>(node.gain);
            }
        }
    }
    return gains;
}

void contributionsOf(const Ensemble& ensemble, const FeatureTable& table, std::int64_t row,
                     const std::function<float(float)>& prediction, Contributions& contributions)
{
    contributions.features.assign(static_cast<std::size_t>(table.featureCount()), 0.0F);
    float before = 0.0F; // the trees so far
    bool isFirst = true;
    contributions.bias = prediction(before);
    for (const Tree& tree : ensemble.trees) {
        const Node* node = &tree.nodes.front();
        const auto logitAt = [&](const Node& at) {
            return before + (at.value.empty() ? 0.0F : tree.weight * at.value.front());
        };
        float last = prediction(logitAt(*node));
        if (isFirst) {
            contributions.bias = last;
            isFirst = false;
        }
        while (!node->isLeaf()) {
            const auto next = static_cast<std::size_t>(Ensemble::childOf(*node, table, row));
            float& credit = contributions.features[static_cast<std::size_t>(node->feature)];
            node = &tree.nodes[next];
            const float now = prediction(logitAt(*node));
            credit += now - last;
            last = now;
        }
        before = logitAt(*node);
    }
}

} // namespace cannery::trees
