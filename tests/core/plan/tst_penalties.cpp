// SPDX-License-Identifier: Apache-2.0
#include "core/plan/inference.h"
#include "core/plan/last_step.h"
#include "core/plan/parameter_exchange.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace cannery;
using namespace cannery::tests;

/// Penalties and constraints of weights in whole models. Their formulas are compared with those of
/// Keras in tests/golden (table_goldens).
class TstPenalties : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reachEveryRowOfATable_data();
    void reachEveryRowOfATable();
    void countOnceForAllShards();
    void ofFrozenLayersCountInTheLoss();
    void areInTheLossOfEvaluationsAlone();
    void ofOutputsAreDividedByTheRows();
    void areRefusedOnParameterServers();
    void constraintsHoldAfterEachStep();
    void constraintsHoldWholeTables();
};

namespace {

/// With a penalty of 0.5 * the sum of squares on the table of a column, which no layer's message
/// reaches; without one if `l2` is 0.
Result<graph::LoweredModel> withTable(const std::string& optimizer, double l2)
{
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                       toyLowered("dnn_regressor { feature_columns: ['x', 'one_table'] "
                                  "hidden_units: [4] activation_fn: tanh optimizer { " +
                                  optimizer + " } }"));
    for (graph::Variable& variable : lowered.graph.variables) {
        if (variable.name.ends_with("embedding_weights") && l2 > 0) {
            variable.regularizer.mutable_l1_l2()->set_l2(l2);
        }
    }
    return lowered;
}

std::string tableOf(plan::Model& model)
{
    for (const plan::StateTensor& tensor : model.state()) {
        if (tensor.name.ends_with("embedding_weights")) {
            return tensor.name;
        }
    }
    return {};
}

double squaresOf(std::span<const float> values)
{
    return std::transform_reduce(values.begin(), values.end(), 0.0, std::plus<>(),
                                 [](float value) { return double{value} * double{value}; });
}

bool isAbout(double actual, double expected)
{
    return std::abs(actual - expected) <= 1e-6 * (1.0 + std::abs(expected));
}

/// A network of one layer with these weights; the table of the toys' numbers is its input.
std::string network(const std::string& layer, const std::string& optimizer = "sgd {}")
{
    return "custom_estimator { head { regression_head {} } feature_columns: ['x'] graph { "
           "layer { name: 'in' input_layer {} } layer { name: 'wide' dense { units: 5 } " +
           layer + " } layer { name: 'out' dense { units: 1 } } } optimizer { " + optimizer +
           " } }";
}

double metricOf(plan::Model& model, const features::EncodedRows& rows, const std::string& name)
{
    const auto metrics = model.head().createMetrics();
    model.inference().evaluate(rows, *metrics);
    const auto results = metrics->results();
    const auto found = std::ranges::find(results, name, &metrics::MetricValue::name);
    return found == results.end() ? std::nan("") : found->value;
}

} // namespace

void TstPenalties::reachEveryRowOfATable_data()
{
    QTest::addColumn<QString>("optimizer");
    QTest::newRow("rows without a gradient stay") << "sgd { learning_rate: 0.1 }";
    QTest::newRow("every row moves") << "adam { learning_rate: 0.01 }";
    QTest::newRow("clipped by value") << "sgd { learning_rate: 0.1 } clipvalue: 100";
    QTest::newRow("clipped by norm") << "sgd { learning_rate: 0.1 } clipnorm: 100";
}

