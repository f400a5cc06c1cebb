// SPDX-License-Identifier: Apache-2.0
#include "core/plan/inference.h"
#include "core/plan/last_step.h"
#include "core/plan/learners/learner.h"
#include "core/plan/model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

using namespace cannery;

class TstLayeredTreeLearner : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void batchesForQuantilesAreNoSteps();
    void endsWhenItsTreesAreGrown();
    void resumesInTheMiddleOfALayer_data();
    void resumesInTheMiddleOfALayer();
    void sameTreesForAnyNumberOfThreads();
    void tableInMemoryIsABatchOfAllRows();
    void damagedStateIsRefused();
    void contributionsNeedABias();
    void classesShareOneHessian();
    void replicasAreRefused();
};

namespace {

constexpr std::int64_t kLayeredRows = 60;

/// Two numbers, and a bucketized column of two dimensions.
graph::LoweredModel treeModel(void (*change)(spec::BoostedTreesRegressor&) = nullptr)
{
    auto learner = std::make_shared<graph::LearnerDescription>();
    spec::BoostedTreesRegressor& trees = *learner->estimator.mutable_boosted_trees_regressor();
    trees.set_n_trees(3);
    trees.set_max_depth(2);
    trees.set_quantile_sketch_epsilon(0.1);
    if (change != nullptr) {
        change(trees);
    }
    learner->inputs = {{.name = "b",
                        .credit = "b",
                        .kind = graph::LearnerInputKind::Buckets,
                        .slot = 1,
                        .block = 0,
                        .width = 6,
                        .dimensions = 2,
                        .boundaries = {0.0F, 1.0F}},
                       {.name = "x",
                        .credit = "x",
                        .kind = graph::LearnerInputKind::Numbers,
                        .slot = 0,
                        .block = 0,
                        .width = 2}};
    graph::LoweredModel model;
    model.head.mutable_regression_head()->set_label_dimension(1);
    model.learner = std::move(learner);
    return model;
}

features::EncodedRows treeRows(std::int64_t first, std::int64_t count)
{
    features::EncodedRows rows{.rowCount = count, .dense = {{.width = 2, .values = {}}}};
    features::IdBlock& ids = rows.ids.emplace_back();
    ids.rowOffsets = {0};
    for (std::int64_t row = first; row < first + count; ++row) {
        const auto x = static_cast<float>(row * 37 % 61) / 10.0F;
        const auto y = static_cast<float>(row * 17 % 53) / 7.0F;
        rows.dense[0].values.insert(rows.dense[0].values.end(), {x, y});
        ids.ids.insert(ids.ids.end(), {static_cast<std::int32_t>(row % 3),
                                       static_cast<std::int32_t>(3 + row * 2 % 3)});
        ids.rowOffsets.push_back(std::ssize(ids.ids));
        rows.labels.push_back(std::sin(x) + 0.3F * y + static_cast<float>(row % 3));
    }
    return rows;
}

std::unique_ptr<plan::Model> makeTrees(const graph::LoweredModel& model, int threads = 1)
{
    auto made = plan::Model::create(model, {.threads = threads});
    return made ? *std::move(made) : nullptr;
}

/// One step on the batch of that number, of six; the loss.
double treeStep(plan::Model& model, std::int64_t number)
{
    const features::EncodedRows batch = treeRows(number % 6 * 10, 10);
    return (*model.train(std::span(&batch, 1), number)).value();
}

/// Whatever a checkpoint has, as text.
std::string treeState(plan::Model& model)
{
    std::string all;
    for (const plan::StateTensor& tensor : model.state()) {
        all += tensor.name;
        all.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    }
    return all;
}

Result<void> copyTrees(plan::Model& from, plan::Model& to)
{
    const std::vector<plan::StateTensor> state = from.state();
    for (const plan::StateTensor& target : to.state()) {
        const auto source = std::ranges::find(state, target.name, &plan::StateTensor::name);
        if (target.isOptional && source->bytes.empty()) {
            continue;
        }
        if (target.restore) {
            CANNERY_TRY(target.restore(source->shape, source->bytes));
        } else {
            std::ranges::copy(source->bytes, target.bytes.begin());
        }
    }
    return {};
}

} // namespace

