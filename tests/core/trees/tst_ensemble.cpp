// SPDX-License-Identifier: Apache-2.0
#include "core/trees/ensemble.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>
#include <limits>

using namespace cannery;
using trees::Ensemble;
using trees::FeatureTable;
using trees::Node;
using trees::SplitKind;

class TstEnsemble : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsGoWhereSplitsSendThem_data();
    void rowsGoWhereSplitsSendThem();
    void predictionIsTheWeightedSumOfTrees();
    void comesBackFromItsMessage();
    void refusesWhatIsNoEnsemble_data();
    void refusesWhatIsNoEnsemble();
};

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// A split with two leaves.
trees::Tree stump(Node split, std::vector<float> left, std::vector<float> right)
{
    split.left = 1;
    split.right = 2;
    trees::Tree tree;
    tree.nodes = {std::move(split), {.value = std::move(left)}, {.value = std::move(right)}};
    tree.layersGrown = 1;
    tree.isFinal = true;
    return tree;
}

FeatureTable oneFeature(std::vector<std::int32_t> buckets, std::vector<float> numbers)
{
    FeatureTable table{.rows = static_cast<std::int64_t>(std::max(buckets.size(), numbers.size())),
                       .firstColumns = {0, 1}};
    table.columns.push_back({std::move(buckets), std::move(numbers)});
    return table;
}

Ensemble everyKind()
{
    Ensemble ensemble;
    ensemble.trees = {
        stump({.kind = SplitKind::Bucket, .threshold = 3, .missingLeft = false, .gain = 0.5F},
              {1.0F}, {-1.0F}),
        stump({.kind = SplitKind::Category, .dimension = 1, .threshold = 7}, {2.0F}, {0.0F}),
        stump({.kind = SplitKind::Number, .feature = 1, .cut = 0.25F, .missingLeft = false}, {4.0F},
              {8.0F}),
        stump({.kind = SplitKind::Categories, .feature = 1, .categories = {1, 5}}, {16.0F},
              {32.0F})};
    ensemble.trees[1].weight = 0.5F;
    ensemble.trees[2].pruned = {{.newNode = 1, .change = {0.5F}}};
    ensemble.treesAttempted = 4;
    ensemble.layersAttempted = 9;
    ensemble.lastLayerBegin = 1;
    ensemble.lastLayerEnd = 3;
    return ensemble;
}

} // namespace

void TstEnsemble::rowsGoWhereSplitsSendThem_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("missingLeft");
    QTest::addColumn<double>("cell");
    QTest::addColumn<int>("leaf");
    const auto row = [](const char* name, SplitKind kind, bool missingLeft, double cell, int leaf) {
        QTest::newRow(name) << int(kind) << missingLeft << cell << leaf;
    };
    row("bucket at the threshold", SplitKind::Bucket, true, 2, 1);
    row("bucket above it", SplitKind::Bucket, true, 3, 2);
    row("missing bucket: left, as TensorFlow", SplitKind::Bucket, false, -1, 1);
    row("the category", SplitKind::Category, true, 2, 1);
    row("a smaller one", SplitKind::Category, true, 1, 2);
    row("number at the cut", SplitKind::Number, true, 2, 1);
    row("number above it", SplitKind::Number, true, 2.5, 2);
    row("missing number left", SplitKind::Number, true, double(kNaN), 1);
    row("missing number right", SplitKind::Number, false, double(kNaN), 2);
    row("in the set", SplitKind::Categories, false, 2, 1);
    row("not in the set", SplitKind::Categories, true, 3, 2);
    row("missing category left", SplitKind::Categories, true, -1, 1);
    row("missing category right", SplitKind::Categories, false, -1, 2);
}

