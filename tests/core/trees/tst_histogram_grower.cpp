// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_grower.h"
#include "kernels/device/random.h"
#include "tests/core/trees/plain_trees.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::trees;

class TstHistogramGrower : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithExhaustiveSearch_data();
    void agreesWithExhaustiveSearch();
    void growsTheSameTreesForAnyNumberOfThreads();
    void growsTheSameTreeWithoutKeptHistograms();
    void predictionsAreThoseOfTheTree();
    void missingNumbersGoToTheBetterSide();
    void onlyMissingOnesMayPartFromAllNumbers();
    void cutsInTheMiddleBetweenItsRows();
    void categoriesAreSplitByTheirGradients();
    void categoriesThatAreNotNamedGoRight();
    void aMonotoneColumnNeverTurns();
    void unmeasuredColumnsAreNotSplit();
    void leavesOfOneClassLeaveTheOthers();
    void leavesNeedASumOfSecondDerivatives();
    void gradientsOfZeroGrowNothing();
};

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// Gradients whose integers are themselves: the largest ones are the limits.
PlainTable randomTable(std::uint64_t seed, std::size_t rows, std::size_t columns, double missing)
{
    kernels::RandomStream random(seed);
    PlainTable table;
    for (std::size_t c = 0; c < columns; ++c) {
        std::vector<float>& column = table.columns.emplace_back();
        for (std::size_t row = 0; row < rows; ++row) {
            const auto value = static_cast<float>(random.nextBelow(c == 0 ? 5 : 200));
            column.push_back(random.nextUniform() < missing ? kMissing : value);
        }
    }
    for (std::size_t row = 0; row < rows; ++row) {
        table.gradients.push_back(std::floor(random.nextUniform(-32767.0F, 32767.0F)));
        table.hessians.push_back(std::floor(random.nextUniform(1.0F, 16383.0F)));
    }
    table.gradients[0] = kernels::kGradientLimit;
    table.hessians[0] = kernels::kHessianLimit;
    return table;
}

HistogramTable binned(const PlainTable& table)
{
    std::vector<HistogramColumn> columns;
    for (const std::vector<float>& values : table.columns) {
        columns.push_back(numberColumn(values, 256));
        columns.back().feature = static_cast<std::int32_t>(columns.size()) - 1;
    }
    HistogramTable result(std::move(columns), static_cast<std::int64_t>(table.rows()));
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        result.setNumbers(c, 0, result.rowCount(), table.columns[c].data(), 1);
    }
    return result;
}

TreeGradients gradientsOf(const PlainTable& table)
{
    return {{table.gradients.data(), 1}, {table.hessians.data(), 1}};
}

struct Grown
{
    Tree tree;
    std::vector<float> values; ///< by row
};

Grown grow(const HistogramTable& bins, const PlainTable& table,
           const HistogramGrowthOptions& options, int threads = 1, std::int64_t number = 0)
{
    kernels::ThreadPool pool(threads);
    HistogramGrower grower(bins, options, pool);
    Grown grown;
    grown.values.assign(table.rows(), 0.0F);
    grown.tree = grower.grow({.tree = number}, gradientsOf(table), grown.values.data(), 1).value();
    return grown;
}

std::string textOf(const Tree& tree)
{
    Ensemble ensemble;
    ensemble.trees.push_back(tree);
    return ensemble.serialize();
}

FeatureTable featuresOf(const PlainTable& table)
{
    FeatureTable features;
    features.rows = static_cast<std::int64_t>(table.rows());
    for (const std::vector<float>& column : table.columns) {
        features.firstColumns.push_back(static_cast<std::int32_t>(features.columns.size()));
        features.columns.push_back({.buckets = {}, .numbers = column});
    }
    features.firstColumns.push_back(static_cast<std::int32_t>(features.columns.size()));
    return features;
}

/// One categorical column; gradients by category.
struct Categories
{
    Categories(std::int32_t categories, int rowsOfEach)
    {
        for (int i = 0; i < categories * rowsOfEach; ++i) {
            ids.push_back(i % categories);
            const bool isOdd = ids.back() % 2 == 1;
            table.gradients.push_back(isOdd ? 100.0F : -100.0F);
            table.hessians.push_back(1.0F);
        }
    }

