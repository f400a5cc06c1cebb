// SPDX-License-Identifier: Apache-2.0
#include "core/heads/clustering_head.h"
#include "tests/core/heads/head_case.h"
#include "tests/kernels/accelerator/placed_steps.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;
using heads::Head;

class TstPlacedHeads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void losesWhatTheProcessorLoses_data() { addHeadRows(); }
    void losesWhatTheProcessorLoses();
    void aMultiHeadWeighsItsHeads();
    void labelsOfAScaledRegressionAreScaled();
    void aHeadWithoutLossIsRefused();
};

namespace {

Matrix matrixOf(const Numbers& numbers)
{
    Matrix matrix(numbers.view().rows, numbers.width);
    matrix.values = numbers.values;
    return matrix;
}

/// The same loss, summaries and gradient on the device as on the processor.
void compareBoth(Head& head, const HeadCase& data)
{
    kernels::ThreadPool pool;
    Matrix grad(data.logits.view().rows, data.logits.width);
    const double loss = head.loss(pool, data.batch(), grad.view());
    const std::vector<metrics::MetricValue> summaries = head.lossSummaries();

    DeviceCase device;
    heads::PlacedHeadBatch batch{.logits = device.put(matrixOf(data.logits)),
                                 .labels = device.put(matrixOf(data.labels)),
                                 .weights = {},
                                 .logitsGrad = device.put(Matrix(grad.rows, grad.cols)),
                                 .loss = device.room<double>(head.lossCount())};
    if (!data.weights.values.empty()) {
        batch.weights = device.put(matrixOf(data.weights));
    }
    RUN_STEPS(device, [&](kernels::AcceleratorProgram& program) {
        VERIFY_OK(head.placeLoss(program, batch));
    });
    VERIFY_CLOSE(device.take(batch.logitsGrad), grad.values);
    const std::vector<double> losses = device.take(batch.loss, head.lossCount());
    VERIFY_NEAR(losses[0], loss, 1e-6, 0);
    // Summaries are of the losses that were taken last.
    head.takeLosses(std::vector<double>(losses.size(), -1.0));
    head.takeLosses(losses);
    const std::vector<metrics::MetricValue> taken = head.lossSummaries();
    QCOMPARE(taken.size(), summaries.size());
    for (std::size_t i = 0; i < taken.size(); ++i) {
        QCOMPARE(taken[i].name, summaries[i].name);
        VERIFY_NEAR(taken[i].value, summaries[i].value, 1e-6, 0);
    }
}

} // namespace

void TstPlacedHeads::losesWhatTheProcessorLoses()
{
    QFETCH(QJsonObject, row);
    const HeadCase data = headCaseOf(row);
    for (const auto reduction :
         {spec::LossReduction::SUM, spec::LossReduction::SUM_OVER_BATCH_SIZE}) {
        const auto head = heads::makeHead(headMessage(row["head"].toObject(), reduction));
        VERIFY_OK(head);
        compareBoth(**head, data);
    }
}

void TstPlacedHeads::aMultiHeadWeighsItsHeads()
{
    const QJsonArray parts{
        QJsonObject{{"class", "RegressionHead"}, {"name", "a"}, {"label_dimension", 2}},
        QJsonObject{{"class", "BinaryClassHead"}, {"name", "b"}, {"weight_column", "w"}}};
    const QJsonObject description{
        {"class", "MultiHead"}, {"heads", parts}, {"head_weights", QJsonArray{2.0, 0.5}}};
    const auto head = heads::makeHead(headMessage(description, spec::LossReduction::SUM));
    VERIFY_OK(head);
    compareBoth(**head, {.logits = {{1, 2, 0, 3, 5, 0}, 3},
                         .labels = {{1, 0, 1, 4, 5, 0}, 3},
                         .weights = {{1, 3}, 1}});
}

void TstPlacedHeads::labelsOfAScaledRegressionAreScaled()
{
    spec::Head message;
    spec::AffineLink& link = *message.mutable_regression_head()->mutable_inverse_link_fn();
    link.set_scale(1e6);
    link.set_offset(5e6);
    const auto head = heads::makeHead(message);
    VERIFY_OK(head);
    compareBoth(**head,
                {.logits = {{0, 1, -1}, 1}, .labels = {{5e6F, 8e6F, 4e6F}, 1}, .weights = {}});
}

void TstPlacedHeads::aHeadWithoutLossIsRefused()
{
    kernels::AcceleratorProgram program;
    VERIFY_ERROR(heads::makeClusteringHead(2)->placeLoss(program, {}), "head.not_placed");
}

CANNERY_TEST(TstPlacedHeads)
#include "tst_placed_heads.moc"
