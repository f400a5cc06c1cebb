// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_memory.h"
#include "core/plan/forward_pass.h"
#include "core/plan/inference.h"
#include "core/plan/last_step.h"
#include "core/plan/step_trace.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace cannery;
using namespace cannery::tests;

using Call = EmulatedCall::Kind;

/// How a model uses a GPU: its memory, its queues, and what is where.
class TstDeviceStep : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusesWhatOnlyCpusTrain_data();
    void refusesWhatOnlyCpusTrain();
    void refusesSeveralReplicas();
    void leavesPredictionsToTheCpu();
    void uploadsBesideThePassesAndWaitsOnce();
    void leavesTheStateThereUntilSomebodyAsks();
    void keepsTheProgramOfEachBatchSize();
    void makesRoomForMoreIds();
    void takesLargerBatchesThanPlanned();
    void countsIdsOfWeightOneWhereABatchHasNone();
    void seesCurrentValuesEverywhere();
    void judgesTheLastStep();
    void measuresTheGradientBeforeItIsClipped();
    void tellsWhereTheTimeGoes();
    void swapsMovingAverages();
    void saysWhichBatchWouldFit();
    void allocatesNothingThatDoesNotFit();
    void computesTheLargestBatch();
    void keepsALostDeviceLost();
    void freesEverything();
};

namespace {

std::vector<Call> kindsOf(const EmulatedDevice& device)
{
    std::vector<Call> kinds;
    for (const EmulatedCall& call : device.calls()) {
        kinds.push_back(call.kind);
    }
    return kinds;
}

} // namespace

void TstDeviceStep::refusesWhatOnlyCpusTrain_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<QString>("error");
    QTest::newRow("row by row") << "linear_classifier { feature_columns: ['x'] optimizer { "
                                   "linear_sdca { example_id_column: 'one' } } }"
                                << "plan.not_on_gpu";
    QTest::newRow("trees by layers") << "boosted_trees_classifier { feature_columns: ['x'] "
                                        "n_trees: 2 n_batches_per_layer: 1 }"
                                     << "plan.not_on_gpu";
}

void TstDeviceStep::refusesWhatOnlyCpusTrain()
{
    QFETCH(QString, estimator);
    QFETCH(QString, error);
    EmulatedDevice device;
    const auto model = toyModel(estimator.toStdString(), {.accelerator = &device});
    VERIFY_ERROR(model, error);
    QVERIFY(QString::fromStdString(model.error().message()).contains("CPU:0"));
}

void TstDeviceStep::refusesSeveralReplicas()
{
    EmulatedDevice device;
    VERIFY_ERROR(toyModel(kDense, {.sharding = {.total = 2, .count = 2, .batchRows = 8},
                                   .accelerator = &device}),
                 "plan.not_on_gpu");
}

void TstDeviceStep::leavesPredictionsToTheCpu()
{
    EmulatedDevice device;
    const auto model = toyModel(kDense, {.training = false, .accelerator = &device});
    VERIFY_OK(model);
    QCOMPARE(device.calls().size(), std::size_t{0});
}

void TstDeviceStep::uploadsBesideThePassesAndWaitsOnce()
{
    EmulatedDevice device;
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    trainSteps(**model, 0, 1);
    device.forgetCalls();
    trainSteps(**model, 1, 2);
    const std::vector<Call> expected{Call::Upload, Call::Mark,     Call::Wait,
                                     Call::Launch, Call::Download, Call::Synchronize};
    QStringList seen;
    for (const Call kind : kindsOf(device)) {
        seen << QString::number(static_cast<int>(kind));
    }
    QVERIFY2(kindsOf(device) == expected, qPrintable(seen.join(" ")));
    QCOMPARE(device.calls()[0].queue, kernels::Queue::Copy);
    QCOMPARE(device.calls()[1].queue, kernels::Queue::Copy);
    QCOMPARE(device.calls()[2].queue, kernels::Queue::Compute);
    QCOMPARE(device.calls()[4].queue, kernels::Queue::Compute);
}

