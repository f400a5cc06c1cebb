// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/loss_case.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstLoss : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void gradientsAreFiniteDifferences_data();
    void gradientsAreFiniteDifferences();
    void knownValues();
    void extremeLogitsStayFinite();
    void wrongClassGivesNaN();
};

namespace {

enum class Weights
{
    None,
    PerRow,
    PerElement,
};

/// With weights.
struct Case : LossCase
{
    Case(Loss which, std::int64_t rows, std::int64_t cols)
        : LossCase(which, rows, cols), weights(rows, lossCols)
    {
        weights.fillRandom(3);
    }

    void run(const LossKernels& kernels, ThreadPool& pool, Weights kind, bool wantsGrad = true)
    {
        LossArguments arguments{.logits = logits.view(),
                                .labels = labels.view(),
                                .gradientScale = 0.125F,
                                .losses = losses.view()};
        if (kind != Weights::None) {
            arguments.weights = kind == Weights::PerRow
                                    ? ConstMatrixView(weights.view()).columns(0, 1)
                                    : ConstMatrixView(weights.view());
        }
        if (wantsGrad) {
            arguments.logitsGrad = grad.view();
        }
        kernels.run(pool, loss, arguments);
    }

    Matrix weights;
};

} // namespace

void TstLoss::everyRowAgreesWithTheReference_data()
{
    addLosses();
}

void TstLoss::everyRowAgreesWithTheReference()
{
    QFETCH(int, index);
    const auto loss = static_cast<Loss>(index);
    ThreadPool one(1);
    for (const auto& [rows, cols] : {std::pair{0, 3}, {1, 1}, {7, 5}, {33, 1}, {3000, 17}}) {
        for (const Weights kind : {Weights::None, Weights::PerRow, Weights::PerElement}) {
            Case expected(loss, rows, cols);
            expected.run(reference::kLoss, one, kind);
            for (const int threads : {1, 2, 7}) {
                ThreadPool pool(threads);
                for (const auto& row : lossImplementations()) {
                    Case actual(loss, rows, cols);
                    actual.run(*row.kernels, pool, kind);
                    VERIFY_CLOSE(actual.losses.values, expected.losses.values, 3e-6, 1e-6);
                    VERIFY_CLOSE(actual.grad.values, expected.grad.values, 3e-6, 1e-6);
                    Case withoutGrad(loss, rows, cols);
                    withoutGrad.run(*row.kernels, pool, kind, false);
                    VERIFY_CLOSE(withoutGrad.losses.values, expected.losses.values, 3e-6, 1e-6);
                }
            }
        }
    }
}

void TstLoss::gradientsAreFiniteDifferences_data()
{
    addLosses();
}

void TstLoss::gradientsAreFiniteDifferences()
{
    QFETCH(int, index);
    ThreadPool pool(1);
    Case base(static_cast<Loss>(index), 4, 3);
    base.run(cpu::kLoss, pool, Weights::PerRow);
    const auto objective = [&](std::int64_t row, std::int64_t col, float change) {
        Case moved(static_cast<Loss>(index), 4, 3);
        moved.logits.at(row, col) += change;
        moved.run(reference::kLoss, pool, Weights::PerRow);
        double sum = 0;
        for (std::int64_t c = 0; c < moved.lossCols; ++c) {
            sum += moved.losses.at(row, c);
        }
        return sum * moved.weights.at(row, 0) * 0.125;
    };
    for (std::int64_t row = 0; row < 4; ++row) {
        for (std::int64_t col = 0; col < 3; ++col) {
            const double slope = (objective(row, col, 1e-2F) - objective(row, col, -1e-2F)) / 2e-2;
            QVERIFY(close(base.grad.at(row, col), static_cast<float>(slope), 1e-3, 1e-4));
        }
    }
}

void TstLoss::knownValues()
{
    ThreadPool pool(1);
    const auto lossOf = [&](Loss loss, float logit, float label) {
        Case one(loss, 1, 1);
        one.logits.at(0, 0) = logit;
        one.labels.at(0, 0) = label;
        one.run(cpu::kLoss, pool, Weights::None);
        return one.losses.at(0, 0);
    };
    QVERIFY(close(lossOf(Loss::SigmoidCrossEntropy, 0, 1), 0.693147181F, 1e-6, 0));
    QVERIFY(close(lossOf(Loss::SquaredError, 3, 1), 4, 1e-6, 0));
    QVERIFY(close(lossOf(Loss::Poisson, 0.5F, 2), 0.648721271F, 1e-5, 0));
    // 2 ln 2 - 2 + ln(4 pi) / 2 more.
    QVERIFY(close(lossOf(Loss::PoissonFull, 0.5F, 2), 1.30052776F, 1e-5, 0));
    QCOMPARE(lossOf(Loss::PoissonFull, 0.5F, 1), lossOf(Loss::Poisson, 0.5F, 1));
    QCOMPARE(lossOf(Loss::SoftmaxCrossEntropy, 5, 0), 0.0F);
}

void TstLoss::extremeLogitsStayFinite()
{
    ThreadPool pool(1);
    for (const Loss loss : {Loss::SigmoidCrossEntropy, Loss::SoftmaxCrossEntropy}) {
        for (const float logit : {1e4F, -1e4F, 3e38F}) {
            Case expected(loss, 2, 2);
            expected.logits.at(0, 0) = logit;
            Case actual = expected;
            expected.run(reference::kLoss, pool, Weights::None);
            actual.run(cpu::kLoss, pool, Weights::None);
            VERIFY_CLOSE(actual.losses.values, expected.losses.values, 3e-6, 1e-6);
            VERIFY_CLOSE(actual.grad.values, expected.grad.values, 3e-6, 1e-6);
            QVERIFY(std::isfinite(actual.losses.at(0, 0)));
        }
        for (const float logit :
             {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
            Case bad(loss, 2, 2);
            bad.logits.at(0, 0) = logit;
            bad.run(cpu::kLoss, pool, Weights::None);
            QVERIFY(!std::isfinite(bad.losses.at(0, 0)));
            QVERIFY(std::isfinite(bad.losses.at(1, 0)));
        }
    }
}

void TstLoss::wrongClassGivesNaN()
{
    ThreadPool pool(1);
    for (const auto& row : lossImplementations()) {
        for (const float label : {-1.0F, 5.0F, std::numeric_limits<float>::quiet_NaN()}) {
            Case wrong(Loss::SoftmaxCrossEntropy, 2, 5);
            wrong.labels.at(0, 0) = label;
            wrong.run(*row.kernels, pool, Weights::None);
            QVERIFY(std::isnan(wrong.losses.at(0, 0)) && std::isnan(wrong.grad.at(0, 4)));
            QVERIFY(std::isfinite(wrong.losses.at(1, 0)));
        }
    }
}

CANNERY_TEST(TstLoss)
#include "tst_loss.moc"
