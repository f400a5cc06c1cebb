// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/features/encoded_dataset.h"
#include "core/plan/device/device_evaluation.h"
#include "core/plan/inference.h"
#include "core/plan/lane.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <numeric>

using namespace cannery;
using namespace cannery::tests;

using Call = EmulatedCall::Kind;

/// Evaluations on a GPU, beside a training there or alone.
class TstDeviceEvaluation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesTheLogitsOfTheCpu_data();
    void givesTheLogitsOfTheCpu();
    void givesTheMetricsOfTheCpuWithEveryHead_data();
    void givesTheMetricsOfTheCpuWithEveryHead();
    void evaluatesEveryStep_data();
    void evaluatesEveryStep();
    void usesTheAveragesThatAreInUse();
    void leavesTheTrainingAsItIs_data();
    void leavesTheTrainingAsItIs();
    void evaluatesAModelThatIsNotTrained();
    void evaluatesWhatOnlyCpusTrain();
    void evaluatesBesideATrainingElsewhere();
    void bringsTheLogitsOfAllBatchesDownAtOnce();
    void bringsUpBatchesBesideThePasses();
    void followsATrainingThatIsLaidOutAnew();
    void refusesWhatDoesNotFitBesideTheTraining();
    void refusesWhatOnlyCpusEvaluate();
};

namespace {

constexpr std::int64_t kEvaluatedRows = 70;
constexpr std::int64_t kEvaluatedAtOnce = 16;
constexpr int kStepsBefore = 3;
/// The only allocation of a table, after those of the model's state and the evaluation's values.
constexpr std::int64_t kOfEvaluatedTable = 3;
/// One more of a training that begins before the evaluation.
constexpr std::int64_t kOfEvaluation = 1;

features::EncodedDataset tableOf(features::InputLayout layout, const features::EncodedRows& rows,
                                 std::int64_t labelWidth)
{
    layout.labelWidth = labelWidth;
    features::EncodedDataset table(layout, {});
    CANNERY_CHECK(table.append(rows).has_value());
    return table;
}

features::EncodedDataset evaluatedTable(std::int64_t labelWidth = 1)
{
    return tableOf(toyLayout(), toyRows(kEvaluatedRows, 3, labelWidth), labelWidth);
}

/// One that has places for rows.
features::EncodedDataset placedTable(std::int64_t labelWidth)
{
    return tableOf(singleIdLayout(), singleIdRows(kEvaluatedRows, 3, labelWidth), labelWidth);
}

/// Of the whole table, the last one shorter; not in the order of the rows.
std::vector<std::vector<std::int64_t>> evaluatedBatches()
{
    std::vector<std::vector<std::int64_t>> all;
    for (std::int64_t first = 0; first < kEvaluatedRows; first += kEvaluatedAtOnce) {
        std::vector<std::int64_t>& rows = all.emplace_back();
        for (std::int64_t row = first; row < std::min(first + kEvaluatedAtOnce, kEvaluatedRows);
             ++row) {
            rows.push_back(kEvaluatedRows - 1 - row);
        }
    }
    return all;
}

Result<void> pass(plan::DeviceEvaluation& evaluation)
{
    CANNERY_TRY(evaluation.begin());
    for (const std::vector<std::int64_t>& rows : evaluatedBatches()) {
        CANNERY_TRY(evaluation.queue(rows));
    }
    return evaluation.finish();
}

/// The logits of all batches, back to back.
Result<std::vector<float>> logitsOf(plan::DeviceEvaluation& evaluation)
{
    CANNERY_TRY(pass(evaluation));
    std::vector<float> logits;
    for (std::int64_t batch = 0; batch < evaluation.finished(); ++batch) {
        const std::span<const float> values = evaluation.batch(batch).logits.flat();
        logits.insert(logits.end(), values.begin(), values.end());
    }
    return logits;
}

std::vector<float> logitsOnCpu(plan::Model& model, const features::EncodedDataset& table)
{
    std::vector<float> logits;
    features::EncodedRows batch;
    for (const std::vector<std::int64_t>& rows : evaluatedBatches()) {
        CANNERY_CHECK(table.gather(rows, batch).has_value());
        model.inference().forward(batch, layers::Mode::Evaluate);
        const std::span<const float> values = model.inference().logits().flat();
        logits.insert(logits.end(), values.begin(), values.end());
    }
    return logits;
}

/// Empty: they agree to rounding.
std::string logitDifference(std::span<const float> one, std::span<const float> other)
{
    if (one.size() != other.size()) {
        return "sizes";
    }
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (!(std::abs(one[i] - other[i]) <= 1e-5F * std::max(1.0F, std::abs(other[i])))) {
            return fmt::format("[{}]: {}, {} expected", i, one[i], other[i]);
        }
    }
    return {};
}

