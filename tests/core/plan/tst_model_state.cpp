// SPDX-License-Identifier: Apache-2.0
#include "core/plan/inference.h"
#include "core/plan/last_step.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace cannery;
using namespace cannery::tests;

class TstModelState : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesWhatTensorflowSaves();
    void holdsOnlyVariablesWhenNotTraining();
    void countsStepsOfTheOptimizerThatDoesNotOwnThem();
    void movesTheMovingMomentsOnlyInTraining();
    void leavesFrozenEmbeddingsAlone();
    void refusesAMissingInitialCheckpoint();
    void summarizesTheLastStep();
    void followsTheZerosOfItsWeights_data();
    void followsTheZerosOfItsWeights();
};

namespace {

const char* const kCombined =
    "dnn_linear_combined_regressor { linear_feature_columns: 'many' linear_optimizer { ftrl {} } "
    "dnn_feature_columns: 'x' dnn_hidden_units: 4 dnn_optimizer { nadam {} } }";

std::vector<std::string> namesOf(plan::Model& model)
{
    std::vector<std::string> names;
    for (const plan::StateTensor& tensor : model.state()) {
        names.push_back(tensor.name);
    }
    return names;
}

} // namespace

void TstModelState::namesWhatTensorflowSaves()
{
    const auto made = toyModel(kCombined);
    VERIFY_OK(made);
    QCOMPARE(namesOf(**made),
             (std::vector<std::string>{"dnn/hiddenlayer_0/bias",
                                       "dnn/hiddenlayer_0/kernel",
                                       "dnn/logits/bias",
                                       "dnn/logits/kernel",
                                       "linear/linear_model/bias_weights",
                                       "linear/linear_model/many/weights",
                                       "training/Ftrl/beta",
                                       "training/Ftrl/decay",
                                       "training/Ftrl/iter",
                                       "training/Ftrl/l1_regularization_strength",
                                       "training/Ftrl/l2_regularization_strength",
                                       "training/Ftrl/learning_rate",
                                       "training/Ftrl/learning_rate_power",
                                       "training/Ftrl/linear/linear_model/bias_weights/accumulator",
                                       "training/Ftrl/linear/linear_model/bias_weights/linear",
                                       "training/Ftrl/linear/linear_model/many/weights/accumulator",
                                       "training/Ftrl/linear/linear_model/many/weights/linear",
                                       "training/Nadam/beta_1",
                                       "training/Nadam/beta_2",
                                       "training/Nadam/decay",
                                       "training/Nadam/dnn/hiddenlayer_0/bias/m",
                                       "training/Nadam/dnn/hiddenlayer_0/bias/v",
                                       "training/Nadam/dnn/hiddenlayer_0/kernel/m",
                                       "training/Nadam/dnn/hiddenlayer_0/kernel/v",
                                       "training/Nadam/dnn/logits/bias/m",
                                       "training/Nadam/dnn/logits/bias/v",
                                       "training/Nadam/dnn/logits/kernel/m",
                                       "training/Nadam/dnn/logits/kernel/v",
                                       "training/Nadam/learning_rate",
                                       "training/Nadam/momentum_cache"}));
}

void TstModelState::holdsOnlyVariablesWhenNotTraining()
{
    const auto made = toyModel(kCombined, {.training = false});
    VERIFY_OK(made);
    QCOMPARE((*made)->state().size(), std::size_t(6));
    (*made)->inference().forward(toyRows(8, 1), layers::Mode::Predict);
    QCOMPARE((*made)->inference().logits().rows, std::int64_t(8));
}

void TstModelState::countsStepsOfTheOptimizerThatDoesNotOwnThem()
{
    const auto made = toyModel(kCombined);
    VERIFY_OK(made);
    for (int step = 0; step < 3; ++step) {
        (*made)->train(toyRows(8, 1), step);
    }
    const std::vector<plan::StateTensor> state = (*made)->state();
    const auto steps =
        std::ranges::find(state, std::string("training/Ftrl/iter"), &plan::StateTensor::name);
    QVERIFY(steps != state.end());
    QCOMPARE(steps->dtype, DType::Int64);
    QCOMPARE(*reinterpret_cast<const std::int64_t*>(steps->bytes.data()), std::int64_t(3));
}

void TstModelState::movesTheMovingMomentsOnlyInTraining()
{
    const auto made = toyModel(toyEstimators()[5].text);
    VERIFY_OK(made);
    const auto moments = stateOf(**made, "dnn/hiddenlayer_0/batchnorm_0/moving_mean");
    (*made)->inference().forward(toyRows(8, 1), layers::Mode::Evaluate);
    QCOMPARE(moments[0], 0.0F);
    (*made)->train(toyRows(8, 1), 0);
    QVERIFY(moments[0] > 0.0F && moments[0] < 0.001F);
}

