// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head_catalog.h"
#include "core/plan/learners/histogram_tree_learner.h"
#include "kernels/device/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace cannery;
using namespace cannery::plan;

class TstHistogramTreeLearner : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void learnsWhatNoLinearModelCan();
    void growsTheSameTreesForAnyNumberOfThreads();
    void continuesWithTheSameBits();
    void predictsWhatTheEnsembleSays();
    void growsOneTreeForEachClass();
    void beginsWithTheMeanPrediction();
    void rowsOfWeightZeroDoNotCount();
    void endsWithTheLastTree();
    void refusesSeveralCategoriesInARow();
    void refusesMonotoneColumnsThatItDoesNotRead();
};

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// Two numbers whose product decides, some of them missing, and a category that decides too.
struct Rows
{
    Rows(std::int64_t count, int classes, bool weighted = false)
        : layout{.slots = {{features::SlotKind::Dense, "pair", "pair", 2, false, 0},
                           {features::SlotKind::Ids, "city", "city", 6, false, 0}},
                 .labelWidth = 1,
                 .weightWidth = weighted ? 1 : 0}
    {
        kernels::RandomStream random(3);
        encoded.rowCount = count;
        encoded.dense.push_back({.width = 2, .values = {}});
        encoded.ids.push_back({.rowOffsets = {0}, .ids = {}, .weights = {}});
        for (std::int64_t row = 0; row < count; ++row) {
            const float a = random.nextUniform(-1.0F, 1.0F);
            const float b = random.nextUniform(-1.0F, 1.0F);
            const bool isMissing = random.nextBelow(8) == 0;
            const auto city = static_cast<std::int32_t>(random.nextBelow(7)) - 1;
            encoded.dense[0].values.insert(encoded.dense[0].values.end(),
                                           {a, isMissing ? kMissing : b});
            if (city >= 0) {
                encoded.ids[0].ids.push_back(city);
            }
            encoded.ids[0].rowOffsets.push_back(
                static_cast<std::int64_t>(encoded.ids[0].ids.size()));
            const float sum = (isMissing ? 0.5F : 2 * a * b) + (city % 2 == 0 ? 0.4F : -0.4F);
            const int label = classes == 2
                                  ? (sum > 0 ? 1 : 0)
                                  : std::clamp(static_cast<int>(sum + 1.5F), 0, classes - 1);
            encoded.labels.push_back(static_cast<float>(label));
            if (weighted) {
                encoded.weights.push_back(row % 2 == 0 ? 1.0F : 0.0F);
            }
        }
    }

    features::EncodedDataset dataset() const
    {
        features::EncodedDataset dataset(layout, {});
        [&] { QVERIFY(dataset.append(encoded)); }();
        return dataset;
    }

    features::InputLayout layout;
    features::EncodedRows encoded;
};

/// A learner with its head.
struct Trees
{
    explicit Trees(int classes, const spec::HistogramGrowth& growth = {}, bool centerBias = false)
    {
        auto description = std::make_shared<graph::LearnerDescription>();
        auto& classifier = *description->estimator.mutable_boosted_trees_classifier();
        *classifier.mutable_histogram() = growth;
        classifier.set_n_trees(20);
        classifier.set_center_bias(centerBias);
        description->inputs = {{.column = "city",
                                .name = "city",
                                .kind = graph::LearnerInputKind::Categories,
                                .slot = 1,
                                .block = 0,
                                .width = 6},
                               {.column = "pair",
                                .name = "pair",
                                .kind = graph::LearnerInputKind::Numbers,
                                .slot = 0,
                                .block = 0,
                                .width = 2}};
        lowered.learner = std::move(description);
        if (classes == 2) {
            lowered.head.mutable_binary_class_head();
        } else {
            lowered.head.mutable_multi_class_head()->set_n_classes(classes);
        }
        auto made = heads::makeHead(lowered.head);
        head = std::move(made.value());
    }

    Result<void> begin(const features::EncodedDataset& rows, int threads = 1)
    {
        pool = std::make_unique<kernels::ThreadPool>(threads);
        CANNERY_TRY_ASSIGN(learner, makeLearner({.lowered = lowered, .head = *head, .seed = 5}));
        return learner->setTable(rows, *pool);
    }

    /// The losses before each of some steps.
    std::vector<double> train(int steps)
    {
        std::vector<double> losses;
        for (int step = 0; step < steps; ++step) {
            const auto outcome = learner->train(
                {.batches = {}, .globalStep = step, .head = *head, .pool = *pool, .logits = {}});
            losses.push_back(outcome.value().loss);
        }
        return losses;
    }

