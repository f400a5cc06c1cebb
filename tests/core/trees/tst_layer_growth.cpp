// SPDX-License-Identifier: Apache-2.0
#include "core/trees/layer_growth.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using trees::Ensemble;
using trees::LayerOptions;
using trees::Node;
using trees::SplitCandidate;

class TstLayerGrowth : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void childrenAddToTheirParent();
    void treeOfMaxDepthIsFinalAndFollowedByAnEmptyOne();
    void splitsWithoutGainAreKeptUnlessPruned();
    void prePruningTriesUntilItGivesUp();
    void postPruningJoinsFromTheBottomUp();
    void prunedNodesTellWhereTheyWent();
    void biasIsCenteredUntilItStaysPut();
    void biasBelowL1IsNone();
};

namespace {

using Splits = std::vector<std::optional<SplitCandidate>>;

SplitCandidate split(float gain, float left, float right)
{
    return {.gain = gain, .feature = 2, .threshold = 1, .left = {left}, .right = {right}};
}

std::vector<float> leafValues(const trees::Tree& tree)
{
    std::vector<float> values;
    for (const Node& node : tree.nodes) {
        if (node.isLeaf()) {
            values.push_back(node.value.empty() ? 0.0F : node.value.front());
        }
    }
    return values;
}

} // namespace

void TstLayerGrowth::childrenAddToTheirParent()
{
    Ensemble ensemble;
    const LayerOptions options{.maxDepth = 3, .learningRate = 0.5F};
    trees::growLayer(ensemble, Splits{split(1.0F, 2.0F, -2.0F)}, options);
    trees::growLayer(ensemble, Splits{std::nullopt, split(1.0F, 4.0F, 8.0F)}, options);
    const trees::Tree& tree = ensemble.trees.front();
    QCOMPARE(tree.nodes.size(), std::size_t{5});
    QCOMPARE(leafValues(tree), (std::vector<float>{1.0F, 1.0F, 3.0F}));
    QCOMPARE(tree.nodes[2].left, 3);
    QCOMPARE(tree.nodes[2].value, std::vector<float>{-1.0F});
    QCOMPARE(ensemble.lastLayerBegin, 3);
    QCOMPARE(ensemble.lastLayerEnd, 5);
    QVERIFY(!tree.isFinal);
}

void TstLayerGrowth::treeOfMaxDepthIsFinalAndFollowedByAnEmptyOne()
{
    Ensemble ensemble;
    const LayerOptions options{.treeCount = 2, .maxDepth = 1};
    trees::growLayer(ensemble, Splits{split(1.0F, 1.0F, -1.0F)}, options);
    QCOMPARE(ensemble.trees.size(), std::size_t{2});
    QVERIFY(ensemble.trees.front().isFinal);
    QVERIFY(ensemble.trees.back().nodes.front().isLeaf());
    QVERIFY(!trees::isComplete(ensemble, options));
    trees::growLayer(ensemble, Splits{split(1.0F, 1.0F, -1.0F)}, options);
    QVERIFY(trees::isComplete(ensemble, options));
    QCOMPARE(ensemble.treesAttempted, std::int64_t{2});
}

void TstLayerGrowth::splitsWithoutGainAreKeptUnlessPruned()
{
    Ensemble kept;
    trees::growLayer(kept, Splits{split(-0.5F, 1.0F, -1.0F)}, {.maxDepth = 2});
    QCOMPARE(kept.trees.front().nodes.size(), std::size_t{3});
    Ensemble pruned;
    const LayerOptions pre{.maxDepth = 2, .pruning = spec::TreePruning::pre};
    trees::growLayer(pruned, Splits{split(-0.5F, 1.0F, -1.0F)}, pre);
    QCOMPARE(pruned.trees.front().nodes.size(), std::size_t{1});
    trees::growLayer(pruned, Splits{split(0.0F, 1.0F, -1.0F)}, pre);
    QCOMPARE(pruned.trees.front().nodes.size(), std::size_t{3});
}