void TstModelState::leavesFrozenEmbeddingsAlone()
{
    graph::LoweredModel lowered;
    const auto made = toyModel("dnn_regressor { feature_columns: ['one_table', 'x'] hidden_units: "
                               "[4] optimizer { adagrad {} } }");
    VERIFY_OK(made);
    const std::string table =
        "dnn/input_from_feature_columns/input_layer/one_embedding/embedding_weights";
    lowered.graph = (*made)->graph();
    lowered.head.mutable_regression_head();
    lowered.optimizers.push_back({.scope = "dnn", .checkpointPrefix = "training/Adagrad"});
    lowered.optimizers[0].optimizer.mutable_adagrad();
    for (graph::Variable& variable : lowered.graph.variables) {
        variable.trainable = variable.trainable && variable.name != table;
    }
    const auto frozen = plan::Model::create(std::move(lowered), {});
    VERIFY_OK(frozen);
    const std::span<float> values = stateOf(**frozen, table);
    const std::vector<float> before(values.begin(), values.end());
    (*frozen)->train(toyRows(8, 1), 0);
    QVERIFY(std::equal(values.begin(), values.end(), before.begin()));
    QVERIFY((*frozen)->lastStep().gradient(table).empty());
    for (const plan::StateTensor& tensor : (*frozen)->state()) {
        QVERIFY(tensor.name != "training/Adagrad/" + table + "/accumulator");
    }
}

void TstModelState::refusesAMissingInitialCheckpoint()
{
    graph::LoweredModel lowered;
    lowered.head.mutable_regression_head();
    lowered.graph.variables.push_back(
        {.name = "table", .shape = {2, 2}, .initialCheckpoint = {"nowhere", "table"}});
    VERIFY_ERROR(plan::Model::create(std::move(lowered), {.folder = "/tmp"}),
                 "plan.no_initial_checkpoint");
}

void TstModelState::summarizesTheLastStep()
{
    const auto made = toyModel(kCombined);
    VERIFY_OK(made);
    (*made)->train(toyRows(8, 1), 0);
    const std::vector<plan::ModelSummary> summaries = (*made)->lastStep().summaries();
    QCOMPARE(summaries.size(), std::size_t(8));
    QCOMPARE(summaries[1].tag, std::string("dnn/hiddenlayer_0/activation"));
    QCOMPARE(summaries[1].values.size(), std::size_t(32));
    QVERIFY(summaries[0].scalar > 0.0F && summaries[0].scalar < 1.0F);
    QCOMPARE(summaries[4].tag, std::string("bias"));
    QCOMPARE(summaries[4].scalar, stateOf(**made, "linear/linear_model/bias_weights")[0]);
    QCOMPARE(summaries[6].scalar, 1.0F); // the linear logits before the first update
}

void TstModelState::followsTheZerosOfItsWeights_data()
{
    QTest::addColumn<QString>("optimizer");
    QTest::newRow("weights come and go")
        << "ftrl { learning_rate: 0.5 l1_regularization_strength: 0.4 }";
    QTest::newRow("every row moves") << "adam { learning_rate: 0.1 }";
}

/// A count maintained by every step equals a count over all weights.
void TstModelState::followsTheZerosOfItsWeights()
{
    QFETCH(QString, optimizer);
    const auto made = toyModel("linear_classifier { feature_columns: ['x', 'one', 'heavy'] "
                               "optimizer { " +
                               optimizer.toStdString() + " } }");
    VERIFY_OK(made);
    std::vector<std::span<float>> weights;
    for (const plan::StateTensor& tensor : (*made)->state()) {
        if (tensor.trainable && tensor.name.ends_with("/weights")) {
            weights.push_back(floatsOf(tensor));
        }
    }
    QCOMPARE(weights.size(), std::size_t(3));
    bool isEverAllZero = true;
    for (std::int64_t step = 0; step < 12; ++step) {
        (*made)->train(toyRows(4, static_cast<std::uint64_t>(step)), step);
        std::int64_t zeros = 0;
        std::size_t all = 0;
        for (const std::span<float> values : weights) {
            zeros += std::ranges::count(values, 0.0F);
            all += values.size();
        }
        const auto summaries = (*made)->lastStep().summaries();
        const auto fraction = std::ranges::find(summaries, std::string("fraction_of_zero_weights"),
                                                &plan::ModelSummary::tag);
        QVERIFY(fraction != summaries.end());
        QCOMPARE(fraction->scalar, static_cast<float>(zeros) / static_cast<float>(all));
        isEverAllZero = isEverAllZero && zeros == static_cast<std::int64_t>(all);
        if (step == 6) { // as restoring a checkpoint does
            (*made)->state();
            std::ranges::fill(weights[1], 0.0F);
        }
    }
    QVERIFY(!isEverAllZero);
}

CANNERY_TEST(TstModelState)
#include "tst_model_state.moc"