/// Metrics of batches that have been evaluated against those of the CPU; empty: they agree.
std::string metricDifference(plan::Model& model, const plan::DeviceEvaluation& evaluation,
                             const features::EncodedDataset& table)
{
    const auto onCpu = model.head().createEvaluationMetrics();
    const auto onGpu = model.head().createEvaluationMetrics();
    features::EncodedRows rows;
    CANNERY_CHECK(std::cmp_equal(evaluation.finished(), evaluatedBatches().size()));
    for (std::int64_t index = 0; index < evaluation.finished(); ++index) {
        const plan::EvaluatedBatch batch = evaluation.batch(index);
        CANNERY_CHECK(table.gather(batch.rows, rows).has_value());
        if (batch.labelled.labels != rows.labels || batch.labelled.weights != rows.weights ||
            batch.labelled.labelOffsets != rows.labelOffsets) {
            return "labels or weights";
        }
        model.inference().evaluate(rows, *onCpu);
        heads::Head& head = model.head();
        head.evaluate(model.threadPool(), plan::headBatch(batch.labelled, head, batch.logits),
                      *onGpu);
    }
    const auto expected = onCpu->results();
    const auto found = onGpu->results();
    CANNERY_CHECK(found.size() == expected.size());
    for (std::size_t index = 0; index < expected.size(); ++index) {
        if (!(std::abs(found[index].value - expected[index].value) <=
              1e-5 * std::max(1.0, std::abs(expected[index].value)))) {
            return expected[index].name;
        }
    }
    return {};
}

} // namespace

void TstDeviceEvaluation::givesTheLogitsOfTheCpu_data()
{
    addToyRows();
}

