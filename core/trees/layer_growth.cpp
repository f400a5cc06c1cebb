// SPDX-License-Identifier: Apache-2.0
#include "core/trees/layer_growth.h"

#include <algorithm>
#include <cmath>

namespace cannery::trees {

namespace {

/// A share of the bias before the step, TensorFlow's. The first step always goes on.
constexpr float kLeastBiasChange = 0.01F;

std::vector<float> valueAbove(const std::vector<float>& base, const std::vector<float>& more,
                              float rate)
{
    std::vector<float> value(more.size());
    for (std::size_t output = 0; output < more.size(); ++output) {
        value[output] = (base.empty() ? 0.0F : base[output]) + rate * more[output];
    }
    return value;
}

/// A leaf has the sum of its path, so that a prediction reads one leaf of each tree. The learning
/// rate applies to what a layer adds.
void split(Tree& tree, std::int32_t at, const SplitCandidate& candidate, float rate)
{
    const auto first = static_cast<std::int32_t>(tree.nodes.size());
    Node left;
    Node right;
    Node& node = tree.nodes[static_cast<std::size_t>(at)];
    left.value = valueAbove(node.value, candidate.left, rate);
    right.value = valueAbove(node.value, candidate.right, rate);
    // TensorFlow's root carries no original leaf unless centering gave it a bias.
    const bool isZero = std::ranges::all_of(node.value, [](float value) { return value == 0.0F; });
    if (at == 0 && isZero) {
        node.value.clear();
    }
    node.kind = candidate.isCategory ? SplitKind::Category : SplitKind::Bucket;
    node.feature = candidate.feature;
    node.dimension = candidate.dimension;
    node.threshold = candidate.threshold;
    node.missingLeft = candidate.missingLeft;
    node.gain = candidate.gain;
    node.left = first;
    node.right = first + 1;
    tree.nodes.push_back(std::move(left));
    tree.nodes.push_back(std::move(right));
}

float valueOf(const Node& node, std::size_t output)
{
    return node.value.empty() ? 0.0F : node.value[output];
}

/// Where nodes go when a tree is pruned.
class Pruning
{
public:
    Pruning(Tree& tree, std::int64_t outputs)
        : m_tree(tree), m_outputs(static_cast<std::size_t>(outputs)), m_parents(tree.nodes.size())
    {
        for (std::size_t at = 0; at < m_parents.size(); ++at) {
            m_parents[at] = static_cast<std::int32_t>(at);
        }
    }

    void run()
    {
        bool isChanged = false;
        // Backwards, since children lie behind their parents: a parent whose two children have
        // become leaves may be joined in turn.
        for (std::size_t at = m_tree.nodes.size(); at-- > 0;) {
            isChanged = join(static_cast<std::int32_t>(at)) || isChanged;
        }
        if (isChanged) {
            renumber();
        }
    }

private:
    Node& node(std::int32_t at) { return m_tree.nodes[static_cast<std::size_t>(at)]; }
    bool isRemoved(std::size_t at) const { return m_parents[at] != static_cast<std::int32_t>(at); }

    /// Children lie behind their parents, so going backwards is going up.
    bool join(std::int32_t at)
    {
        Node& parent = node(at);
        // Only a split that loses is taken back; one that gains nothing stays, as in TensorFlow.
        if (parent.isLeaf() || !node(parent.left).isLeaf() || !node(parent.right).isLeaf() ||
            !(parent.gain < 0.0F)) {
            return false;
        }
        m_parents[static_cast<std::size_t>(parent.left)] = at;
        m_parents[static_cast<std::size_t>(parent.right)] = at;
        Node leaf;
        leaf.value = parent.value;
        parent = std::move(leaf);
        return true;
    }

    /// Where a node has gone, and by how much the prediction of a row in it changes thereby:
    /// several layers above it may have been removed.
    PrunedNode fateOf(std::size_t at, const std::vector<std::int32_t>& newIds)
    {
        PrunedNode fate{.change = std::vector<float>(m_outputs)};
        auto place = static_cast<std::int32_t>(at);
        while (isRemoved(static_cast<std::size_t>(place))) {
            const std::int32_t parent = m_parents[static_cast<std::size_t>(place)];
            for (std::size_t output = 0; output < m_outputs; ++output) {
                fate.change[output] += valueOf(node(parent), output) - valueOf(node(place), output);
            }
            place = parent;
        }
        fate.newNode = newIds[static_cast<std::size_t>(place)];
        return fate;
    }

