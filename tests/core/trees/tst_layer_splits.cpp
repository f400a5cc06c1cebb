// SPDX-License-Identifier: Apache-2.0
#include "core/trees/layer_splits.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace cannery;
using trees::BucketFeature;
using trees::FeatureTable;
using trees::LayerOptions;
using trees::LayerStatistics;
using trees::SplitCandidate;

class TstLayerSplits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void leafIsNewtonsStep();
    void l1LeavesSmallGradientsAlone();
    void splitsWhereGradientsChange();
    void equalGainsGoToTheFirstFeature();
    void bucketizedColumnsAreTheLastOfTheirGroup();
    void categoriesAreOfTheGroupOfTheirCount();
    void missingGoesToTheBetterSide();
    void categoryIsSplitFromTheOthers();
    void outputsHaveLeavesOfTheirOwn();
    void wholeHessianDecidesLeaves();
    void outputThatRepeatsTheOthersStaysZero();
    void lightNodesAreNotSplit();
    void batchesAreAveraged();
    void sameBitsForAnyNumberOfThreads();
};

namespace {

/// Rows of one node with one column per feature.
struct Rows
{
    std::vector<std::vector<std::int32_t>> buckets; ///< by feature
    std::vector<float> first;
    std::vector<float> second; ///< a Hessian for each row
    std::int64_t outputs = 1;
};

FeatureTable tableOf(const Rows& rows)
{
    FeatureTable table{.rows = static_cast<std::int64_t>(rows.buckets.front().size()),
                       .firstColumns = {0}};
    for (const auto& buckets : rows.buckets) {
        table.columns.push_back({.buckets = buckets, .numbers = {}});
        table.firstColumns.push_back(static_cast<std::int32_t>(table.columns.size()));
    }
    return table;
}

LayerStatistics statisticsOf(const Rows& rows, std::vector<BucketFeature> features, int threads = 1,
                             int batches = 1)
{
    kernels::ThreadPool pool(threads);
    const FeatureTable table = tableOf(rows);
    const std::vector<std::int32_t> nodes(static_cast<std::size_t>(table.rows), 0);
    LayerStatistics statistics(std::move(features), rows.outputs);
    statistics.begin(0, 1);
    for (int batch = 0; batch < batches; ++batch) {
        statistics.add(
            table, nodes,
            {kernels::matrixView(std::span<const float>(rows.first), table.rows, rows.outputs),
             kernels::matrixView(std::span<const float>(rows.second), table.rows,
                                 rows.outputs * rows.outputs)},
            pool);
    }
    return statistics;
}

std::optional<SplitCandidate> bestOf(const LayerStatistics& statistics,
                                     const LayerOptions& options = {})
{
    kernels::ThreadPool pool(1);
    return trees::bestSplits(statistics, options, pool).front();
}

} // namespace

void TstLayerSplits::leafIsNewtonsStep()
{
    const std::vector<float> first{-3.0F};
    const std::vector<float> second{2.0F};
    const trees::LeafValue leaf = trees::bestLeaf(first, second, {.l2 = 1.0F});
    QCOMPARE(leaf.value.front(), 1.0F);
    QCOMPARE(leaf.gain, 3.0F);
}

void TstLayerSplits::l1LeavesSmallGradientsAlone()
{
    const std::vector<float> second{1.0F};
    QCOMPARE(trees::bestLeaf(std::vector<float>{0.5F}, second, {.l1 = 0.5F}).value.front(), 0.0F);
    QCOMPARE(trees::bestLeaf(std::vector<float>{2.0F}, second, {.l1 = 0.5F}).value.front(), -1.5F);
    QCOMPARE(trees::bestLeaf(std::vector<float>{-2.0F}, second, {.l1 = 0.5F}).value.front(), 1.5F);
}

void TstLayerSplits::splitsWhereGradientsChange()
{
    const Rows rows{
        .buckets = {{0, 1, 2, 3}, {0, 1, 0, 1}}, .first = {-1, -1, 1, 1}, .second = {1, 1, 1, 1}};
    const auto best =
        bestOf(statisticsOf(rows, {{.buckets = 4}, {.buckets = 4}}), {.treeComplexity = 0.5F});
    QVERIFY(best);
    QCOMPARE(best->feature, 0);
    QCOMPARE(best->threshold, 1);
    QCOMPARE(best->left, std::vector<float>{1.0F});
    QCOMPARE(best->right, std::vector<float>{-1.0F});
    QCOMPARE(best->gain, 3.5F);
}