/// With the table there or without: in the same bits.
void TstDeviceEvaluation::givesTheLogitsOfTheCpu()
{
    QFETCH(QString, name);
    const features::EncodedDataset table = evaluatedTable();
    std::vector<float> first;
    for (const std::int64_t failing : {std::int64_t{0}, kOfEvaluatedTable}) {
        EmulatedDevice device({.failAllocation = failing});
        const auto model =
            toyModel(toyEstimator(name.toStdString()), {.seed = 5, .accelerator = &device});
        VERIFY_OK(model);
        const auto evaluation = (*model)->inference().createDeviceEvaluation(
            {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
        VERIFY_OK(evaluation);
        QCOMPARE((*evaluation)->hasTable(), failing == 0);
        trainSteps(**model, 0, kStepsBefore);
        const auto logits = logitsOf(**evaluation);
        VERIFY_OK(logits);
        QCOMPARE(QString::fromStdString(logitDifference(*logits, logitsOnCpu(**model, table))),
                 QString());
        first = first.empty() ? *logits : first;
        QVERIFY(*logits == first);
    }
}

void TstDeviceEvaluation::givesTheMetricsOfTheCpuWithEveryHead_data()
{
    QTest::addColumn<QString>("head");
    QTest::addColumn<int>("labelWidth");
    QTest::addColumn<bool>("goesUp");
    const auto add = [](const char* head, int labelWidth) {
        QTest::newRow(head) << head << labelWidth << false;
        QTest::addRow("batches go up, %s", head) << head << labelWidth << true;
    };
    add("binary_class_head { thresholds: 0.3 }", 1);
    add("multi_class_head { n_classes: 3 }", 1);
    add("multi_label_head { n_classes: 3 }", 3);
    add("regression_head { label_dimension: 2 }", 2);
    add("poisson_regression_head {}", 1);
    add("logistic_regression_head {}", 1);
    add("multi_head { heads { binary_class_head { name: 'a' } } heads { regression_head { name: "
        "'b' } } head_weights: [1, 0.25] }",
        2);
}

void TstDeviceEvaluation::givesTheMetricsOfTheCpuWithEveryHead()
{
    QFETCH(QString, head);
    QFETCH(int, labelWidth);
    QFETCH(bool, goesUp);
    EmulatedDevice device({.failAllocation = goesUp ? kOfEvaluation + kOfEvaluatedTable : 0});
    const features::EncodedDataset table =
        goesUp ? placedTable(labelWidth) : evaluatedTable(labelWidth);
    const std::string estimator =
        "dnn_estimator { head { " + head.toStdString() +
        " } feature_columns: ['x'] hidden_units: [8] optimizer { adagrad {} } }";
    const auto model = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    trainSteps(**model, 0, kStepsBefore, 32, labelWidth);
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
    VERIFY_OK(evaluation);
    QCOMPARE((*evaluation)->hasTable(), !goesUp);
    VERIFY_OK(pass(**evaluation));
    QCOMPARE(QString::fromStdString(metricDifference(**model, **evaluation, table)), QString());
}

void TstDeviceEvaluation::evaluatesEveryStep_data()
{
    QTest::addColumn<bool>("goesUp");
    QTest::addColumn<bool>("areWeighted");
    QTest::newRow("from the table") << false << false;
    QTest::newRow("batches go up") << true << false;
    QTest::newRow("weights, from the table") << false << true;
    QTest::newRow("weights, batches go up") << true << true;
}

void TstDeviceEvaluation::evaluatesEveryStep()
{
    QFETCH(bool, goesUp);
    QFETCH(bool, areWeighted);
    EmulatedDevice device({.failAllocation = goesUp ? kOfEvaluation + kOfEvaluatedTable : 0});
    features::InputLayout layout = toyLayout();
    layout.labelledSteps = layout.slotOf("path");
    layout.weightWidth = areWeighted ? 1 : 0;
    const features::EncodedDataset table =
        tableOf(layout, stepRows(kEvaluatedRows, 3, 1, areWeighted), 1);
    const std::string estimator =
        std::string("rnn_classifier { sequence_feature_columns: ['path', 'word_table'] units: 5 ") +
        (areWeighted ? "weight_column { feature: 'w' } " : "") +
        "cell_type: gru return_sequences: true optimizer { adagrad {} } }";
    const auto model = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    for (int step = 0; step < kStepsBefore; ++step) {
        (*model)->train(stepRows(kEvaluatedAtOnce, 7, 1, areWeighted), step);
    }
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
    VERIFY_OK(evaluation);
    QCOMPARE((*evaluation)->hasTable(), !goesUp);
    for (int round = 0; round < 2; ++round) {
        const auto logits = logitsOf(**evaluation);
        VERIFY_OK(logits);
        QCOMPARE(QString::fromStdString(logitDifference(*logits, logitsOnCpu(**model, table))),
                 QString());
    }
    QCOMPARE(QString::fromStdString(metricDifference(**model, **evaluation, table)), QString());
}

void TstDeviceEvaluation::usesTheAveragesThatAreInUse()
{
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    const std::string estimator = "dnn_classifier { feature_columns: ['x'] hidden_units: [8] "
                                  "optimizer { sgd {} moving_average_decay: 0.5 } }";
    const auto undisturbed = toyModel(estimator, {.seed = 5, .accelerator = &device});
    const auto model = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(undisturbed);
    VERIFY_OK(model);
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
    VERIFY_OK(evaluation);
    trainSteps(**model, 0, kStepsBefore);
    const auto ofWeights = logitsOf(**evaluation);
    VERIFY_OK(ofWeights);
    (*model)->swapAverages();
    const auto ofAverages = logitsOf(**evaluation);
    VERIFY_OK(ofAverages);
    const std::vector<float> expected = logitsOnCpu(**model, table);
    (*model)->swapAverages();
    QCOMPARE(QString::fromStdString(logitDifference(*ofAverages, expected)), QString());
    QVERIFY(!logitDifference(*ofWeights, expected).empty());
    trainSteps(**model, kStepsBefore, 2 * kStepsBefore);
    trainSteps(**undisturbed, 0, 2 * kStepsBefore);
    QVERIFY(allState(**model) == allState(**undisturbed));
}

void TstDeviceEvaluation::leavesTheTrainingAsItIs_data()
{
    addToyRows();
}

void TstDeviceEvaluation::leavesTheTrainingAsItIs()
{
    QFETCH(QString, name);
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    const std::string estimator = toyEstimator(name.toStdString());
    const auto undisturbed = toyModel(estimator, {.seed = 5, .accelerator = &device});
    const auto model = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(undisturbed);
    VERIFY_OK(model);
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
    VERIFY_OK(evaluation);
    for (int step = 0; step < 2 * kStepsBefore; ++step) {
        QCOMPARE(trainSteps(**model, step, step + 1), trainSteps(**undisturbed, step, step + 1));
        VERIFY_OK(pass(**evaluation));
    }
    QVERIFY(allState(**model) == allState(**undisturbed));
}

void TstDeviceEvaluation::evaluatesAModelThatIsNotTrained()
{
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    const auto model = toyModel(toyEstimator("combined"), {.seed = 5, .training = false});
    VERIFY_OK(model);
    {
        const auto evaluation = (*model)->inference().createDeviceEvaluation(
            {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
        VERIFY_OK(evaluation);
        for (int round = 0; round < 2; ++round) { // a checkpoint is restored in between
            const auto logits = logitsOf(**evaluation);
            VERIFY_OK(logits);
            QCOMPARE(QString::fromStdString(logitDifference(*logits, logitsOnCpu(**model, table))),
                     QString());
            for (const plan::StateTensor& tensor : (*model)->state()) {
                std::ranges::fill(floatsOf(tensor), 0.25F);
            }
        }
    }
    QCOMPARE(device.use().usedBytes, 0);
}

void TstDeviceEvaluation::evaluatesWhatOnlyCpusTrain()
{
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    const auto model = toyModel("linear_classifier { feature_columns: ['x', 'one'] optimizer { "
                                "linear_sdca { example_id_column: 'word' } } }",
                                {.seed = 5});
    VERIFY_OK(model);
    for (const plan::StateTensor& tensor : (*model)->state()) {
        if (tensor.trainable) {
            std::ranges::fill(floatsOf(tensor), 0.25F);
        }
    }
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
    VERIFY_OK(evaluation);
    const auto logits = logitsOf(**evaluation);
    VERIFY_OK(logits);
    QVERIFY(logits->front() != 0.0F);
    QCOMPARE(QString::fromStdString(logitDifference(*logits, logitsOnCpu(**model, table))),
             QString());
}

void TstDeviceEvaluation::evaluatesBesideATrainingElsewhere()
{
    EmulatedDevice training;
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    const auto model = toyModel(kDense, {.seed = 5, .accelerator = &training});
    VERIFY_OK(model);
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
    VERIFY_OK(evaluation);
    trainSteps(**model, 0, kStepsBefore);
    const auto logits = logitsOf(**evaluation);
    VERIFY_OK(logits);
    QCOMPARE(QString::fromStdString(logitDifference(*logits, logitsOnCpu(**model, table))),
             QString());
}

void TstDeviceEvaluation::bringsTheLogitsOfAllBatchesDownAtOnce()
{
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
    VERIFY_OK(evaluation);
    VERIFY_OK(pass(**evaluation));
    device.forgetCalls();
    VERIFY_OK(pass(**evaluation));
    QCOMPARE(countOf(device, Call::Launch), 5);
    QCOMPARE(countOf(device, Call::Upload), 2); // the numbers of full batches, and of the last one
    QCOMPARE(countOf(device, Call::Download), 2);
    QCOMPARE(countOf(device, Call::Synchronize), 2);
    QCOMPARE(countOf(device, Call::Prepare), 0);
}

void TstDeviceEvaluation::bringsUpBatchesBesideThePasses()
{
    EmulatedDevice device({.failAllocation = kOfEvaluatedTable});
    const features::EncodedDataset table = evaluatedTable();
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
    VERIFY_OK(evaluation);
    VERIFY_OK(pass(**evaluation));
    device.forgetCalls();
    VERIFY_OK(pass(**evaluation));
    QCOMPARE(countOf(device, Call::Launch), 5);
    QCOMPARE(countOf(device, Call::Upload), 5);
    QCOMPARE(countOf(device, Call::Synchronize), 2);
    for (const EmulatedCall& call : device.calls()) {
        QVERIFY(call.kind != Call::Upload || call.queue == kernels::Queue::Copy);
    }
}

void TstDeviceEvaluation::followsATrainingThatIsLaidOutAnew()
{
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    const auto model = toyModel(kDense, {.maxBatchSize = 8, .seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce});
    VERIFY_OK(evaluation);
    for (const std::int64_t rows : {8, 40, 8, 80}) {
        trainSteps(**model, 0, 1, rows);
        const auto logits = logitsOf(**evaluation);
        VERIFY_OK(logits);
        QCOMPARE(QString::fromStdString(logitDifference(*logits, logitsOnCpu(**model, table))),
                 QString());
    }
}

void TstDeviceEvaluation::refusesWhatDoesNotFitBesideTheTraining()
{
    const features::EncodedDataset table = evaluatedTable();
    const auto fits = [](std::int64_t memory) {
        EmulatedDevice device({.memoryBytes = memory});
        return toyModel(kDense, {.accelerator = &device}).has_value();
    };
    std::int64_t least = 1024;
    while (!fits(least)) {
        least += 1024;
    }
    EmulatedDevice device({.memoryBytes = least});
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    const std::int64_t used = device.use().usedBytes;
    VERIFY_ERROR((*model)->inference().createDeviceEvaluation(
                     {.accelerator = device, .rows = table, .batchRows = kEvaluatedAtOnce}),
                 "gpu.out_of_memory");
    QCOMPARE(device.use().usedBytes, used);
    trainSteps(**model, 0, kStepsBefore);
}

void TstDeviceEvaluation::refusesWhatOnlyCpusEvaluate()
{
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    const auto model = toyModel("boosted_trees_classifier { feature_columns: ['x'] n_trees: 2 "
                                "n_batches_per_layer: 1 }");
    VERIFY_OK(model);
    VERIFY_ERROR(
        (*model)->inference().createDeviceEvaluation({.accelerator = device, .rows = table}),
        "plan.not_evaluated_on_gpu");
}

CANNERY_TEST(TstDeviceEvaluation)
#include "tst_device_evaluation.moc"