void TstEnsemble::rowsGoWhereSplitsSendThem()
{
    QFETCH(int, kind);
    QFETCH(bool, missingLeft);
    QFETCH(double, cell);
    QFETCH(int, leaf);
    const bool isNumber = SplitKind(kind) == SplitKind::Number;
    const trees::Tree tree = stump({.kind = SplitKind(kind),
                                    .threshold = 2,
                                    .cut = 2.0F,
                                    .categories = {0, 2, 5},
                                    .missingLeft = missingLeft},
                                   {1.0F}, {2.0F});
    const FeatureTable table = isNumber ? oneFeature({}, {static_cast<float>(cell)})
                                        : oneFeature({static_cast<std::int32_t>(cell)}, {});
    QCOMPARE(Ensemble::leafOf(tree, table, 0), leaf);
}

void TstEnsemble::predictionIsTheWeightedSumOfTrees()
{
    Ensemble ensemble;
    ensemble.trees = {
        stump({.kind = SplitKind::Bucket, .threshold = 0}, {1.0F, 2.0F}, {3.0F, 4.0F}),
        stump({.kind = SplitKind::Bucket, .threshold = 1}, {10.0F, 20.0F}, {30.0F, 40.0F})};
    ensemble.trees[1].weight = 0.5F;
    ensemble.addTree();
    const FeatureTable table = oneFeature({0, 1, 2}, {});
    std::array<float, 4> logits{};
    ensemble.predict(table, 1, 3, kernels::matrixView(std::span<float>(logits), 2, 2));
    QCOMPARE(logits, (std::array<float, 4>{8.0F, 14.0F, 18.0F, 24.0F}));
}

void TstEnsemble::comesBackFromItsMessage()
{
    const Ensemble ensemble = everyKind();
    const std::string bytes = ensemble.serialize();
    const Result<Ensemble> back = Ensemble::parse(std::as_bytes(std::span(bytes)), 2, 1);
    VERIFY_OK(back);
    QCOMPARE(back->serialize(), bytes);
    QCOMPARE(back->trees.size(), std::size_t{4});
    QCOMPARE(back->trees[1].weight, 0.5F);
    QCOMPARE(back->trees[1].nodes[0].dimension, 1);
    QCOMPARE(back->trees[2].nodes[0].cut, 0.25F);
    QVERIFY(!back->trees[2].nodes[0].missingLeft);
    QCOMPARE(back->trees[2].pruned.front().change, std::vector<float>{0.5F});
    QCOMPARE(back->trees[3].nodes[0].categories, (std::vector<std::int32_t>{1, 5}));
    QCOMPARE(back->layersAttempted, std::int64_t{9});
    QVERIFY(Ensemble().serialize().empty());
}

void TstEnsemble::refusesWhatIsNoEnsemble_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const Ensemble& ensemble) {
        QTest::newRow(name) << QByteArray::fromStdString(ensemble.serialize());
    };
    QTest::newRow("other bytes") << QByteArray("\xff\xff\xff");
    QTest::newRow("cut off") << QByteArray::fromStdString(everyKind().serialize()).chopped(3);
    Ensemble loop = everyKind();
    loop.trees[0].nodes[0].left = 0;
    row("a node above itself", loop);
    Ensemble shared = everyKind();
    shared.trees[0].nodes[0].left = 2;
    row("two parents", shared);
    Ensemble away = everyKind();
    away.trees[0].nodes[0].right = 3;
    row("a child that is not there", away);
    Ensemble feature = everyKind();
    feature.trees[0].nodes[0].feature = 2;
    row("a feature that is not there", feature);
    Ensemble wide = everyKind();
    wide.trees[0].nodes[1].value = {1.0F, 2.0F};
    row("a leaf of another width", wide);
    Ensemble layer = everyKind();
    layer.lastLayerEnd = 4;
    row("a layer beyond the tree", layer);
}

void TstEnsemble::refusesWhatIsNoEnsemble()
{
    QFETCH(QByteArray, bytes);
    const Result<Ensemble> read = Ensemble::parse(std::as_bytes(std::span(bytes)), 2, 1);
    QVERIFY(!read);
    QCOMPARE(read.error().id, std::string("trees.damaged"));
}

CANNERY_TEST(TstEnsemble)

#include "tst_ensemble.moc"