void TstLayerSplits::equalGainsGoToTheFirstFeature()
{
    const Rows rows{.buckets = {{0, 0, 1, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}},
                    .first = {-1, -1, 1, 1},
                    .second = {1, 1, 1, 1}};
    // Of the same group, and of another one.
    const auto best = bestOf(statisticsOf(rows, {{.buckets = 9}, {.buckets = 2}, {.buckets = 9}}));
    QVERIFY(best);
    QCOMPARE(best->feature, 0);
    QCOMPARE(best->threshold, 0);
}

void TstLayerSplits::bucketizedColumnsAreTheLastOfTheirGroup()
{
    const Rows rows{.buckets = {{0, 0, 1, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}},
                    .first = {-1, -1, 1, 1},
                    .second = {1, 1, 1, 1}};
    const BucketFeature bucketized{.buckets = 2, .isBucketized = true};
    auto best = bestOf(statisticsOf(rows, {bucketized, {.buckets = 2}, {.buckets = 2}}));
    QVERIFY(best);
    QCOMPARE(best->feature, 1);
    // Between groups, the place decides.
    best = bestOf(statisticsOf(rows, {bucketized, {.buckets = 3}, {.buckets = 3}}));
    QVERIFY(best);
    QCOMPARE(best->feature, 0);
}

void TstLayerSplits::categoriesAreOfTheGroupOfTheirCount()
{
    const Rows rows{
        .buckets = {{0, 0, 1, 1}, {0, 0, 1, 1}}, .first = {-1, -1, 1, 1}, .second = {1, 1, 1, 1}};
    const BucketFeature bucketized{.buckets = 2, .isBucketized = true};
    const BucketFeature category{.buckets = 2, .isCategory = true};
    const auto best = bestOf(statisticsOf(rows, {bucketized, category}));
    QVERIFY(best);
    QCOMPARE(best->feature, 1);
    QVERIFY(best->isCategory);
}

void TstLayerSplits::missingGoesToTheBetterSide()
{
    Rows rows{.buckets = {{0, 0, 1, 1, -1, -1}},
              .first = {-1, -1, 1, 1, 1, 1},
              .second = {1, 1, 1, 1, 1, 1}};
    auto best = bestOf(statisticsOf(rows, {{.buckets = 2}}));
    QVERIFY(best && !best->missingLeft);
    QCOMPARE(best->threshold, 0);
    rows.first = {-1, -1, 1, 1, -1, -1};
    best = bestOf(statisticsOf(rows, {{.buckets = 2}}));
    QVERIFY(best && best->missingLeft);
    QCOMPARE(best->left, std::vector<float>{1.0F});
}

void TstLayerSplits::categoryIsSplitFromTheOthers()
{
    const Rows rows{.buckets = {{0, 1, 2, 1}}, .first = {1, -2, 1, -2}, .second = {1, 1, 1, 1}};
    const auto best = bestOf(statisticsOf(rows, {{.buckets = 3, .isCategory = true}}));
    QVERIFY(best && best->isCategory);
    QCOMPARE(best->threshold, 1);
    QCOMPARE(best->left, std::vector<float>{2.0F});
    QCOMPARE(best->right, std::vector<float>{-1.0F});
}

void TstLayerSplits::outputsHaveLeavesOfTheirOwn()
{
    const Rows rows{.buckets = {{0, 1}},
                    .first = {-1, 2, 1, -4},
                    .second = {1, 0, 0, 1, 1, 0, 0, 2},
                    .outputs = 2};
    const auto best = bestOf(statisticsOf(rows, {{.buckets = 2}}));
    QVERIFY(best);
    QCOMPARE(best->left, (std::vector<float>{1.0F, -2.0F}));
    QCOMPARE(best->right, (std::vector<float>{-1.0F, 2.0F}));
}