void TstLayeredTreeLearner::batchesForQuantilesAreNoSteps()
{
    const auto model = makeTrees(treeModel([](auto& trees) { trees.set_n_batches_per_layer(3); }));
    QVERIFY(model);
    for (std::int64_t number = 0; number < 5; ++number) {
        treeStep(*model, number);
        QCOMPARE(model->lastStep().advanced(), number >= 3);
    }
}

void TstLayeredTreeLearner::endsWhenItsTreesAreGrown()
{
    const auto model = makeTrees(treeModel());
    QVERIFY(model);
    std::int64_t number = 0;
    double first = 0;
    double last = 0;
    for (; !model->trainingEnd() && number < 100; ++number) {
        last = treeStep(*model, number);
        first = number == 0 ? last : first;
    }
    QCOMPARE(number, std::int64_t{7}); // one for the quantiles, then trees * layers
    QCOMPARE(*model->trainingEnd(), std::string("All 3 trees are grown."));
    QVERIFY(last < first);
}

void TstLayeredTreeLearner::resumesInTheMiddleOfALayer_data()
{
    QTest::addColumn<bool>("bias");
    QTest::addColumn<int>("steps");
    QTest::newRow("in a layer") << false << 6;
    QTest::newRow("between layers") << false << 8;
    QTest::newRow("in the bias") << true << 5;
}

void TstLayeredTreeLearner::resumesInTheMiddleOfALayer()
{
    QFETCH(bool, bias);
    QFETCH(int, steps);
    const graph::LoweredModel description =
        bias ? treeModel([](auto& trees) {
            trees.set_n_batches_per_layer(4);
            trees.set_center_bias(true);
        })
             : treeModel([](auto& trees) { trees.set_n_batches_per_layer(4); });
    const auto whole = makeTrees(description);
    const auto resumed = makeTrees(description);
    QVERIFY(whole && resumed);
    for (int number = 0; number < steps; ++number) {
        treeStep(*whole, number);
    }
    VERIFY_OK(copyTrees(*whole, *resumed));
    QCOMPARE(treeState(*resumed), treeState(*whole));
    for (int number = steps; number < steps + 20; ++number) {
        QCOMPARE(treeStep(*resumed, number), treeStep(*whole, number));
    }
    QCOMPARE(treeState(*resumed), treeState(*whole));
}

void TstLayeredTreeLearner::sameTreesForAnyNumberOfThreads()
{
    std::vector<std::string> states;
    for (const int threads : {1, 3}) {
        const auto model = makeTrees(treeModel(), threads);
        QVERIFY(model);
        for (std::int64_t number = 0; number < 7; ++number) {
            treeStep(*model, number);
        }
        states.push_back(treeState(*model));
    }
    QVERIFY(states[0] == states[1]);
}

void TstLayeredTreeLearner::tableInMemoryIsABatchOfAllRows()
{
    const auto batches = makeTrees(treeModel());
    const auto inMemory =
        makeTrees(treeModel([](auto& trees) { trees.set_train_in_memory(true); }));
    QVERIFY(batches && inMemory);
    const features::EncodedRows all = treeRows(0, kLayeredRows);
    features::InputLayout layout;
    layout.slots = {{.kind = features::SlotKind::Dense, .column = "x", .width = 2, .block = 0},
                    {.kind = features::SlotKind::Ids, .column = "b", .width = 6, .block = 0}};
    layout.labelWidth = 1;
    features::EncodedDataset table(layout, {});
    VERIFY_OK(table.append(all));
    QVERIFY(inMemory->learner()->readsTable());
    VERIFY_OK(inMemory->learner()->setTable(table, inMemory->threadPool()));
    for (std::int64_t number = 0; number < 7; ++number) {
        const double loss = (*batches->train(std::span(&all, 1), number)).value();
        QCOMPARE((*inMemory->train(std::span<const features::EncodedRows>(), number)).value(),
                 loss);
    }
    QVERIFY(treeState(*inMemory) == treeState(*batches));
}