void TstPenalties::reachEveryRowOfATable()
{
    QFETCH(QString, optimizer);
    auto with = withTable(optimizer.toStdString(), 0.5);
    auto without = withTable(optimizer.toStdString(), 0);
    VERIFY_OK(with);
    VERIFY_OK(without);
    const auto penalized = plan::Model::create(*std::move(with), {.seed = 3});
    const auto plain = plan::Model::create(*std::move(without), {.seed = 3});
    VERIFY_OK(penalized);
    VERIFY_OK(plain);
    const features::EncodedRows rows = toyRows(6, 1);
    const std::string table = tableOf(**penalized);
    const double squares = squaresOf(stateOf(**penalized, table));
    QVERIFY(squares > 1.0);
    const double loss = (*penalized)->computeGradients(rows, 0);
    QVERIFY(isAbout(loss, (*plain)->computeGradients(rows, 0) + 0.5 * squares));
    const std::vector<float> found = (*penalized)->lastStep().gradient(table);
    const std::vector<float> own = (*plain)->lastStep().gradient(table);
    const std::span<const float> weights = stateOf(**penalized, table);
    for (std::size_t i = 0; i < found.size(); ++i) {
        QVERIFY(isAbout(found[i], own[i] + weights[i]));
    }
    const std::vector<float> before(weights.begin(), weights.end());
    (*penalized)->train(rows, 0);
    for (std::size_t i = 0; i < before.size(); ++i) {
        QVERIFY(std::abs(stateOf(**penalized, table)[i]) < std::abs(before[i]) || own[i] != 0.0F);
        QVERIFY(stateOf(**penalized, table)[i] != before[i]);
    }
}

void TstPenalties::countOnceForAllShards()
{
    auto lowered = withTable("sgd { learning_rate: 0.1 }", 0.5);
    VERIFY_OK(lowered);
    const auto sharded = plan::Model::create(
        *lowered, {.threads = 3, .seed = 3, .sharding = {.total = 4, .count = 4}});
    const auto single = plan::Model::create(*lowered, {.seed = 3});
    VERIFY_OK(sharded);
    VERIFY_OK(single);
    const std::string table = tableOf(**single);
    std::vector<features::EncodedRows> batches;
    std::vector<double> mean(120);
    for (std::uint64_t shard = 0; shard < 4; ++shard) {
        batches.push_back(toyRows(5, shard));
        (*single)->computeGradients(batches.back(), 0);
        const std::vector<float> gradient = (*single)->lastStep().gradient(table);
        for (std::size_t i = 0; i < mean.size(); ++i) {
            mean[i] += double{gradient[i]} / 4;
        }
    }
    VERIFY_OK((*sharded)->train(batches, 0));
    const std::vector<float> gradient = (*sharded)->lastStep().gradient(table);
    QCOMPARE(gradient.size(), mean.size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
        QVERIFY(isAbout(gradient[i], mean[i]));
    }
}

void TstPenalties::ofFrozenLayersCountInTheLoss()
{
    const std::string weights = "weights { name: 'kernel' regularizer { l1_l2 { l1: 0.5 } } }";
    const auto made = toyModel(network("trainable: false " + weights), {.seed = 3});
    const auto plain = toyModel(network("trainable: false"), {.seed = 3});
    VERIFY_OK(made);
    VERIFY_OK(plain);
    const features::EncodedRows rows = toyRows(6, 1);
    const std::vector<float> before(stateOf(**made, "wide/kernel").begin(),
                                    stateOf(**made, "wide/kernel").end());
    double sum = 0.0;
    for (const float value : before) {
        sum += std::abs(double{value});
    }
    QVERIFY(isAbout((*made)->train(rows, 0), (*plain)->train(rows, 0) + 0.5 * sum));
    QVERIFY(std::ranges::equal(stateOf(**made, "wide/kernel"), before));
}

void TstPenalties::areInTheLossOfEvaluationsAlone()
{
    const auto made = toyModel(
        network("weights { name: 'kernel' regularizer { l1_l2 { l2: 2 } } }"), {.seed = 3});
    const auto plain = toyModel(network(""), {.seed = 3});
    VERIFY_OK(made);
    VERIFY_OK(plain);
    const features::EncodedRows rows = toyRows(9, 4);
    const double penalty = 2 * squaresOf(stateOf(**made, "wide/kernel"));
    QVERIFY(isAbout(metricOf(**made, rows, "loss"), metricOf(**plain, rows, "loss") + penalty));
    QCOMPARE(metricOf(**made, rows, "average_loss"), metricOf(**plain, rows, "average_loss"));
    QVERIFY(isAbout((*made)->inference().weightPenalty(), penalty));
    (*made)->train(rows, 0);
    QVERIFY(isAbout((*made)->lastStep().penalty(), penalty));
}

