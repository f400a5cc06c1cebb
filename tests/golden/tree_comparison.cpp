// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/tree_comparison.h"

#include "core/trees/ensemble.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::tests {

namespace {

constexpr double kTolerance = 1e-4;

using Sentences = std::vector<std::string>;

bool isNear(float ours, float theirs)
{
    const auto wanted = static_cast<double>(theirs);
    return std::abs(static_cast<double>(ours) - wanted) <= kTolerance * (1 + std::abs(wanted));
}

bool areNear(const std::vector<float>& ours, const std::vector<float>& theirs)
{
    return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), isNear);
}

std::string describe(const trees::Node& node)
{
    return node.isLeaf() ? fmt::format("a leaf of {}", fmt::join(node.value, ", "))
                         : fmt::format("feature {}[{}] at {} to {} and {}, gain {}, missing {}, "
                                       "once {}",
                                       node.feature, node.dimension, node.threshold, node.left,
                                       node.right, node.gain, node.missingLeft ? "left" : "right",
                                       fmt::join(node.value, ", "));
}

bool isSame(const trees::Node& ours, const trees::Node& theirs)
{
    return ours.kind == theirs.kind && ours.feature == theirs.feature &&
           ours.dimension == theirs.dimension && ours.threshold == theirs.threshold &&
           ours.missingLeft == theirs.missingLeft && ours.left == theirs.left &&
           ours.right == theirs.right && isNear(ours.gain, theirs.gain) &&
           areNear(ours.value, theirs.value);
}

/// Splits that are pruned gain nothing, so most of them are ties, and may have their sides swapped.
std::vector<float> sortedChanges(const trees::Tree& tree)
{
    std::vector<float> changes;
    for (const trees::PrunedNode& node : tree.pruned) {
        changes.insert(changes.end(), node.change.begin(), node.change.end());
    }
    std::ranges::sort(changes);
    return changes;
}

bool arePrunedAlike(const trees::Tree& ours, const trees::Tree& theirs)
{
    return std::ranges::equal(ours.pruned, theirs.pruned, {}, &trees::PrunedNode::newNode,
                              &trees::PrunedNode::newNode) &&
           areNear(sortedChanges(ours), sortedChanges(theirs));
}

/// Whether float32 decides between the splits: their gains differ by less than 1e-4 of them, or are
/// the remains of a difference of equal numbers.
bool isTie(const trees::Node& ours, const trees::Node& theirs)
{
    constexpr float kRounding = 1e-8F;
    return !ours.isLeaf() && !theirs.isLeaf() && areNear(ours.value, theirs.value) &&
           std::abs(ours.gain - theirs.gain) <=
               kRounding + static_cast<float>(kTolerance) * std::abs(theirs.gain);
}

/// If ties are left out, everything below one may differ.
void compareNodes(std::size_t index, const trees::Tree& ours, const trees::Tree& theirs, Ties ties,
                  Sentences& sentences)
{
    std::vector<bool> isBelowTie(theirs.nodes.size());
    for (std::size_t i = 0; i < theirs.nodes.size(); ++i) {
        const trees::Node& node = theirs.nodes[i];
        const bool isSkipped = isBelowTie[i];
        const bool differs = !isSame(ours.nodes[i], node);
        const bool isLeftOut = ties == Ties::LeftOut && (isSkipped || isTie(ours.nodes[i], node));
        if (differs && !isLeftOut) {
            sentences.push_back(fmt::format("node {} of tree {} is {}, TensorFlow's {}", i, index,
                                            describe(ours.nodes[i]), describe(node)));
        }
        if (!node.isLeaf() && (differs || isSkipped)) {
            isBelowTie[static_cast<std::size_t>(node.left)] = true;
            isBelowTie[static_cast<std::size_t>(node.right)] = true;
        }
    }
}

void compareTree(std::size_t index, const trees::Tree& ours, const trees::Tree& theirs, Ties ties,
                 Sentences& sentences)
{
    if (ours.nodes.size() != theirs.nodes.size()) {
        sentences.push_back(fmt::format("tree {} has {} nodes, TensorFlow's {}", index,
                                        ours.nodes.size(), theirs.nodes.size()));
        return;
    }
    compareNodes(index, ours, theirs, ties, sentences);
    if (ours.layersGrown != theirs.layersGrown || ours.isFinal != theirs.isFinal ||
        ours.weight != theirs.weight || !arePrunedAlike(ours, theirs)) {
        sentences.push_back(fmt::format("the metadata of tree {} differ", index));
    }
}

} // namespace

Sentences compareTrees(std::span<const std::byte> ours, std::string_view theirs, Ties ties)
{
    constexpr std::int32_t kAnyFeature = std::numeric_limits<std::int32_t>::max();
    const auto left = trees::Ensemble::parse(ours, kAnyFeature, 1);
    const auto right = trees::Ensemble::parse(std::as_bytes(std::span(theirs)), kAnyFeature, 1);
    if (!left || !right) {
        return {(left ? right : left).error().message()};
    }
    Sentences sentences;
    if (left->trees.size() != right->trees.size()) {
        sentences.push_back(
            fmt::format("{} trees, not {}", left->trees.size(), right->trees.size()));
    }
    for (std::size_t i = 0; i < std::min(left->trees.size(), right->trees.size()); ++i) {
        compareTree(i, left->trees[i], right->trees[i], ties, sentences);
    }
    if (left->treesAttempted != right->treesAttempted ||
        left->layersAttempted != right->layersAttempted ||
        left->lastLayerBegin != right->lastLayerBegin ||
        left->lastLayerEnd != right->lastLayerEnd) {
        sentences.emplace_back("the growing metadata differ");
    }
    return sentences;
}

Sentences compareImportances(const std::vector<std::pair<std::string, double>>& ours,
                             const nlohmann::json& theirs)
{
    const nlohmann::json& gains = theirs.at("gains");
    Sentences sentences;
    if (!gains.is_array()) {
        return sentences;
    }
    for (std::size_t i = 0; i < std::max(ours.size(), gains.size()); ++i) {
        const bool isThere = i < ours.size() && i < gains.size();
        if (!isThere || ours[i].first != gains[i][0].get<std::string>() ||
            !isNear(static_cast<float>(ours[i].second), gains[i][1].get<float>())) {
            sentences.push_back(fmt::format("importance {} is not TensorFlow's", i));
        }
    }
    return sentences;
}

} // namespace cannery::tests