void TstDeviceStep::leavesTheStateThereUntilSomebodyAsks()
{
    EmulatedDevice device;
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    trainSteps(**model, 0, 3);
    device.forgetCalls();
    (*model)->state();
    const std::ptrdiff_t downloads = countOf(device, Call::Download);
    QVERIFY(downloads > 0);
    (*model)->state();
    (*model)->inference().forward(toyRows(8, 1), layers::Mode::Evaluate);
    QCOMPARE(countOf(device, Call::Download), downloads);
    QCOMPARE(countOf(device, Call::Upload), 0);
    trainSteps(**model, 3, 4);
    const std::ptrdiff_t uploads = countOf(device, Call::Upload);
    QVERIFY(uploads > 1); // whoever had the state may have written it
    trainSteps(**model, 4, 5);
    QCOMPARE(countOf(device, Call::Upload), uploads + 1);
}

void TstDeviceStep::keepsTheProgramOfEachBatchSize()
{
    EmulatedDevice device;
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    for (int epoch = 0; epoch < 3; ++epoch) {
        trainSteps(**model, 0, 1, 32);
        trainSteps(**model, 0, 1, 5);
    }
    QCOMPARE(countOf(device, Call::Prepare), 2);
}

void TstDeviceStep::makesRoomForMoreIds()
{
    const std::string estimator = toyEstimator("linear_mean");
    EmulatedDevice device;
    const auto cpu = toyModel(estimator, {.seed = 5});
    const auto gpu = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    features::EncodedRows few = toyRows(8, 1);
    for (const std::size_t block : {0U, 1U}) {
        std::ranges::fill(few.ids[block].rowOffsets, 0);
        few.ids[block].ids.clear();
        few.ids[block].weights.clear();
    }
    features::EncodedRows many = toyRows(8, 2);
    for (const features::EncodedRows* rows : {&few, &many, &few, &many}) {
        (*cpu)->train(*rows, 0);
        (*gpu)->train(*rows, 0);
    }
    QCOMPARE(QString::fromStdString(stateDifference(**cpu, **gpu)), QString());
    QCOMPARE(countOf(device, Call::Prepare), 2);
}

void TstDeviceStep::countsIdsOfWeightOneWhereABatchHasNone()
{
    const std::string estimator = toyEstimator("linear_sum");
    EmulatedDevice device;
    const auto cpu = toyModel(estimator, {.seed = 5});
    const auto gpu = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    features::EncodedRows rows = toyRows(8, 2);
    (*cpu)->train(rows, 0);
    (*gpu)->train(rows, 0);
    rows.ids[0].weights.clear();
    (*cpu)->train(rows, 1);
    (*gpu)->train(rows, 1);
    QCOMPARE(QString::fromStdString(stateDifference(**cpu, **gpu)), QString());
}

void TstDeviceStep::takesLargerBatchesThanPlanned()
{
    EmulatedDevice device;
    const std::string estimator = toyEstimator("dnn_tanh");
    const auto small = toyModel(estimator, {.maxBatchSize = 4, .accelerator = &device});
    const auto large = toyModel(estimator, {.maxBatchSize = 64, .accelerator = &device});
    VERIFY_OK(small);
    VERIFY_OK(large);
    for (int step = 0; step < 3; ++step) {
        const features::EncodedRows rows =
            toyRows(16 * (step + 1), static_cast<std::uint64_t>(step));
        QCOMPARE((*small)->train(rows, step), (*large)->train(rows, step));
    }
    QVERIFY(allState(**small) == allState(**large));
}