    std::string text()
    {
        const auto state = learner->state();
        return {reinterpret_cast<const char*>(state[0].bytes.data()), state[0].bytes.size()};
    }

    std::vector<float> logits(const features::EncodedRows& rows, int threads = 1) const
    {
        kernels::ThreadPool own(threads);
        std::vector<float> values(static_cast<std::size_t>(rows.rowCount * head->logitsWidth()));
        learner->forward(
            rows, kernels::matrixView(std::span(values), rows.rowCount, head->logitsWidth()), &own);
        return values;
    }

    graph::LoweredModel lowered;
    std::unique_ptr<heads::Head> head;
    std::unique_ptr<kernels::ThreadPool> pool;
    std::unique_ptr<Learner> learner;
};

spec::HistogramGrowth sampled()
{
    spec::HistogramGrowth growth;
    growth.set_row_fraction(0.6);
    growth.set_column_fraction(0.7);
    return growth;
}

} // namespace

void TstHistogramTreeLearner::learnsWhatNoLinearModelCan()
{
    const Rows rows(4000, 2);
    const features::EncodedDataset dataset = rows.dataset();
    Trees trees(2);
    QVERIFY(trees.begin(dataset));
    QVERIFY(trees.learner->readsTable());
    const std::vector<double> losses = trees.train(20);
    QVERIFY(std::abs(losses.front() - std::log(2.0)) < 1e-6);
    QVERIFY(std::is_sorted(losses.rbegin(), losses.rend()));
    QVERIFY(losses.back() < 0.2);
}

