// SPDX-License-Identifier: Apache-2.0
#include "core/losses/loss_catalog.h"
#include "tests/kernels/accelerator/placed_steps.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace cannery;
using namespace cannery::tests;
using losses::Loss;
using losses::LossCount;
using losses::LossKind;
using losses::Reduction;

class TstPlacedLosses : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void givesWhatTheProcessorGives_data();
    void givesWhatTheProcessorGives();
    void addsItsShareToATotal();
    void scalesLabels();
    void aLabelThatIsNoClassIsNotANumber();
};

namespace {

/// Weights of a batch: none, one per row, or one per loss.
enum class Weighting
{
    None,
    PerRow,
    PerLoss,
};

struct Batch
{
    Matrix logits;
    Matrix labels;
    Matrix weights;
};

/// Every third weight is 0.
Batch someBatch(const losses::LossRow& loss, std::int64_t rows, std::int64_t width,
                Weighting weighting)
{
    const std::int64_t lossWidth = loss.count == LossCount::PerLogit ? width : 1;
    const std::int64_t weightWidth = weighting == Weighting::None     ? 0
                                     : weighting == Weighting::PerRow ? 1
                                                                      : lossWidth;
    Batch batch{.logits = Matrix(rows, width, 2),
                .labels = Matrix(rows, loss.count == LossCount::PerRow ? 1 : width, 1),
                .weights = Matrix(rows, weightWidth)};
    batch.logits.fillRandom(1);
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t col = 0; col < batch.labels.cols; ++col) {
            const std::int64_t number = row * 7 + col * 3;
            batch.labels.at(row, col) = static_cast<float>(
                number % (loss.count == LossCount::PerRow ? width : std::int64_t{2}));
        }
        for (std::int64_t col = 0; col < weightWidth; ++col) {
            batch.weights.at(row, col) = 0.75F * static_cast<float>((row + col) % 3);
        }
    }
    return batch;
}

kernels::ConstMatrixView weightsOf(const Batch& batch)
{
    return batch.weights.cols == 0 ? kernels::ConstMatrixView() : batch.weights.view();
}

/// What a loss says of a batch.
struct Judgement
{
    double loss = 0.0;
    std::vector<float> grad;
};

Judgement onProcessor(Loss& loss, const Batch& batch, float factor)
{
    kernels::ThreadPool pool;
    Matrix grad(batch.logits.rows, batch.logits.cols);
    const double value = loss.run(pool, batch.logits.view(), batch.labels.view(), weightsOf(batch),
                                  grad.view(), factor);
    return {value, grad.values};
}

/// The batch as it lies on the device.
losses::PlacedBatch placedBatch(DeviceCase& device, const Batch& batch, float factor)
{
    losses::PlacedBatch placed{.logits = device.put(batch.logits),
                               .labels = device.put(batch.labels),
                               .weights = {},
                               .logitsGrad =
                                   device.put(Matrix(batch.logits.rows, batch.logits.cols)),
                               .factor = factor,
                               .loss = device.room<double>(1)};
    if (batch.weights.cols > 0) {
        placed.weights = device.put(batch.weights);
    }
    return placed;
}

auto placing(const Loss& loss, const losses::PlacedBatch& batch)
{
    return [&](kernels::AcceleratorProgram& program) { loss.place(program, batch); };
}

bool isNear(double actual, double expected)
{
    return std::abs(actual - expected) <= 1e-6 * std::abs(expected);
}

} // namespace

void TstPlacedLosses::givesWhatTheProcessorGives_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("width");
    struct Shape
    {
        qint64 rows;
        qint64 width;
    };
    for (const losses::LossRow& row : losses::lossCatalog()) {
        for (const Shape shape : {Shape{1, 1}, Shape{1, 3}, Shape{37, 3}, Shape{300, 40}}) {
            if (row.key == LossKind::SoftmaxCrossEntropy && shape.width == 1) {
                continue;
            }
            QTest::addRow("%s, %lld rows of %lld", std::string(row.name).c_str(), shape.rows,
                          shape.width)
                << int(row.key) << shape.rows << shape.width;
        }
    }
}

void TstPlacedLosses::givesWhatTheProcessorGives()
{
    QFETCH(int, kind);
    QFETCH(qint64, rows);
    QFETCH(qint64, width);
    const losses::LossRow& row = losses::lossCatalog()[static_cast<std::size_t>(kind)];
    QCOMPARE(int(row.key), kind);
    for (const Reduction reduction : {Reduction::Sum, Reduction::SumOverBatchSize}) {
        for (const Weighting weighting : {Weighting::None, Weighting::PerRow, Weighting::PerLoss}) {
            const Batch batch = someBatch(row, rows, width, weighting);
            Loss loss(row.key, width, reduction);
            const Judgement expected = onProcessor(loss, batch, 0.5F);
            DeviceCase device;
            const losses::PlacedBatch placed = placedBatch(device, batch, 0.5F);
            RUN_STEPS(device, placing(loss, placed));
            QVERIFY(isNear(device.take(placed.loss, 1)[0], expected.loss));
            VERIFY_CLOSE(device.take(placed.logitsGrad), expected.grad);
        }
    }
}

/// As the losses of a multi_head's heads are added up.
void TstPlacedLosses::addsItsShareToATotal()
{
    DeviceCase device;
    const losses::LossRow& row = *losses::lossCatalog().begin();
    const Batch batch = someBatch(row, 5, 2, Weighting::PerRow);
    Loss loss(row.key, 2, Reduction::SumOverBatchSize);
    losses::PlacedBatch placed = placedBatch(device, batch, 3.0F);
    placed.total = device.put(std::vector<double>{100.0});
    for (const bool adds : {false, true}) {
        placed.addsToTotal = adds;
        RUN_STEPS(device, placing(loss, placed));
    }
    const double value = onProcessor(loss, batch, 1.0F).loss;
    QVERIFY(isNear(device.take(placed.loss, 1)[0], value));
    QVERIFY(isNear(device.take(placed.total, 1)[0], 6.0 * value));
}

void TstPlacedLosses::scalesLabels()
{
    DeviceCase device;
    Batch batch{.logits = Matrix(3, 1), .labels = Matrix(3, 1), .weights = Matrix(3, 0)};
    batch.labels.values = {5e6F, 8e6F, 4e6F};
    losses::PlacedBatch placed = placedBatch(device, batch, 1.0F);
    placed.labelOffset = 5e6F;
    placed.labelScale = 1e6F;
    const Loss loss(LossKind::SquaredError, 1, Reduction::Sum);
    RUN_STEPS(device, placing(loss, placed));
    QCOMPARE(device.take(placed.loss, 1)[0], 10.0);
    QCOMPARE(device.take(placed.logitsGrad), (std::vector<float>{0, -6, 2}));
}

void TstPlacedLosses::aLabelThatIsNoClassIsNotANumber()
{
    DeviceCase device;
    Batch batch{.logits = Matrix(2, 3), .labels = Matrix(2, 1), .weights = Matrix(2, 0)};
    batch.labels.at(1, 0) = 3;
    const losses::PlacedBatch placed = placedBatch(device, batch, 1.0F);
    const Loss loss(LossKind::SoftmaxCrossEntropy, 3, Reduction::Sum);
    RUN_STEPS(device, placing(loss, placed));
    QVERIFY(std::isnan(device.take(placed.loss, 1)[0]));
    const std::vector<float> grad = device.take(placed.logitsGrad);
    QVERIFY(!std::isnan(grad[0]) && std::isnan(grad[3]));
}

CANNERY_TEST(TstPlacedLosses)
#include "tst_placed_losses.moc"
