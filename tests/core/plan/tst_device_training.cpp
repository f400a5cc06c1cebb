// SPDX-License-Identifier: Apache-2.0
#include "core/plan/last_step.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/emulated_device/emulated_device.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace cannery;
using namespace cannery::tests;

/// What a model learns on a GPU, against the same model on the CPU.
class TstDeviceTraining : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void followsTheCpu_data();
    void followsTheCpu();
    void followsTheCpuByEveryOptimizer_data();
    void followsTheCpuByEveryOptimizer();
    void followsTheCpuWithEveryHead_data();
    void followsTheCpuWithEveryHead();
    void followsTheCpuWithClassWeights();
    void hasTheGradientsOfTheCpu_data() { addToyRows(); }
    void hasTheGradientsOfTheCpu();
    void givesTheSameBitsTwice_data() { addToyRows(); }
    void givesTheSameBitsTwice();
    void goesOnFromItsStateInTheSameBits_data() { addToyRows(); }
    void goesOnFromItsStateInTheSameBits();
    void movesBetweenCpuAndGpu_data() { addToyRows(); }
    void movesBetweenCpuAndGpu();
};

namespace {

constexpr int kTrainingSteps = 6;

/// The same steps on both; empty: they agree.
std::string difference(const std::string& estimator, plan::ModelOptions options,
                       std::int64_t labelWidth = 1)
{
    EmulatedDevice device;
    options.seed = 5;
    const auto cpu = toyModel(estimator, options);
    options.accelerator = &device;
    const auto gpu = toyModel(estimator, options);
    if (!cpu || !gpu) {
        return (cpu ? gpu : cpu).error().message();
    }
    const std::vector<double> expected = trainSteps(**cpu, 0, kTrainingSteps, 32, labelWidth);
    const std::vector<double> losses = trainSteps(**gpu, 0, kTrainingSteps, 32, labelWidth);
    for (std::size_t step = 0; step < losses.size(); ++step) {
        if (!(std::abs(losses[step] - expected[step]) <= 1e-5 * std::abs(expected[step]))) {
            return fmt::format("loss of step {}: {}, {} on the CPU", step, losses[step],
                               expected[step]);
        }
    }
    return stateDifference(**cpu, **gpu);
}

} // namespace

void TstDeviceTraining::followsTheCpu_data()
{
    addToyRows();
}

void TstDeviceTraining::followsTheCpu()
{
    QFETCH(QString, name);
    QCOMPARE(QString::fromStdString(difference(toyEstimator(name.toStdString()), {})), QString());
}

void TstDeviceTraining::followsTheCpuByEveryOptimizer_data()
{
    QTest::addColumn<QString>("optimizer");
    for (const char* text :
         {"sgd { learning_rate: 0.1 }", "sgd { learning_rate: 0.1 momentum: 0.9 nesterov: true }",
          "adagrad { learning_rate: 0.1 }", "adadelta { learning_rate: 0.5 }",
          "adam { learning_rate: 0.01 }", "adam { learning_rate: 0.01 amsgrad: true }",
          "adamax { learning_rate: 0.01 }", "nadam { learning_rate: 0.01 }",
          "adamw { learning_rate: 0.01 weight_decay: 0.01 }",
          "rmsprop { learning_rate: 0.01 momentum: 0.5 centered: true }",
          "ftrl { learning_rate: 0.1 l1_regularization_strength: 0.01 }",
          "proximal_adagrad { learning_rate: 0.1 l1_regularization_strength: 0.01 }",
          "proximal_gradient_descent { learning_rate: 0.1 l2_regularization_strength: 0.01 }",
          "adam {} learning_rate_schedule { exponential_decay { learning_rate: 0.1 decay_steps: 2 "
          "decay_rate: 0.5 } } decay: 0.1",
          "adagrad { learning_rate: 0.1 } clipvalue: 0.01",
          "adagrad { learning_rate: 0.1 } clipnorm: 0.05",
          "adagrad { learning_rate: 0.1 } global_clipnorm: 0.05",
          "adam { learning_rate: 0.01 } moving_average_decay: 0.9"}) {
        QTest::newRow(text) << text;
    }
}

void TstDeviceTraining::followsTheCpuByEveryOptimizer()
{
    QFETCH(QString, optimizer);
    QCOMPARE(QString::fromStdString(difference(tableNetwork(optimizer.toStdString()), {})),
             QString());
}

