// SPDX-License-Identifier: Apache-2.0
#include "core/losses/loss_catalog.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace cannery;
using losses::Loss;
using losses::LossKind;
using losses::Reduction;

class TstLosses : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void weightsDoNotEnterTheDenominator();
    void gradientIsTheSlopeOfTheReducedLoss_data();
    void gradientIsTheSlopeOfTheReducedLoss();
    void secondDerivativesAreTheSlopeOfTheGradient_data();
    void secondDerivativesAreTheSlopeOfTheGradient();
    void hessianIsTheSlopeOfEveryGradient_data();
    void hessianIsTheSlopeOfEveryGradient();
    void sameBitsForAnyNumberOfThreads();
    void nothingHasNoLoss();
};

namespace {

constexpr std::int64_t kRows = 5;
constexpr std::int64_t kWidth = 3;

kernels::ConstMatrixView view(const std::vector<float>& values, std::int64_t cols)
{
    return kernels::matrixView(std::span<const float>(values),
                               static_cast<std::int64_t>(values.size()) / cols, cols);
}

std::vector<float> someLogits(std::int64_t count)
{
    std::vector<float> logits;
    for (std::int64_t i = 0; i < count; ++i) {
        logits.push_back(std::sin(static_cast<float>(i) * 1.7F) * 2.0F);
    }
    return logits;
}

std::vector<float> someLabels(LossKind kind, std::int64_t rows)
{
    std::vector<float> labels;
    if (kind == LossKind::SoftmaxCrossEntropy) {
        for (std::int64_t i = 0; i < rows; ++i) {
            labels.push_back(static_cast<float>(i % kWidth));
        }
        return labels;
    }
    const bool isShare =
        kind == LossKind::SigmoidCrossEntropy || kind == LossKind::SigmoidCrossEntropyOverLabels;
    for (std::int64_t i = 0; i < rows * kWidth; ++i) {
        labels.push_back(isShare ? static_cast<float>(i % 2) : static_cast<float>(i % 4));
    }
    return labels;
}

} // namespace

void TstLosses::weightsDoNotEnterTheDenominator()
{
    kernels::ThreadPool pool;
    const std::vector<float> logits{2, 2};
    const std::vector<float> labels{0, 0};
    const std::vector<float> weights{1, 3};
    Loss sum(LossKind::SquaredError, 1, Reduction::Sum);
    QCOMPARE(sum.run(pool, view(logits, 1), view(labels, 1), view(weights, 1), {}), 16.0);
    Loss mean(LossKind::SquaredError, 1, Reduction::SumOverBatchSize);
    QCOMPARE(mean.run(pool, view(logits, 1), view(labels, 1), view(weights, 1), {}), 8.0);
    QCOMPARE(mean.losses().flat()[1], 4.0F);
}

void TstLosses::gradientIsTheSlopeOfTheReducedLoss_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("sum");
    QTest::addColumn<int>("weightCols");
    for (const losses::LossRow& row : losses::lossCatalog()) {
        const std::string name(row.name);
        QTest::newRow((name + " mean").c_str()) << int(row.key) << false << 0;
        QTest::newRow((name + " sum, weighted").c_str()) << int(row.key) << true << 1;
        if (row.count == losses::LossCount::PerLogit) {
            QTest::newRow((name + " mean, a weight each").c_str()) << int(row.key) << false << 3;
        }
    }
}

void TstLosses::gradientIsTheSlopeOfTheReducedLoss()
{
    QFETCH(int, kind);
    QFETCH(bool, sum);
    QFETCH(int, weightCols);
    kernels::ThreadPool pool;
    Loss loss(LossKind(kind), kWidth, sum ? Reduction::Sum : Reduction::SumOverBatchSize);
    std::vector<float> logits = someLogits(kRows * kWidth);
    const std::vector<float> labels = someLabels(LossKind(kind), kRows);
    const std::int64_t labelCols = static_cast<std::int64_t>(labels.size()) / kRows;
    std::vector<float> weights;
    for (std::int64_t i = 0; i < kRows * weightCols; ++i) {
        weights.push_back(0.25F * static_cast<float>(i % 5));
    }
    const auto weightView =
        weightCols == 0 ? kernels::ConstMatrixView() : view(weights, weightCols);
    std::vector<float> grad(logits.size());
    const float factor = 0.5F;
    loss.run(pool, view(logits, kWidth), view(labels, labelCols), weightView,
             kernels::matrixView(std::span<float>(grad), kRows, kWidth), factor);
    for (std::size_t i = 0; i < logits.size(); ++i) {
        constexpr float kStep = 1.0F / 256;
        const float logit = logits[i];
        const auto lossAt = [&](float value) {
            logits[i] = value;
            return loss.run(pool, view(logits, kWidth), view(labels, labelCols), weightView, {});
        };
        const double slope = (lossAt(logit + kStep) - lossAt(logit - kStep)) / (2.0 * kStep);
        logits[i] = logit;
        QVERIFY2(std::abs(factor * slope - grad[i]) < 2e-4,
                 qPrintable(QString("%1: %2, not %3").arg(i).arg(grad[i]).arg(factor * slope)));
    }
}

void TstLosses::secondDerivativesAreTheSlopeOfTheGradient_data()
{
    gradientIsTheSlopeOfTheReducedLoss_data();
}

