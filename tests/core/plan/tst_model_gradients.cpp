// SPDX-License-Identifier: Apache-2.0
#include "core/plan/last_step.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace cannery;
using namespace cannery::tests;

/// Gradients of whole models against central differences of their loss.
class TstModelGradients : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreeWithDifferencesOfTheLoss_data();
    void agreeWithDifferencesOfTheLoss();
    void areAsManyAsTrainableVariables();
    void theirNormIsThatOfAllTogether_data() { agreeWithDifferencesOfTheLoss_data(); }
    void theirNormIsThatOfAllTogether();
};

void TstModelGradients::agreeWithDifferencesOfTheLoss_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t index = 0; index < toyEstimators().size(); ++index) {
        QTest::newRow(toyEstimators()[index].name) << static_cast<int>(index);
    }
}

void TstModelGradients::agreeWithDifferencesOfTheLoss()
{
    QFETCH(int, index);
    const auto made = toyModel(toyEstimators()[static_cast<std::size_t>(index)].text, {.seed = 3});
    VERIFY_OK(made);
    plan::Model& model = **made;
    const features::EncodedRows rows = toyRows(24, 11);
    // Away from zero weights, where nothing would be visible.
    for (int step = 0; step < 5; ++step) {
        model.train(rows, step);
    }
    float largest = 0;
    for (const plan::StateTensor& tensor : model.state()) {
        if (!tensor.trainable) {
            continue;
        }
        model.computeGradients(rows, 7);
        const std::vector<float> gradient = model.lastStep().gradient(tensor.name);
        const std::span<float> weights = floatsOf(tensor);
        QCOMPARE(gradient.size(), weights.size());
        const std::size_t stride = std::max<std::size_t>(1, weights.size() / 12);
        for (std::size_t element = 0; element < weights.size(); element += stride) {
            const double expected = lossSlope(model, rows, 7, weights[element]);
            const double got = static_cast<double>(gradient[element]);
            largest = std::max(largest, std::abs(gradient[element]));
            QVERIFY2(std::abs(got - expected) <= 2e-4 + 0.02 * std::abs(expected),
                     qPrintable(QString("%1[%2]: %3, differences give %4")
                                    .arg(QString::fromStdString(tensor.name))
                                    .arg(element)
                                    .arg(got)
                                    .arg(expected)));
        }
    }
    QVERIFY2(largest > 0.02F,
             qPrintable(QString::number(double(largest)))); // far above the tolerance
}

void TstModelGradients::areAsManyAsTrainableVariables()
{
    const auto made = toyModel(toyEstimators()[5].text);
    VERIFY_OK(made);
    (*made)->computeGradients(toyRows(8, 1), 0);
    for (const plan::StateTensor& tensor : (*made)->state()) {
        QCOMPARE((*made)->lastStep().gradient(tensor.name).empty(), !tensor.trainable);
    }
}

void TstModelGradients::theirNormIsThatOfAllTogether()
{
    QFETCH(int, index);
    const auto made = toyModel(toyEstimators()[static_cast<std::size_t>(index)].text, {.seed = 3});
    VERIFY_OK(made);
    plan::Model& model = **made;
    model.train(toyRows(24, 11), 0);
    QVERIFY(!model.lastStep().gradientNorm());
    model.lastStep().wantGradientNorm(true);
    // The same step without updating weights, so that the gradients can still be added.
    const auto other = toyModel(toyEstimators()[static_cast<std::size_t>(index)].text, {.seed = 3});
    (*other)->train(toyRows(24, 11), 0);
    (*other)->computeGradients(toyRows(24, 12), 1);
    double sum = 0;
    for (const plan::StateTensor& tensor : (*other)->state()) {
        for (const float value : (*other)->lastStep().gradient(tensor.name)) {
            sum += static_cast<double>(value) * static_cast<double>(value);
        }
    }
    model.train(toyRows(24, 12), 1);
    QVERIFY(sum > 1e-4);
    QVERIFY(model.lastStep().gradientNorm().has_value());
    QVERIFY(std::abs(*model.lastStep().gradientNorm() - std::sqrt(sum)) <= 1e-6 * std::sqrt(sum));
}

CANNERY_TEST(TstModelGradients)
#include "tst_model_gradients.moc"