void TstLayerGrowth::prePruningTriesUntilItGivesUp()
{
    Ensemble ensemble;
    const LayerOptions options{.treeCount = 1, .maxDepth = 2, .pruning = spec::TreePruning::pre};
    for (int attempt = 0; attempt < 4; ++attempt) {
        trees::growLayer(ensemble, Splits{split(-1.0F, 1.0F, -1.0F)}, options);
        QVERIFY(!trees::isComplete(ensemble, options));
    }
    trees::growLayer(ensemble, Splits{split(-1.0F, 1.0F, -1.0F)}, options);
    QVERIFY(trees::isComplete(ensemble, options));
    QCOMPARE(ensemble.finalTrees(), std::int64_t{0});
}

void TstLayerGrowth::postPruningJoinsFromTheBottomUp()
{
    Ensemble ensemble;
    const LayerOptions options{
        .maxDepth = 2, .learningRate = 1.0F, .pruning = spec::TreePruning::post};
    trees::growLayer(ensemble, Splits{split(-1.0F, 1.0F, -1.0F)}, options);
    trees::growLayer(ensemble, Splits{split(-1.0F, 5.0F, 5.0F), split(2.0F, 3.0F, 4.0F)}, options);
    const trees::Tree& tree = ensemble.trees.front();
    // The left one is joined; the root cannot be, as the right one stays.
    QCOMPARE(tree.nodes.size(), std::size_t{5});
    QCOMPARE(leafValues(tree), (std::vector<float>{1.0F, 2.0F, 3.0F}));
    QCOMPARE(tree.nodes[2].left, 3);
    Ensemble nothing;
    trees::growLayer(nothing, Splits{split(-1.0F, 1.0F, -1.0F)}, options);
    trees::growLayer(nothing, Splits{split(-1.0F, 5.0F, 5.0F), split(-2.0F, 3.0F, 4.0F)}, options);
    QCOMPARE(leafValues(nothing.trees.front()), std::vector<float>{0.0F});
}

void TstLayerGrowth::prunedNodesTellWhereTheyWent()
{
    Ensemble ensemble;
    const LayerOptions options{
        .maxDepth = 2, .learningRate = 1.0F, .pruning = spec::TreePruning::post};
    trees::growLayer(ensemble, Splits{split(1.0F, 1.0F, -1.0F)}, options);
    trees::growLayer(ensemble, Splits{split(-1.0F, 5.0F, 6.0F), split(2.0F, 3.0F, 4.0F)}, options);
    const std::vector<trees::PrunedNode>& pruned = ensemble.trees.front().pruned;
    QCOMPARE(pruned.size(), std::size_t{7});
    QCOMPARE(pruned[3].newNode, 1);
    QCOMPARE(pruned[3].change, std::vector<float>{-5.0F});
    QCOMPARE(pruned[4].change, std::vector<float>{-6.0F});
    QCOMPARE(pruned[6].newNode, 4);
    QCOMPARE(pruned[6].change, std::vector<float>{0.0F});
}

void TstLayerGrowth::biasIsCenteredUntilItStaysPut()
{
    Ensemble ensemble;
    // Squared error: the first step finds the mean, 4, and the second nothing more.
    QVERIFY(trees::centerBias(ensemble, -8.0F, 2.0F, {}));
    QCOMPARE(ensemble.trees.front().nodes.front().value, std::vector<float>{4.0F});
    QVERIFY(trees::centerBias(ensemble, -0.2F, 2.0F, {}));
    QVERIFY(!trees::centerBias(ensemble, 0.0F, 2.0F, {}));
    QCOMPARE(ensemble.trees.front().nodes.front().value, std::vector<float>{4.1F});
}

void TstLayerGrowth::biasBelowL1IsNone()
{
    Ensemble ensemble;
    QVERIFY(trees::centerBias(ensemble, -0.1F, 2.0F, {.l1 = 0.2F}));
    QVERIFY(!trees::centerBias(ensemble, -0.1F, 2.0F, {.l1 = 0.2F}));
    QCOMPARE(leafValues(ensemble.trees.front()), std::vector<float>{0.0F});
}

CANNERY_TEST(TstLayerGrowth)

#include "tst_layer_growth.moc"