    HistogramTable bins() const
    {
        std::vector<std::int64_t> counts(64);
        for (const std::int32_t id : ids) {
            counts[static_cast<std::size_t>(std::max(id, 0))] += id >= 0 ? 1 : 0;
        }
        HistogramTable bins({categoryColumn(counts)}, static_cast<std::int64_t>(ids.size()));
        bins.setCategories(0, 0, ids);
        return bins;
    }

    std::vector<std::int32_t> ids;
    PlainTable table;
};

} // namespace

void TstHistogramGrower::agreesWithExhaustiveSearch_data()
{
    QTest::addColumn<HistogramGrowthOptions>("options");
    QTest::addColumn<double>("missing");
    const HistogramGrowthOptions plain{.maxLeaves = 12, .minRowsPerLeaf = 1};
    const auto add = [](const char* name, const HistogramGrowthOptions& options,
                        double missing = 0.0) { QTest::newRow(name) << options << missing; };
    add("plain", plain);
    add("missing", plain, 0.3);
    HistogramGrowthOptions options = plain;
    options.maxDepth = 2;
    add("depth", options, 0.1);
    options = plain;
    options.minRowsPerLeaf = 15;
    add("rows", options, 0.1);
    options = plain;
    options.l1 = 20'000;
    options.l2 = 30'000;
    add("l1 and l2", options, 0.1);
    options = plain;
    options.complexity = 90'000;
    add("complexity", options, 0.1);
    options = plain;
    options.minNodeWeight = 300'000;
    add("weight", options, 0.1);
    options = plain;
    options.maxLeaves = 1000;
    add("to the end", options, 0.2);
}

void TstHistogramGrower::agreesWithExhaustiveSearch()
{
    QFETCH(HistogramGrowthOptions, options);
    QFETCH(double, missing);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const PlainTable table = randomTable(seed, 90, 3, missing);
        const PlainTree expected(table, options);
        QVERIFY(expected.leafCount() > 1);
        const Grown grown = grow(binned(table), table, options);
        QCOMPARE(grown.tree.nodes.size(), 2 * expected.leafCount() - 1);
        QCOMPARE(grown.values, expected.values());
    }
}