void TstLayeredTreeLearner::damagedStateIsRefused()
{
    const auto model = makeTrees(treeModel([](auto& trees) { trees.set_n_batches_per_layer(4); }));
    QVERIFY(model);
    const std::vector<float> falling{2.0F, 1.0F};
    const std::vector<double> odd{1.0, 2.0, 3.0, 1.0, 99.0, 0.0};
    for (const plan::StateTensor& tensor : model->state()) {
        if (!tensor.restore) {
            continue;
        }
        const auto bytes = tensor.dtype == DType::Float32 ? std::as_bytes(std::span(falling))
                                                          : std::as_bytes(std::span(odd));
        QVERIFY2(!tensor.restore({std::ssize(bytes)}, bytes), tensor.name.c_str());
    }
}

void TstLayeredTreeLearner::contributionsNeedABias()
{
    const auto plain = makeTrees(treeModel());
    const auto biased = makeTrees(treeModel([](auto& trees) { trees.set_center_bias(true); }));
    QVERIFY(plain && biased);
    QCOMPARE(plain->inference().explainPredictions().error().id,
             std::string("plan.cannot_explain"));
    VERIFY_OK(biased->inference().explainPredictions());
}

/// At equal chances the Hessian of three classes is (I - 1/3) / 3, so that Newton's step separates
/// the classes of a leaf by three times the difference of their shares; by its diagonal alone, 2/9,
/// it would be 4.5 times.
void TstLayeredTreeLearner::classesShareOneHessian()
{
    graph::LoweredModel model = treeModel();
    auto learner = std::make_shared<graph::LearnerDescription>();
    spec::BoostedTreesClassifier& trees = *learner->estimator.mutable_boosted_trees_classifier();
    trees.set_n_trees(1);
    trees.set_max_depth(1);
    trees.set_learning_rate(1);
    learner->inputs = {model.learner->inputs.front()};
    model.learner = std::move(learner);
    model.head.mutable_multi_class_head()->set_n_classes(3);
    const auto made = makeTrees(model);
    QVERIFY(made);
    features::EncodedRows rows = treeRows(0, 12);
    rows.labels = {0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 1, 2}; // of each bucket, by row % 3
    QVERIFY(made->train(std::span(&rows, 1), 0));
    std::vector<float> logits(36);
    made->learner()->forward(rows, kernels::matrixView(std::span(logits), 12, 3), nullptr);
    for (std::size_t row = 0; row < 12; ++row) {
        std::array<float, 3> shares{};
        float count = 0;
        for (std::size_t other = 0; other < 12; ++other) {
            if (std::equal(&logits[3 * row], &logits[3 * row + 3], &logits[3 * other])) {
                shares[static_cast<std::size_t>(rows.labels[other])] += 1;
                ++count;
            }
        }
        QVERIFY(count < 12);
        for (std::size_t i = 1; i < 3; ++i) {
            QVERIFY(std::abs(logits[3 * row + i] - logits[3 * row] -
                             3 * (shares[i] - shares[0]) / count) < 1e-4F);
        }
    }
}

void TstLayeredTreeLearner::replicasAreRefused()
{
    const auto made =
        plan::Model::create(treeModel(), {.sharding = {.total = 2, .first = 0, .count = 2}});
    QVERIFY(!made);
    QCOMPARE(made.error().id, std::string("plan.learns_alone"));
}

CANNERY_TEST(TstLayeredTreeLearner)

#include "tst_layered_tree_learner.moc"