void TstPenalties::ofOutputsAreDividedByTheRows()
{
    const auto made = toyModel(network("activity_regularizer { l1: 0.25 l2: 3 }"), {.seed = 3});
    const auto plain = toyModel(network(""), {.seed = 3});
    VERIFY_OK(made);
    VERIFY_OK(plain);
    const features::EncodedRows rows = toyRows(9, 4);
    const std::span<const float> kernel = stateOf(**made, "wide/kernel");
    double sum = 0.0;
    for (std::size_t row = 0; row < 9; ++row) {
        for (std::size_t unit = 0; unit < 5; ++unit) {
            double value = 0.0;
            for (std::size_t i = 0; i < 3; ++i) {
                value += double{rows.dense[0].values[row * 3 + i]} * double{kernel[i * 5 + unit]};
            }
            sum += 0.25 * std::abs(value) + 3 * value * value;
        }
    }
    const double alone = metricOf(**plain, rows, "loss");
    QVERIFY(isAbout(metricOf(**made, rows, "loss"), alone + sum / 9));
    QVERIFY(
        isAbout((*made)->computeGradients(rows, 0), (*plain)->computeGradients(rows, 0) + sum / 9));
}

void TstPenalties::areRefusedOnParameterServers()
{
    class Servers : public plan::ParameterExchange
    {
    public:
        Result<bool> pull(std::span<const plan::ExchangedVariable>) override { return true; }
        Result<bool> push(std::span<const plan::ExchangedVariable>) override { return true; }
    };
    Servers servers;
    VERIFY_OK(toyModel(network("activity_regularizer { l2: 1 }"), {.parameters = &servers}));
    for (const std::string rule :
         {"regularizer { l1_l2 { l2: 1 } }", "constraint { max_norm {} }"}) {
        VERIFY_ERROR(
            toyModel(network("weights { name: 'kernel' " + rule + " }"), {.parameters = &servers}),
            "plan.rules_on_servers");
    }
}

void TstPenalties::constraintsHoldAfterEachStep()
{
    const std::string rules =
        "weights { name: 'kernel' constraint { unit_norm {} } } "
        "weights { name: 'bias' constraint { min_max_norm { min_value: 0.5 max_value: 0.7 } } "
        "initializer { constant { value: 1 } } }";
    for (const std::string optimizer :
         {"sgd { learning_rate: 0.5 }", "adam { learning_rate: 0.5 } clipnorm: 0.1",
          "ftrl { learning_rate: 0.5 }"}) {
        const auto made = toyModel(network(rules, optimizer), {.threads = 2, .seed = 3});
        VERIFY_OK(made);
        for (int step = 0; step < 4; ++step) {
            (*made)->train(toyRows(8, static_cast<std::uint64_t>(step)), step);
            const std::span<const float> kernel = stateOf(**made, "wide/kernel");
            for (std::size_t unit = 0; unit < 5; ++unit) {
                double squares = 0.0;
                for (std::size_t i = 0; i < 3; ++i) {
                    squares += double{kernel[i * 5 + unit]} * double{kernel[i * 5 + unit]};
                }
                QVERIFY(isAbout(squares, 1.0));
            }
            const double bias = std::sqrt(squaresOf(stateOf(**made, "wide/bias")));
            QVERIFY(bias > 0.5 - 1e-6 && bias < 0.7 + 1e-6);
        }
    }
}

/// Also where an optimizer visits the rows of a batch alone, and of one column, whose weights would
/// otherwise have their slots beside them.
void TstPenalties::constraintsHoldWholeTables()
{
    auto lowered = withTable("adagrad { learning_rate: 0.1 }", 0);
    VERIFY_OK(lowered);
    for (graph::Variable& variable : lowered->graph.variables) {
        if (variable.name.ends_with("embedding_weights")) {
            variable.constraint.mutable_non_negative();
        }
    }
    const auto made = plan::Model::create(*std::move(lowered), {.seed = 3});
    VERIFY_OK(made);
    const std::string table = tableOf(**made);
    QVERIFY(std::ranges::any_of(stateOf(**made, table), [](float value) { return value < 0; }));
    (*made)->train(toyRows(4, 1), 0);
    QVERIFY(std::ranges::none_of(stateOf(**made, table), [](float value) { return value < 0; }));
    const auto zeros = std::ranges::count(stateOf(**made, table), 0.0F);
    QVERIFY(zeros > 30);
}

CANNERY_TEST(TstPenalties)
#include "tst_penalties.moc"