void TstHistogramGrower::growsTheSameTreesForAnyNumberOfThreads()
{
    PlainTable table = randomTable(3, 70'000, 21, 0.1);
    kernels::RandomStream random(4);
    for (float& gradient : table.gradients) {
        gradient *= random.nextUniform(); // no whole numbers: they are rounded
    }
    const HistogramTable bins = binned(table);
    for (const double fraction : {1.0, 0.4}) {
        const HistogramGrowthOptions options{
            .maxLeaves = 40, .rowFraction = fraction, .columnFraction = fraction, .seed = 11};
        const Grown one = grow(bins, table, options, 1);
        QCOMPARE(one.tree.nodes.size(), std::size_t{79});
        for (const int threads : {2, 4}) {
            const Grown several = grow(bins, table, options, threads);
            QCOMPARE(textOf(several.tree), textOf(one.tree));
            QCOMPARE(several.values, one.values);
        }
    }
}

void TstHistogramGrower::growsTheSameTreeWithoutKeptHistograms()
{
    // 3000 columns of 200 bins: 14 MB a leaf, of which 18 are kept.
    PlainTable table = randomTable(8, 400, 3000, 0.0);
    HistogramGrowthOptions options{.maxLeaves = 40, .minRowsPerLeaf = 4};
    const Grown wide = grow(binned(table), table, options);
    PlainTable used = table;
    std::vector<bool> isUsed(table.columns.size());
    for (const Node& node : wide.tree.nodes) {
        isUsed[static_cast<std::size_t>(node.feature)] = true;
    }
    used.columns.clear();
    for (std::size_t c = 0; c < isUsed.size(); ++c) {
        if (isUsed[c]) {
            used.columns.push_back(table.columns[c]);
        }
    }
    QVERIFY(wide.tree.nodes.size() > 2 * 18);
    QCOMPARE(grow(binned(used), used, options).values, wide.values);
}

void TstHistogramGrower::predictionsAreThoseOfTheTree()
{
    const PlainTable table = randomTable(5, 5000, 4, 0.2);
    const HistogramTable bins = binned(table);
    for (const double fraction : {1.0, 0.5}) {
        const Grown grown = grow(bins, table, {.maxLeaves = 30, .rowFraction = fraction});
        const FeatureTable features = featuresOf(table);
        for (std::int64_t row = 0; row < features.rows; ++row) {
            const std::int32_t leaf = Ensemble::leafOf(grown.tree, features, row);
            QCOMPARE(grown.values[static_cast<std::size_t>(row)],
                     grown.tree.nodes[static_cast<std::size_t>(leaf)].value[0]);
        }
    }
}

void TstHistogramGrower::missingNumbersGoToTheBetterSide()
{
    for (const bool likeHigh : {false, true}) {
        PlainTable table;
        table.columns.emplace_back();
        for (int i = 0; i < 300; ++i) {
            const float value = i % 3 == 0 ? kMissing : static_cast<float>(i % 3);
            const bool isHigh = i % 3 == 0 ? likeHigh : i % 3 == 2;
            table.columns[0].push_back(value);
            table.gradients.push_back(isHigh ? -1.0F : 1.0F);
            table.hessians.push_back(1.0F);
        }
        const Grown grown = grow(binned(table), table, {.maxLeaves = 2});
        QCOMPARE(grown.tree.nodes.size(), std::size_t{3});
        QCOMPARE(grown.tree.nodes[0].kind, SplitKind::Number);
        QCOMPARE(grown.tree.nodes[0].missingLeft, !likeHigh);
        QCOMPARE(grown.tree.nodes[0].cut, 1.5F);
        QCOMPARE(grown.values[0], likeHigh ? 0.1F : -0.1F);
    }
}

void TstHistogramGrower::onlyMissingOnesMayPartFromAllNumbers()
{
    PlainTable table;
    table.columns.emplace_back();
    for (int i = 0; i < 100; ++i) {
        table.columns[0].push_back(i % 2 == 0 ? kMissing : static_cast<float>(i));
        table.gradients.push_back(i % 2 == 0 ? -1.0F : 1.0F);
        table.hessians.push_back(1.0F);
    }
    const Grown grown = grow(binned(table), table, {.maxLeaves = 2});
    QCOMPARE(grown.tree.nodes[0].missingLeft, false);
    QVERIFY(grown.tree.nodes[0].cut >= 99.0F);
    QCOMPARE(grown.values[0], 0.1F);
    QCOMPARE(grown.values[1], -0.1F);
}

/// The numbers from 1 to 9 are in other leaves.
void TstHistogramGrower::cutsInTheMiddleBetweenItsRows()
{
    std::vector<float> all;
    for (int number = 0; number <= 10; ++number) {
        all.push_back(static_cast<float>(number));
    }
    PlainTable table{.columns = {{}}, .gradients = {}, .hessians = {}};
    for (int row = 0; row < 40; ++row) {
        table.columns[0].push_back(row % 2 == 0 ? 0.0F : 10.0F);
        table.gradients.push_back(row % 2 == 0 ? -1.0F : 1.0F);
        table.hessians.push_back(1.0F);
    }
    HistogramTable bins({numberColumn(all, 256)}, 40);
    bins.setNumbers(0, 0, 40, table.columns[0].data(), 1);
    const Grown grown = grow(bins, table, {.minRowsPerLeaf = 1});
    QCOMPARE(grown.tree.nodes.size(), std::size_t(3));
    QCOMPARE(grown.tree.nodes[0].cut, 4.5F);
}

void TstHistogramGrower::categoriesAreSplitByTheirGradients()
{
    const Categories categories(20, 50);
    const Grown grown = grow(categories.bins(), categories.table, {.maxLeaves = 2});
    QCOMPARE(grown.tree.nodes.size(), std::size_t{3});
    const Node& root = grown.tree.nodes[0];
    QCOMPARE(root.kind, SplitKind::Categories);
    QCOMPARE(root.categories.size(), std::size_t{10});
    for (const std::int32_t category : root.categories) {
        QCOMPARE(category % 2, root.categories.front() % 2);
    }
    QCOMPARE(grown.values[0], 10.0F);
    QCOMPARE(grown.values[1], -10.0F);
}

void TstHistogramGrower::categoriesThatAreNotNamedGoRight()
{
    for (const float gradient : {-100.0F, 100.0F}) {
        Categories categories(4, 50);
        for (std::size_t row = 0; row < 100; ++row) {
            categories.ids[row] = -1;
            categories.table.gradients[row] = gradient;
        }
        const Grown grown = grow(categories.bins(), categories.table, {.maxLeaves = 2});
        const Node& root = grown.tree.nodes[0];
        QCOMPARE(root.missingLeft, false);
        const std::vector<std::int32_t> expected =
            gradient > 0 ? std::vector<std::int32_t>{0, 2} : std::vector<std::int32_t>{1, 3};
        QCOMPARE(root.categories, expected);
        QCOMPARE(grown.values[0], gradient > 0 ? -10.0F : 10.0F);
    }
}

void TstHistogramGrower::aMonotoneColumnNeverTurns()
{
    kernels::RandomStream random(2);
    PlainTable table;
    table.columns.resize(2);
    for (int i = 0; i < 4000; ++i) {
        const float x = random.nextUniform(-3.0F, 3.0F);
        const float other = random.nextUniform(-3.0F, 3.0F);
        table.columns[0].push_back(x);
        table.columns[1].push_back(other);
        table.gradients.push_back(-x - 2 * std::sin(4 * x) * other);
        table.hessians.push_back(1.0F);
    }
    const HistogramTable bins = binned(table);
    for (const int direction : {1, -1}) {
        const HistogramGrowthOptions options{.maxLeaves = 60,
                                             .monotone = {static_cast<std::int8_t>(direction), 0}};
        const Grown grown = grow(bins, table, options);
        QVERIFY(grown.tree.nodes.size() > 20);
        PlainTable line;
        line.columns.resize(2);
        line.gradients.resize(601);
        for (int step = 0; step <= 600; ++step) {
            line.columns[0].push_back(static_cast<float>(step) / 100 - 3);
            line.columns[1].push_back(0.0F);
        }
        bool turns = false;
        for (const float other : {-2.9F, -1.0F, 0.0F, 1.5F, 2.9F}) {
            std::fill(line.columns[1].begin(), line.columns[1].end(), other);
            const FeatureTable features = featuresOf(line);
            float before = -direction * std::numeric_limits<float>::infinity();
            for (std::int64_t row = 0; row < features.rows; ++row) {
                const std::int32_t leaf = Ensemble::leafOf(grown.tree, features, row);
                const float value = grown.tree.nodes[static_cast<std::size_t>(leaf)].value[0];
                turns = turns || direction * (value - before) < 0;
                before = value;
            }
        }
        QVERIFY(!turns);
    }
}

void TstHistogramGrower::unmeasuredColumnsAreNotSplit()
{
    const PlainTable table = randomTable(6, 1000, 20, 0.0);
    const HistogramTable bins = binned(table);
    std::vector<std::int32_t> before;
    bool differ = false;
    kernels::ThreadPool pool(2);
    HistogramGrower grower(bins, {.maxLeaves = 30, .columnFraction = 0.1}, pool);
    for (std::int64_t number = 0; number < 10; ++number) {
        std::vector<float> values(table.rows());
        const Tree tree =
            grower.grow({.tree = number}, gradientsOf(table), values.data(), 1).value();
        std::vector<std::int32_t> used;
        for (const Node& node : tree.nodes) {
            if (!node.isLeaf()) {
                used.push_back(node.feature);
            }
        }
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        QVERIFY(used.size() <= 2);
        differ = differ || (number > 0 && used != before);
        before = used;
        QCOMPARE(
            textOf(tree),
            textOf(grow(bins, table, {.maxLeaves = 30, .columnFraction = 0.1}, 1, number).tree));
    }
    QVERIFY(differ);
}

void TstHistogramGrower::leavesOfOneClassLeaveTheOthers()
{
    const PlainTable table = randomTable(7, 500, 2, 0.0);
    const HistogramTable bins = binned(table);
    kernels::ThreadPool pool(1);
    HistogramGrower grower(bins, {.maxLeaves = 5}, pool);
    std::vector<float> values(3 * table.rows());
    const Tree tree = grower
                          .grow({.output = 1, .outputs = 3, .bias = 0.5F}, gradientsOf(table),
                                values.data() + 1, 3)
                          .value();
    const Grown alone = grow(bins, table, {.maxLeaves = 5});
    for (std::size_t row = 0; row < table.rows(); ++row) {
        QCOMPARE(values[3 * row], 0.0F);
        QCOMPARE(values[3 * row + 1], alone.values[row] + 0.5F);
        QCOMPARE(values[3 * row + 2], 0.0F);
    }
    for (const Node& node : tree.nodes) {
        QCOMPARE(node.value.size(), std::size_t{1});
    }
    QCOMPARE(tree.output, 1);
    // The message says whose value it is.
    Ensemble ensemble;
    ensemble.trees = {tree};
    const std::string bytes = ensemble.serialize();
    const Result<Ensemble> back = Ensemble::parse(std::as_bytes(std::span(bytes)), 2, 3);
    VERIFY_OK(back);
    QCOMPARE(back->trees.front().output, 1);
    QCOMPARE(back->trees.front().nodes.back().value, tree.nodes.back().value);
    VERIFY_ERROR(Ensemble::parse(std::as_bytes(std::span(bytes)), 2, 1), "trees.damaged");
}

/// Some rows are all but certainly of a class; one of them is of another.
void TstHistogramGrower::leavesNeedASumOfSecondDerivatives()
{
    PlainTable table = randomTable(11, 400, 1, 0.0);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const bool isCertain = table.columns.front()[row] < 0.05F;
        table.gradients[row] = isCertain ? 1e-4F : (row % 2 == 0 ? 0.5F : -0.5F);
        table.hessians[row] = isCertain ? 1e-4F : 0.25F;
    }
    const auto certain =
        std::ranges::find_if(table.columns.front(), [](float number) { return number < 0.05F; });
    table.gradients[static_cast<std::size_t>(certain - table.columns.front().begin())] = -1.0F;
    const HistogramTable bins = binned(table);
    kernels::ThreadPool pool(1);
    const auto largest = [&](double least) {
        HistogramGrower grower(bins, {.maxLeaves = 8, .learningRate = 1}, pool);
        std::vector<float> values(table.rows());
        const Tree tree =
            grower.grow({.leastHessian = least}, gradientsOf(table), values.data(), 1).value();
        float most = 0.0F;
        for (const Node& node : tree.nodes) {
            most = std::max(most, std::abs(node.value.front()));
        }
        return most;
    };
    QVERIFY(largest(0.0) > 50.0F);
    QVERIFY(largest(1.0) < 2.0F);
    // A tree of one leaf has no more.
    std::fill(table.hessians.begin(), table.hessians.end(), 1e-4F);
    std::fill(table.gradients.begin(), table.gradients.end(), 0.05F);
    QVERIFY(largest(0.0) > 400.0F);
    QVERIFY(largest(1.0) < 21.0F);
}

void TstHistogramGrower::gradientsOfZeroGrowNothing()
{
    PlainTable table = randomTable(9, 200, 2, 0.0);
    std::fill(table.gradients.begin(), table.gradients.end(), 0.0F);
    const Grown grown = grow(binned(table), table, {});
    QCOMPARE(grown.tree.nodes.size(), std::size_t{1});
    QCOMPARE(grown.values, std::vector<float>(table.rows(), 0.0F));
}

CANNERY_TEST(TstHistogramGrower)
#include "tst_histogram_grower.moc"