    void renumber()
    {
        std::vector<std::int32_t> newIds(m_parents.size());
        std::int32_t next = 0;
        for (std::size_t at = 0; at < m_parents.size(); ++at) {
            newIds[at] = isRemoved(at) ? -1 : next++;
        }
        // Rows of the batch still hold their old node: the list says where it went and by how much
        // their prediction changes.
        for (std::size_t at = 0; at < m_parents.size(); ++at) {
            m_tree.pruned.push_back(fateOf(at, newIds));
        }
        std::vector<Node> kept;
        for (std::size_t at = 0; at < m_parents.size(); ++at) {
            if (!isRemoved(at)) {
                Node& moved = kept.emplace_back(std::move(m_tree.nodes[at]));
                moved.left = moved.isLeaf() ? 0 : newIds[static_cast<std::size_t>(moved.left)];
                moved.right = moved.isLeaf() ? 0 : newIds[static_cast<std::size_t>(moved.right)];
            }
        }
        m_tree.nodes = std::move(kept);
    }

    Tree& m_tree;
    std::size_t m_outputs;
    std::vector<std::int32_t> m_parents; ///< of removed nodes; of others themselves
};

/// As TensorFlow counts them, when a layer is about to grow.
void countAttempt(Ensemble& ensemble)
{
    ++ensemble.layersAttempted;
    if (ensemble.trees.back().layersGrown == 0) {
        ++ensemble.treesAttempted;
    }
}

} // namespace

void growLayer(Ensemble& ensemble, std::span<const std::optional<SplitCandidate>> splits,
               const LayerOptions& options)
{
    if (ensemble.trees.empty()) {
        ensemble.addTree();
    }
    countAttempt(ensemble);
    Tree& tree = ensemble.trees.back();
    const auto before = static_cast<std::int32_t>(tree.nodes.size());
    std::int64_t outputs = 1;
    // Splits are in the order of the nodes of the last layer.
    for (std::size_t index = 0; index < splits.size(); ++index) {
        const std::optional<SplitCandidate>& candidate = splits[index];
        if (!candidate || (options.pruning == spec::TreePruning::pre && candidate->gain < 0.0F)) {
            continue;
        }
        outputs = static_cast<std::int64_t>(candidate->left.size());
        split(tree, ensemble.lastLayerBegin + static_cast<std::int32_t>(index), *candidate,
              options.learningRate);
    }
    const auto after = static_cast<std::int32_t>(tree.nodes.size());
    // No node could be split. The attempt counts, the layer does not: see isComplete().
    if (after == before) {
        return;
    }
    ensemble.lastLayerBegin = before;
    ensemble.lastLayerEnd = after;
    ++tree.layersGrown;
    if (tree.layersGrown < options.maxDepth) {
        return;
    }
    tree.isFinal = true;
    if (options.pruning == spec::TreePruning::post) {
        pruneTree(tree, outputs);
    }
    ensemble.addTree();
}

void pruneTree(Tree& tree, std::int64_t outputs)
{
    Pruning(tree, outputs).run();
}

bool centerBias(Ensemble& ensemble, float meanFirst, float meanSecond, const LayerOptions& options)
{
    const LeafValue step = bestLeaf({&meanFirst, 1}, {&meanSecond, 1}, options);
    if (ensemble.trees.empty()) {
        ensemble.addTree(step.value);
        return true;
    }
    float& bias = ensemble.trees.front().nodes.front().value.at(0);
    // The ratio of the last step to the bias so far.
    const bool goesOn = std::fabs(step.value.front() / bias) > kLeastBiasChange;
    bias += step.value.front();
    return goesOn;
}

/// Twice as many attempts as layers: without a limit, a training whose splits all fail to improve
/// anything would never end.
bool isComplete(const Ensemble& ensemble, const LayerOptions& options)
{
    return ensemble.finalTrees() >= options.treeCount ||
           ensemble.layersAttempted > 2 * options.treeCount * options.maxDepth;
}

} // namespace cannery::trees