void TstLosses::secondDerivativesAreTheSlopeOfTheGradient()
{
    QFETCH(int, kind);
    QFETCH(bool, sum);
    QFETCH(int, weightCols);
    kernels::ThreadPool pool;
    Loss loss(LossKind(kind), kWidth, sum ? Reduction::Sum : Reduction::SumOverBatchSize);
    std::vector<float> logits = someLogits(kRows * kWidth);
    const std::vector<float> labels = someLabels(LossKind(kind), kRows);
    const std::int64_t labelCols = static_cast<std::int64_t>(labels.size()) / kRows;
    std::vector<float> weights;
    for (std::int64_t i = 0; i < kRows * weightCols; ++i) {
        weights.push_back(0.25F * static_cast<float>(i % 5));
    }
    const auto weightView =
        weightCols == 0 ? kernels::ConstMatrixView() : view(weights, weightCols);
    std::vector<float> second(logits.size());
    loss.secondDerivatives(pool, view(logits, kWidth), weightView,
                           kernels::matrixView(std::span<float>(second), kRows, kWidth));
    for (std::size_t i = 0; i < logits.size(); ++i) {
        constexpr float kStep = 1.0F / 256;
        const float logit = logits[i];
        const auto gradientAt = [&](float value) {
            logits[i] = value;
            std::vector<float> grad(logits.size());
            loss.run(pool, view(logits, kWidth), view(labels, labelCols), weightView,
                     kernels::matrixView(std::span<float>(grad), kRows, kWidth));
            return static_cast<double>(grad[i]);
        };
        const double slope =
            (gradientAt(logit + kStep) - gradientAt(logit - kStep)) / (2.0 * kStep);
        logits[i] = logit;
        QVERIFY2(std::abs(slope - static_cast<double>(second[i])) < 5e-4,
                 qPrintable(QString("%1: %2, not %3").arg(i).arg(second[i]).arg(slope)));
    }
}

void TstLosses::hessianIsTheSlopeOfEveryGradient_data()
{
    gradientIsTheSlopeOfTheReducedLoss_data();
}

void TstLosses::hessianIsTheSlopeOfEveryGradient()
{
    QFETCH(int, kind);
    QFETCH(bool, sum);
    QFETCH(int, weightCols);
    kernels::ThreadPool pool;
    Loss loss(LossKind(kind), kWidth, sum ? Reduction::Sum : Reduction::SumOverBatchSize);
    std::vector<float> logits = someLogits(kRows * kWidth);
    const std::vector<float> labels = someLabels(LossKind(kind), kRows);
    const std::int64_t labelCols = static_cast<std::int64_t>(labels.size()) / kRows;
    std::vector<float> weights;
    for (std::int64_t i = 0; i < kRows * weightCols; ++i) {
        weights.push_back(0.25F * static_cast<float>(i % 5));
    }
    const auto weightView =
        weightCols == 0 ? kernels::ConstMatrixView() : view(weights, weightCols);
    std::vector<float> hessian(logits.size() * kWidth);
    loss.secondDerivatives(pool, view(logits, kWidth), weightView,
                           kernels::matrixView(std::span<float>(hessian), kRows, kWidth * kWidth));
    const auto gradient = [&] {
        std::vector<float> grad(logits.size());
        loss.run(pool, view(logits, kWidth), view(labels, labelCols), weightView,
                 kernels::matrixView(std::span<float>(grad), kRows, kWidth));
        return grad;
    };
    for (std::size_t i = 0; i < logits.size(); ++i) {
        constexpr float kStep = 1.0F / 256;
        const float logit = logits[i];
        logits[i] = logit + kStep;
        const std::vector<float> above = gradient();
        logits[i] = logit - kStep;
        const std::vector<float> below = gradient();
        logits[i] = logit;
        const std::size_t row = i / kWidth;
        for (std::size_t other = row * kWidth; other < (row + 1) * kWidth; ++other) {
            const float slope = (above[other] - below[other]) / (2.0F * kStep);
            QVERIFY(std::abs(slope - hessian[i * kWidth + other % kWidth]) < 5e-4F);
        }
    }
}

void TstLosses::sameBitsForAnyNumberOfThreads()
{
    constexpr std::int64_t kMany = 5000;
    const std::vector<float> logits = someLogits(kMany * kWidth);
    for (const losses::LossRow& row : losses::lossCatalog()) {
        const std::vector<float> labels = someLabels(row.key, kMany);
        std::vector<double> values;
        std::vector<std::vector<float>> grads;
        for (const int threads : {1, 2, 7}) {
            kernels::ThreadPool pool(threads);
            Loss loss(row.key, kWidth, Reduction::SumOverBatchSize);
            std::vector<float> grad(logits.size());
            values.push_back(
                loss.run(pool, view(logits, kWidth),
                         view(labels, static_cast<std::int64_t>(labels.size()) / kMany), {},
                         kernels::matrixView(std::span<float>(grad), kMany, kWidth)));
            grads.push_back(std::move(grad));
        }
        QCOMPARE(values[1], values[0]);
        QCOMPARE(values[2], values[0]);
        QVERIFY(grads[1] == grads[0] && grads[2] == grads[0]);
    }
}

void TstLosses::nothingHasNoLoss()
{
    kernels::ThreadPool pool;
    Loss loss(LossKind::SigmoidCrossEntropyOverLabels, 2, Reduction::SumOverBatchSize);
    const std::vector<float> none;
    QCOMPARE(loss.run(pool, view(none, 2), view(none, 2), {}, {}), 0.0);
}

CANNERY_TEST(TstLosses)
#include "tst_losses.moc"