/// The expected values solve the same systems in double.
void TstLayerSplits::wholeHessianDecidesLeaves()
{
    const Rows rows{
        .buckets = {{0, 1, 2}},
        .first = {-0.0610591695F, 0.127469718F, -0.0664105639F, -0.0495217629F, -0.0771163851F,
                  0.126638129F, 0.122014619F, -0.0885540918F, -0.0334605239F},
        .second = {0.0436204821F,  -0.0257140081F, -0.0179064721F, -0.0257140081F, 0.0495423488F,
                   -0.0238283388F, -0.0179064721F, -0.0238283388F, 0.0417348109F,  0.0433181785F,
                   -0.0225220062F, -0.0207961705F, -0.0225220062F, 0.0642683059F,  -0.0417462997F,
                   -0.0207961705F, -0.0417462997F, 0.0625424683F,  0.0595781952F,  -0.0321310237F,
                   -0.0274471715F, -0.0321310237F, 0.0613505729F,  -0.029219551F,  -0.0274471715F,
                   -0.029219551F,  0.0566667207F},
        .outputs = 3};
    const LayerStatistics statistics = statisticsOf(rows, {{.buckets = 3}});
    const auto best = bestOf(statistics, {.l2 = 0.1F, .minNodeWeight = 0.343F});
    QVERIFY(best);
    QCOMPARE(best->threshold, 0);
    const std::vector<float> left{0.34265382F, -0.73151687F, 0.38886321F};
    const std::vector<float> right{-0.27401413F, 0.57366552F, -0.29965122F};
    for (std::size_t output = 0; output < 3; ++output) {
        QVERIFY(std::abs(best->left[output] - left[output]) < 2e-6F);
        QVERIFY(std::abs(best->right[output] - right[output]) < 2e-6F);
    }
    QVERIFY(std::abs(best->gain - 0.27651614F) < 1e-6F);
    // The norm of the whole Hessian is 0.34306, that of its diagonal 0.27938.
    QVERIFY(!bestOf(statistics, {.minNodeWeight = 0.3432F}));
}

/// Classes of a softmax at equal chances: only the differences of their values matter.
void TstLayerSplits::outputThatRepeatsTheOthersStaysZero()
{
    std::vector<float> second;
    for (int i = 0; i < 9; ++i) {
        second.push_back(i % 4 == 0 ? 2.0F / 9 : -1.0F / 9);
    }
    const trees::LeafValue leaf =
        trees::bestLeaf(std::vector<float>{-1.0F / 6, 1.0F / 3, -1.0F / 6}, second, {});
    QCOMPARE(std::ranges::count(leaf.value, 0.0F), 1);
    QVERIFY(std::abs(leaf.value[0] - leaf.value[1] - 1.5F) < 1e-5F);
    QVERIFY(std::abs(leaf.value[0] - leaf.value[2]) < 1e-5F);
    QVERIFY(std::abs(leaf.gain - 0.5F) < 1e-5F);
    const trees::LeafValue ofNothing =
        trees::bestLeaf(std::vector<float>(3), std::vector<float>(9), {});
    QCOMPARE(ofNothing.value, std::vector<float>(3));
    QCOMPARE(ofNothing.gain, 0.0F);
}

void TstLayerSplits::lightNodesAreNotSplit()
{
    const Rows rows{.buckets = {{0, 1}}, .first = {-1, 1}, .second = {0.5F, 0.5F}};
    const LayerStatistics statistics = statisticsOf(rows, {{.buckets = 2}});
    QVERIFY(bestOf(statistics, {.minNodeWeight = 1.0F}).has_value());
    QVERIFY(!bestOf(statistics, {.minNodeWeight = 1.1F}).has_value());
}

void TstLayerSplits::batchesAreAveraged()
{
    const Rows rows{.buckets = {{0, 1}}, .first = {-1, 1}, .second = {0.5F, 0.5F}};
    // With a sum, l2 would count a third of it.
    const auto one = bestOf(statisticsOf(rows, {{.buckets = 2}}), {.l2 = 1.0F});
    const auto three = bestOf(statisticsOf(rows, {{.buckets = 2}}, 1, 3), {.l2 = 1.0F});
    QVERIFY(one && three);
    QCOMPARE(three->left, one->left);
    QCOMPARE(three->gain, one->gain);
}

void TstLayerSplits::sameBitsForAnyNumberOfThreads()
{
    Rows rows;
    rows.buckets.resize(7);
    std::vector<BucketFeature> features;
    for (std::int32_t feature = 0; feature < 7; ++feature) {
        features.push_back({.buckets = 5 + feature});
        for (int row = 0; row < 500; ++row) {
            rows.buckets[static_cast<std::size_t>(feature)].push_back((row * (feature + 3)) %
                                                                      (5 + feature));
        }
    }
    for (int row = 0; row < 500; ++row) {
        rows.first.push_back(std::sin(static_cast<float>(row)));
        rows.second.push_back(0.1F + 0.001F * static_cast<float>(row));
    }
    const auto one = bestOf(statisticsOf(rows, features, 1));
    const auto four = bestOf(statisticsOf(rows, features, 4));
    QVERIFY(one && four);
    QCOMPARE(four->feature, one->feature);
    QCOMPARE(four->threshold, one->threshold);
    QVERIFY(four->gain == one->gain && four->left == one->left && four->right == one->right);
}

CANNERY_TEST(TstLayerSplits)

#include "tst_layer_splits.moc"