void TstHistogramTreeLearner::growsTheSameTreesForAnyNumberOfThreads()
{
    const Rows rows(30'000, 2);
    const features::EncodedDataset dataset = rows.dataset();
    Trees one(2, sampled());
    QVERIFY(one.begin(dataset));
    const std::vector<double> losses = one.train(5);
    for (const int threads : {2, 4}) {
        Trees several(2, sampled());
        QVERIFY(several.begin(dataset, threads));
        QCOMPARE(several.train(5), losses);
        QCOMPARE(several.text(), one.text());
    }
}

void TstHistogramTreeLearner::continuesWithTheSameBits()
{
    const Rows rows(5000, 3);
    const features::EncodedDataset dataset = rows.dataset();
    Trees whole(3, sampled());
    QVERIFY(whole.begin(dataset));
    whole.train(8);
    Trees first(3, sampled());
    QVERIFY(first.begin(dataset));
    first.train(3);
    const std::string saved = first.text();
    Trees second(3, sampled());
    QVERIFY(second.begin(dataset));
    for (const StateTensor& tensor : second.learner->state()) {
        if (tensor.restore) {
            QVERIFY(tensor.restore(tensor.shape, std::as_bytes(std::span(saved))));
        }
    }
    second.train(5);
    QCOMPARE(second.text(), whole.text());
}

void TstHistogramTreeLearner::predictsWhatTheEnsembleSays()
{
    for (const int classes : {2, 3}) {
        const Rows rows(3000, classes);
        const features::EncodedDataset dataset = rows.dataset();
        Trees trees(classes);
        QVERIFY(trees.begin(dataset));
        trees.train(6);
        const std::vector<float> logits = trees.logits(rows.encoded);
        QCOMPARE(trees.logits(rows.encoded, 3), logits);
        const auto& learner = dynamic_cast<const TreeLearner&>(*trees.learner);
        trees::FeatureTable table;
        learner.read(rows.encoded, table);
        std::vector<float> expected(logits.size());
        learner.ensemble().predict(
            table, 0, 3000,
            kernels::matrixView(std::span(expected), 3000, trees.head->logitsWidth()));
        QCOMPARE(logits, expected);
        // And the next loss is that of these predictions.
        const kernels::ConstMatrixView labels =
            kernels::matrixView(std::span<const float>(rows.encoded.labels), 3000, 1);
        const double loss =
            trees.head->loss(*trees.pool,
                             {.logits = kernels::matrixView(std::span<const float>(logits), 3000,
                                                            trees.head->logitsWidth()),
                              .labels = labels},
                             {});
        QCOMPARE(trees.train(1).front(), loss);
    }
}

void TstHistogramTreeLearner::growsOneTreeForEachClass()
{
    const Rows rows(3000, 3);
    const features::EncodedDataset dataset = rows.dataset();
    Trees trees(3);
    QVERIFY(trees.begin(dataset));
    const std::vector<double> losses = trees.train(10);
    QVERIFY(losses.back() < losses.front() / 2);
    const auto& grown = dynamic_cast<const TreeLearner&>(*trees.learner).ensemble().trees;
    QCOMPARE(grown.size(), std::size_t{30});
    for (std::size_t tree = 0; tree < grown.size(); ++tree) {
        QCOMPARE(grown[tree].output, static_cast<std::int32_t>(tree % 3));
        for (const trees::Node& node : grown[tree].nodes) {
            QCOMPARE(node.value.size(), std::size_t{1});
        }
    }
}

void TstHistogramTreeLearner::beginsWithTheMeanPrediction()
{
    Rows rows(2000, 2);
    double positive = 0;
    for (std::size_t row = 0; row < rows.encoded.labels.size(); ++row) {
        rows.encoded.labels[row] = row % 10 == 0 ? 1.0F : 0.0F;
        positive += static_cast<double>(rows.encoded.labels[row]);
    }
    const features::EncodedDataset dataset = rows.dataset();
    spec::HistogramGrowth growth;
    growth.set_min_rows_per_leaf(2000); // no split: the mean alone
    Trees trees(2, growth, true);
    QVERIFY(trees.begin(dataset));
    trees.train(1);
    const double expected = std::log(positive / (2000 - positive));
    const std::vector<float> logits = trees.logits(rows.encoded);
    QVERIFY(std::abs(static_cast<double>(logits.front()) - expected) < 1e-4);
    QCOMPARE(logits.back(), logits.front());
}

void TstHistogramTreeLearner::rowsOfWeightZeroDoNotCount()
{
    Rows rows(3000, 2, true);
    const features::EncodedDataset dataset = rows.dataset();
    Trees trees(2);
    trees.lowered.head.mutable_binary_class_head()->mutable_weight_column()->set_feature("w");
    auto head = heads::makeHead(trees.lowered.head);
    QVERIFY(head);
    trees.head = std::move(head.value());
    QVERIFY(trees.begin(dataset));
    trees.train(4);
    for (std::size_t row = 1; row < rows.encoded.labels.size(); row += 2) {
        rows.encoded.labels[row] = 1.0F - rows.encoded.labels[row];
    }
    const features::EncodedDataset other = rows.dataset();
    Trees same(2);
    auto sameHead = heads::makeHead(trees.lowered.head);
    same.head = std::move(sameHead.value());
    QVERIFY(same.begin(other));
    same.train(4);
    QCOMPARE(same.text(), trees.text());
}

void TstHistogramTreeLearner::endsWithTheLastTree()
{
    const Rows rows(300, 3);
    const features::EncodedDataset dataset = rows.dataset();
    Trees trees(3);
    QVERIFY(trees.begin(dataset));
    trees.train(19);
    QVERIFY(!trees.learner->completion());
    trees.train(1);
    QCOMPARE(*trees.learner->completion(), std::string("All 20 trees are grown."));
}

void TstHistogramTreeLearner::refusesSeveralCategoriesInARow()
{
    Rows rows(300, 2);
    rows.encoded.ids[0].ids.insert(rows.encoded.ids[0].ids.end(), {1, 2});
    rows.encoded.ids[0].rowOffsets.back() =
        static_cast<std::int64_t>(rows.encoded.ids[0].ids.size());
    const features::EncodedDataset dataset = rows.dataset();
    Trees trees(2);
    const Result<void> begun = trees.begin(dataset);
    QVERIFY(!begun);
    QCOMPARE(begun.error().id, std::string("plan.histogram_categories"));
    QVERIFY(begun.error().sentence.starts_with("Row 300 has "));
}

void TstHistogramTreeLearner::refusesMonotoneColumnsThatItDoesNotRead()
{
    const Rows rows(300, 2);
    const features::EncodedDataset dataset = rows.dataset();
    for (const char* column : {"city", "street"}) {
        spec::HistogramGrowth growth;
        growth.add_monotone()->set_column(column);
        Trees trees(2, growth);
        const Result<void> begun = trees.begin(dataset);
        QVERIFY(!begun);
        QCOMPARE(begun.error().id, std::string("plan.histogram_monotone"));
    }
}

CANNERY_TEST(TstHistogramTreeLearner)
#include "tst_histogram_tree_learner.moc"