void TstDeviceStep::seesCurrentValuesEverywhere()
{
    EmulatedDevice device;
    const std::string estimator = toyEstimator("dnn_tanh");
    const auto cpu = toyModel(estimator, {.seed = 5});
    const auto gpu = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    trainSteps(**cpu, 0, 4);
    trainSteps(**gpu, 0, 4);
    const auto expected = (*cpu)->lastStep().summaries();
    const auto summaries = (*gpu)->lastStep().summaries();
    QCOMPARE(summaries.size(), expected.size());
    for (std::size_t index = 0; index < expected.size(); ++index) {
        QCOMPARE(summaries[index].tag, expected[index].tag);
        QVERIFY(std::abs(summaries[index].scalar - expected[index].scalar) < 1e-4F);
        QCOMPARE(summaries[index].values.size(), expected[index].values.size());
        for (std::size_t i = 0; i < expected[index].values.size(); ++i) {
            QVERIFY(std::abs(summaries[index].values[i] - expected[index].values[i]) < 1e-4F);
        }
    }
    const features::EncodedRows rows = toyRows(16, 9);
    const auto metrics = (*cpu)->head().createMetrics();
    const auto onGpu = (*gpu)->head().createMetrics();
    const double loss = (*cpu)->inference().evaluate(rows, *metrics);
    QVERIFY(std::abs((*gpu)->inference().evaluate(rows, *onGpu) - loss) < 1e-5 * loss);
    trainSteps(**gpu, 4, 5);
    const auto pass = (*gpu)->inference().createForwardPass(16);
    VERIFY_OK(pass);
    std::vector<heads::Prediction> predictions;
    (*pass)->predict(rows, predictions);
    (*gpu)->inference().forward(rows, layers::Mode::Predict);
    QCOMPARE((*pass)->logits().row(3)[0], (*gpu)->inference().logits().row(3)[0]);
}

