// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/accelerator/device_case.h"
#include "tests/kernels/loss_case.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

/// Losses and their sums on a device against the reference kernels.
class TstLossOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void lossesAgreeWithTheReference_data();
    void lossesAgreeWithTheReference();
    void extremeLogitsAreLikeThoseOfTheKernels_data() { lossesAgreeWithTheReference_data(); }
    void extremeLogitsAreLikeThoseOfTheKernels();
    void aLabelThatIsNoClassGivesNan();
    void gradientsAreOptional();
    void sumsOfLossesAreWeighted();
    void sumsOfManyLossesAreExact();
    void sumsAreAddedToOthers();

private:
    ThreadPool m_pool;
};

void TstLossOperations::lossesAgreeWithTheReference_data()
{
    addLosses();
}

void TstLossOperations::lossesAgreeWithTheReference()
{
    QFETCH(int, index);
    for (const std::int64_t rows : {0, 1, 7, 300}) {
        for (const std::int64_t cols : {1, 3, 32, 33, 1000}) {
            LossCase test(static_cast<Loss>(index), rows, cols);
            // No weights, one of each row, one of each loss.
            for (const std::int64_t weightCols :
                 {std::int64_t{0}, std::int64_t{1}, test.lossCols}) {
                const Matrix weights = Matrix(rows, weightCols, 1).fillRandom(3);
                DeviceCase device;
                const MatrixView losses = device.put(test.losses);
                const MatrixView grad = device.put(test.grad);
                const MatrixView placedWeights =
                    weightCols == 0 ? MatrixView() : device.put(weights);
                RUN_ON(device, {LossOf{test.loss, device.put(test.logits), device.put(test.labels),
                                       placedWeights, 0.25F, losses, grad}});
                reference::kLoss.run(m_pool, test.loss,
                                     {test.logits.view(), test.labels.view(),
                                      weightCols == 0 ? ConstMatrixView() : weights.view(), 0.25F,
                                      test.losses.view(), test.grad.view()});
                VERIFY_CLOSE(device.take(losses), test.losses.values, 1e-5, 2e-6);
                VERIFY_CLOSE(device.take(grad), test.grad.values, 1e-5, 1e-6);
            }
        }
    }
}

void TstLossOperations::extremeLogitsAreLikeThoseOfTheKernels()
{
    QFETCH(int, index);
    const float infinity = std::numeric_limits<float>::infinity();
    for (const std::int64_t cols : {5, 40}) {
        LossCase test(static_cast<Loss>(index), 6, cols);
        const float values[] = {100.0F,    -100.0F, infinity,
                                -infinity, 3.0e38F, std::numeric_limits<float>::quiet_NaN()};
        for (std::int64_t r = 0; r < 6; ++r) {
            test.logits.at(r, r % 5) = values[r];
        }
        DeviceCase device;
        const MatrixView losses = device.put(test.losses);
        const MatrixView grad = device.put(test.grad);
        RUN_ON(device, {LossOf{test.loss, device.put(test.logits), device.put(test.labels),
                               ConstMatrixView(), 1.0F, losses, grad}});
        lossKernels({test.loss, 6, cols})
            .run(m_pool, test.loss,
                 {test.logits.view(), test.labels.view(), ConstMatrixView(), 1.0F,
                  test.losses.view(), test.grad.view()});
        VERIFY_CLOSE(device.take(losses), test.losses.values);
        VERIFY_CLOSE(device.take(grad), test.grad.values);
    }
}