void TstDeviceTraining::followsTheCpuWithEveryHead_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<int>("labelWidth");
    const auto add = [](const char* name, const char* head, int labelWidth) {
        QTest::newRow(name)
            << QString("dnn_estimator { head { %1 } feature_columns: ['x'] hidden_units: [8] "
                       "optimizer { adagrad { learning_rate: 0.1 } } }")
                   .arg(head)
            << labelWidth;
    };
    add("binary class", "binary_class_head {}", 1);
    add("binary class, sum", "binary_class_head { loss_reduction: SUM }", 1);
    add("multi class", "multi_class_head { n_classes: 3 }", 1);
    add("multi label", "multi_label_head { n_classes: 3 }", 3);
    add("regression", "regression_head { label_dimension: 2 }", 2);
    add("poisson", "poisson_regression_head {}", 1);
    add("logistic", "logistic_regression_head {}", 1);
    add("multi",
        "multi_head { heads { binary_class_head { name: 'a' } } heads { "
        "regression_head { name: 'b' } } head_weights: [1, 0.25] }",
        2);
}

void TstDeviceTraining::followsTheCpuWithEveryHead()
{
    QFETCH(QString, estimator);
    QFETCH(int, labelWidth);
    QCOMPARE(QString::fromStdString(difference(estimator.toStdString(), {}, labelWidth)),
             QString());
}

void TstDeviceTraining::followsTheCpuWithClassWeights()
{
    plan::ModelOptions options;
    options.classWeights = {{.id = 0, .weight = 3.0F}, {.id = 1, .weight = 0.5F}};
    QCOMPARE(
        QString::fromStdString(difference(tableNetwork("sgd { learning_rate: 0.1 }"), options)),
        QString());
}

void TstDeviceTraining::hasTheGradientsOfTheCpu()
{
    QFETCH(QString, name);
    EmulatedDevice device;
    const std::string estimator = toyEstimator(name.toStdString());
    const auto cpu = toyModel(estimator, {.seed = 5});
    const auto gpu = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    const features::EncodedRows rows = toyRows(24, 1);
    (*cpu)->computeGradients(rows, 3);
    (*gpu)->computeGradients(rows, 3);
    for (const graph::Variable& variable : (*cpu)->graph().variables) {
        const std::vector<float> expected = (*cpu)->lastStep().gradient(variable.name);
        const std::vector<float> gradient = (*gpu)->lastStep().gradient(variable.name);
        QCOMPARE(gradient.size(), expected.size());
        float largest = 0;
        for (const float value : expected) {
            largest = std::max(largest, std::abs(value));
        }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QVERIFY2(std::abs(gradient[i] - expected[i]) <= 2e-6F + 1e-5F * largest,
                     variable.name.c_str());
        }
    }
    QCOMPARE(QString::fromStdString(stateDifference(**cpu, **gpu)), QString());
}

void TstDeviceTraining::givesTheSameBitsTwice()
{
    QFETCH(QString, name);
    std::vector<std::byte> first;
    for (int run = 0; run < 2; ++run) {
        EmulatedDevice device;
        const auto model =
            toyModel(toyEstimator(name.toStdString()), {.seed = 5, .accelerator = &device});
        VERIFY_OK(model);
        trainSteps(**model, 0, kTrainingSteps);
        if (run == 0) {
            first = allState(**model);
        }
        QVERIFY(allState(**model) == first);
    }
}

void TstDeviceTraining::goesOnFromItsStateInTheSameBits()
{
    QFETCH(QString, name);
    EmulatedDevice device;
    const std::string estimator = toyEstimator(name.toStdString());
    const auto whole = toyModel(estimator, {.seed = 5, .accelerator = &device});
    const auto resumed = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(whole);
    VERIFY_OK(resumed);
    trainSteps(**whole, 0, 4);
    const auto from = (*whole)->state();
    const auto to = (*resumed)->state();
    for (std::size_t tensor = 0; tensor < from.size(); ++tensor) {
        std::ranges::copy(from[tensor].bytes, to[tensor].bytes.begin());
    }
    QCOMPARE(trainSteps(**resumed, 4, 8), trainSteps(**whole, 4, 8));
    QVERIFY(allState(**resumed) == allState(**whole));
}

void TstDeviceTraining::movesBetweenCpuAndGpu()
{
    QFETCH(QString, name);
    EmulatedDevice device;
    const std::string estimator = toyEstimator(name.toStdString());
    const auto cpu = toyModel(estimator, {.seed = 5});
    const auto gpu = toyModel(estimator, {.seed = 5, .accelerator = &device});
    const auto whole = toyModel(estimator, {.seed = 5});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    VERIFY_OK(whole);
    const auto move = [](plan::Model& from, plan::Model& to) {
        const auto source = from.state();
        const auto target = to.state();
        for (std::size_t tensor = 0; tensor < source.size(); ++tensor) {
            std::ranges::copy(source[tensor].bytes, target[tensor].bytes.begin());
        }
    };
    trainSteps(**cpu, 0, 2);
    move(**cpu, **gpu);
    trainSteps(**gpu, 2, 4);
    move(**gpu, **cpu);
    trainSteps(**cpu, 4, 6);
    trainSteps(**whole, 0, 6);
    QCOMPARE(QString::fromStdString(stateDifference(**whole, **cpu)), QString());
}

CANNERY_TEST(TstDeviceTraining)
#include "tst_device_training.moc"