void TstDeviceStep::judgesTheLastStep()
{
    EmulatedDevice device;
    const auto cpu = toyModel(kDense, {.seed = 5});
    const auto gpu = toyModel(kDense, {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    const features::EncodedRows rows = toyRows(20, 1);
    const auto expected = (*cpu)->head().createMetrics();
    const auto judged = (*gpu)->head().createMetrics();
    for (plan::Model* model : {cpu->get(), gpu->get()}) {
        model->train(rows, 0);
        model->inference().addToMetrics(rows, model == cpu->get() ? *expected : *judged);
    }
    const auto values = expected->results();
    const auto onGpu = judged->results();
    for (std::size_t index = 0; index < values.size(); ++index) {
        QVERIFY2(std::abs(values[index].value - onGpu[index].value) < 1e-5,
                 values[index].name.c_str());
    }
    QCOMPARE((*gpu)->head().lossSummaries().front().value,
             onGpu.empty() ? 0.0 : (*gpu)->head().lossSummaries().front().value);
}

void TstDeviceStep::measuresTheGradientBeforeItIsClipped()
{
    EmulatedDevice device;
    const std::string estimator = toyEstimator("combined");
    const auto cpu = toyModel(estimator, {.seed = 5});
    const auto gpu = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    for (plan::Model* model : {cpu->get(), gpu->get()}) {
        const features::EncodedRows rows = toyRows(20, 1);
        model->lastStep().wantGradientNorm(true);
        VERIFY_OK(model->train({&rows, 1}, 0));
    }
    QVERIFY((*gpu)->lastStep().gradientNorm().has_value());
    const double expected = (*cpu)->lastStep().gradientNorm().value();
    QVERIFY(std::abs((*gpu)->lastStep().gradientNorm().value() - expected) < 1e-5 * expected);
    (*gpu)->lastStep().wantGradientNorm(false);
    trainSteps(**gpu, 1, 2);
    QVERIFY(!(*gpu)->lastStep().gradientNorm().has_value());
}

void TstDeviceStep::tellsWhereTheTimeGoes()
{
    EmulatedDevice device;
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    plan::StepTrace trace;
    (*model)->trace(&trace);
    trainSteps(**model, 0, 1);
    (*model)->trace(nullptr);
    QStringList seen;
    for (const plan::TraceEvent& event : trace.take()) {
        seen << QString::fromStdString(std::string(plan::nameOf(event.phase)) + " " +
                                       event.operation);
    }
    for (const char* expected :
         {"forward product", "loss loss", "backward product", "optimizer dense_update"}) {
        QVERIFY2(seen.contains(expected), qPrintable(seen.join(", ")));
    }
}

void TstDeviceStep::swapsMovingAverages()
{
    EmulatedDevice device;
    const std::string estimator = "dnn_classifier { feature_columns: ['x'] hidden_units: [8] "
                                  "optimizer { sgd {} moving_average_decay: 0.5 } }";
    const auto cpu = toyModel(estimator, {.seed = 5});
    const auto gpu = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    const features::EncodedRows rows = toyRows(16, 9);
    for (plan::Model* model : {cpu->get(), gpu->get()}) {
        trainSteps(*model, 0, 3);
        model->swapAverages();
        model->inference().forward(rows, layers::Mode::Evaluate);
    }
    QVERIFY(std::abs((*cpu)->inference().logits().row(0)[0] -
                     (*gpu)->inference().logits().row(0)[0]) < 1e-5F);
    for (plan::Model* model : {cpu->get(), gpu->get()}) {
        model->swapAverages();
        trainSteps(*model, 3, 5);
    }
    QCOMPARE(QString::fromStdString(stateDifference(**cpu, **gpu)), QString());
}

void TstDeviceStep::saysWhichBatchWouldFit()
{
    EmulatedDevice device({.memoryBytes = 100'000});
    const auto model = toyModel(kDense, {.maxBatchSize = 4096, .accelerator = &device});
    VERIFY_ERROR(model, "gpu.out_of_memory");
    QVERIFY2(model.error().arguments.front().starts_with("Training in batches of 4096 rows (in "),
             model.error().message().c_str());
}

void TstDeviceStep::allocatesNothingThatDoesNotFit()
{
    EmulatedDevice device({.memoryBytes = 100});
    VERIFY_ERROR(toyModel(kDense, {.accelerator = &device}), "gpu.out_of_memory");
    QCOMPARE(countOf(device, Call::Allocate), 0);
}

void TstDeviceStep::computesTheLargestBatch()
{
    const plan::DeviceNeeds needs{.fixed = 1000, .ofBatch = 640, .rows = 64};
    QCOMPARE(needs.total(), 1640);
    QCOMPARE(plan::largestBatch(needs, 1640), 64);
    QCOMPARE(plan::largestBatch(needs, 1639), 63);
    QCOMPARE(plan::largestBatch(needs, 1010), 1);
    QCOMPARE(plan::largestBatch(needs, 1009), 0);
    QCOMPARE(plan::largestBatch(needs, 10), 0);
    VERIFY_OK(plan::checkDeviceMemory(needs, 1640, 2000));
    const auto tooMuch = plan::checkDeviceMemory(needs, 1500, 2000);
    VERIFY_ERROR(tooMuch, "gpu.out_of_memory");
    QCOMPARE(QString::fromStdString(tooMuch.error().sentence),
             "Training in batches of 64 rows (in batches of 50 it would) does not fit into the "
             "GPU's memory: 140 bytes more are needed, and 1.5 kB of 2.0 kB are free.");
}

void TstDeviceStep::keepsALostDeviceLost()
{
    EmulatedDevice device({.loseAtLaunch = 3});
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    trainSteps(**model, 0, 2);
    const std::vector<NamedFloats> before = floatState(**model);
    const features::EncodedRows rows = toyRows(32, 2);
    VERIFY_ERROR((*model)->train({&rows, 1}, 2), "gpu.lost");
    VERIFY_ERROR((*model)->train({&rows, 1}, 2), "gpu.lost");
    const std::vector<NamedFloats> after = floatState(**model);
    for (std::size_t tensor = 0; tensor < before.size(); ++tensor) {
        QVERIFY(after[tensor].values == before[tensor].values);
    }
}

void TstDeviceStep::freesEverything()
{
    EmulatedDevice device;
    const std::int64_t before = device.use().usedBytes;
    {
        const auto model = toyModel(toyEstimator("combined"), {.accelerator = &device});
        VERIFY_OK(model);
        trainSteps(**model, 0, 2);
        QVERIFY(device.use().usedBytes > before);
    }
    QCOMPARE(device.use().usedBytes, before);
}

CANNERY_TEST(TstDeviceStep)
#include "tst_device_step.moc"