void TstLossOperations::aLabelThatIsNoClassGivesNan()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::int64_t cols : {3, 50}) {
        LossCase test(Loss::SoftmaxCrossEntropy, 4, cols);
        test.labels.values = {-1.0F, static_cast<float>(cols), nan, 2.0F};
        DeviceCase device;
        const MatrixView losses = device.put(test.losses);
        const MatrixView grad = device.put(test.grad);
        RUN_ON(device, {LossOf{test.loss, device.put(test.logits), device.put(test.labels),
                               ConstMatrixView(), 1.0F, losses, grad}});
        const std::vector<float> found = device.take(losses);
        const std::vector<float> slopes = device.take(grad);
        for (std::size_t r = 0; r < 4; ++r) {
            QCOMPARE(std::isnan(found[2 * r]), r < 3);
            QCOMPARE(std::isnan(slopes[static_cast<std::size_t>(grad.stride) * r + 1]), r < 3);
        }
    }
}

void TstLossOperations::gradientsAreOptional()
{
    for (const std::int64_t cols : {3, 50}) {
        for (const Loss loss : {Loss::SoftmaxCrossEntropy, Loss::SquaredError}) {
            LossCase test(loss, 4, cols);
            DeviceCase device;
            const MatrixView losses = device.put(test.losses);
            RUN_ON(device, {LossOf{loss, device.put(test.logits), device.put(test.labels),
                                   ConstMatrixView(), 1.0F, losses, MatrixView()}});
            reference::kLoss.run(m_pool, loss,
                                 {test.logits.view(), test.labels.view(), ConstMatrixView(), 1.0F,
                                  test.losses.view(), MatrixView()});
            VERIFY_CLOSE(device.take(losses), test.losses.values, 1e-5, 2e-6);
        }
    }
}

void TstLossOperations::sumsOfLossesAreWeighted()
{
    const Matrix losses = Matrix(3, 2, 1).fillRandom(1);
    const Matrix rowWeights = Matrix(3, 1, 1).fillRandom(2);
    const Matrix weights = Matrix(3, 2, 2).fillRandom(3);
    DeviceCase device;
    double* const sums = device.room<double>(3);
    const MatrixView placed = device.put(losses);
    RUN_ON(device, {SumLosses{placed, ConstMatrixView(), 0.5, sums, false},
                    SumLosses{placed, device.put(rowWeights), 1.0, sums + 1, false},
                    SumLosses{placed, device.put(weights), 2.0, sums + 2, false}});
    std::vector<double> wanted(3);
    for (std::int64_t r = 0; r < 3; ++r) {
        for (std::int64_t c = 0; c < 2; ++c) {
            const double loss = losses.view().at(r)[c];
            wanted[0] += 0.5 * loss;
            wanted[1] += loss * rowWeights.view().at(r)[0];
            wanted[2] += 2 * loss * weights.view().at(r)[c];
        }
    }
    const std::vector<double> found = device.take(sums, 3);
    for (std::size_t i = 0; i < 3; ++i) {
        QVERIFY(std::abs(found[i] - wanted[i]) < 1e-14);
    }
}

void TstLossOperations::sumsOfManyLossesAreExact()
{
    // More than one block has, and more blocks than have partial sums by 4096.
    for (const std::int64_t rows : {0, 1, 4096, 4097, 5'000'000}) {
        Matrix losses(rows, 1);
        std::ranges::fill(losses.values, 0.125F);
        DeviceCase device;
        double* const sum = device.put(std::vector<double>{99.0});
        RUN_ON(device, {SumLosses{device.put(losses), ConstMatrixView(), 1.0, sum, false}});
        QCOMPARE(device.take(sum, 1)[0], 0.125 * static_cast<double>(rows));
    }
}

void TstLossOperations::sumsAreAddedToOthers()
{
    DeviceCase device;
    double* const sum = device.put(std::vector<double>{3.0});
    const MatrixView losses = device.put(Matrix(0, 1));
    const MatrixView one{device.put(std::vector<float>{2.0F}), 1, 1, 1};
    RUN_ON(device, {SumLosses{losses, ConstMatrixView(), 1.0, sum, true},
                    SumLosses{one, ConstMatrixView(), 0.25, sum, true}});
    QCOMPARE(device.take(sum, 1)[0], 3.5);
}

CANNERY_TEST(TstLossOperations)
#include "tst_loss_operations.moc"
