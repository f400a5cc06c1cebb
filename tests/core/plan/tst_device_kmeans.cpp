// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/features/encoded_dataset.h"
#include "core/plan/device/device_evaluation.h"
#include "core/plan/device/device_training.h"
#include "core/plan/inference.h"
#include "core/plan/last_step.h"
#include "core/plan/step_trace.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <numeric>

using namespace cannery;
using namespace cannery::tests;

using Call = EmulatedCall::Kind;

/// K-means on a GPU, against the same model on the CPU.
class TstDeviceKmeans : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hasTheCentersOfTheCpu_data() { addKinds(); }
    void hasTheCentersOfTheCpu();
    void agreesWithTheCpuOnLargeBatches_data() { addKinds(); }
    void agreesWithTheCpuOnLargeBatches();
    void takesManyStepsAtOnceInTheSameBits_data() { addKinds(); }
    void takesManyStepsAtOnceInTheSameBits();
    void bringsUpBatchesWhereTheTableDoesNotFit();
    void goesOnFromItsStateInTheSameBits_data() { addKinds(); }
    void goesOnFromItsStateInTheSameBits();
    void movesBetweenCpuAndGpu_data() { addKinds(); }
    void movesBetweenCpuAndGpu();
    void evaluatesAsTheCpu_data() { addKinds(); }
    void evaluatesAsTheCpu();
    void endsAfterTheStepThatTheCpuEndsAfter();
    void saysWhatItsLastStepHasLost();
    void tellsWhereTheTimeGoes();
    void refusesAFirstBatchWithFewerRowsThanClusters();
    void refusesReplicas();

private:
    static void addKinds();
};

namespace {

constexpr int kSteps = 8;
constexpr std::int64_t kSmallBatch = 24; ///< no center has many rows of one
constexpr std::int64_t kPointRows = 200;

std::string kmeans(const QString& fields)
{
    return "kmeans { num_clusters: 4 " + fields.toStdString() + " }";
}

Result<double> trainOnce(plan::Model& model, const features::EncodedRows& rows, std::int64_t step)
{
    CANNERY_TRY_ASSIGN(const std::optional<double> loss,
                       model.train(std::span<const features::EncodedRows>(&rows, 1), step));
    return loss.value();
}

/// Steps [first, end) on batches of the toy; the losses.
std::vector<double> lossesOf(plan::Model& model, int first, int end,
                             std::int64_t rows = kSmallBatch)
{
    std::vector<double> losses;
    for (int step = first; step < end; ++step) {
        const Result<double> loss =
            trainOnce(model, toyRows(rows, static_cast<std::uint64_t>(step)), step);
        CANNERY_CHECK(loss.has_value());
        losses.push_back(*loss);
    }
    return losses;
}

/// Sums are over the same numbers in another order.
bool agree(const std::vector<double>& some, const std::vector<double>& others, double tolerance)
{
    return std::ranges::equal(some, others, [&](double a, double b) {
        return std::abs(a - b) <= tolerance * std::abs(b);
    });
}

features::EncodedDataset tableOf(std::int64_t rows)
{
    features::EncodedDataset table(toyLayout(), {});
    CANNERY_CHECK(table.append(toyRows(rows, 3)).has_value());
    return table;
}

/// Numbers of the rows of a step.
std::vector<std::int64_t> batchOf(int step)
{
    std::vector<std::int64_t> rows(kSmallBatch);
    std::iota(rows.begin(), rows.end(), std::int64_t{step} * 13);
    return rows;
}

/// Losses of queued steps.
Result<std::vector<double>> queued(plan::Model& model, int steps)
{
    for (int step = 0; step < steps; ++step) {
        CANNERY_TRY(model.device()->queue(batchOf(step), step));
    }
    CANNERY_TRY_ASSIGN(const std::span<const double> losses, model.device()->finish());
    return std::vector<double>(losses.begin(), losses.end());
}

/// The same one by one.
std::vector<double> oneByOne(plan::Model& model, const features::EncodedDataset& table, int steps)
{
    std::vector<double> losses;
    features::EncodedRows batch;
    for (int step = 0; step < steps; ++step) {
        CANNERY_CHECK(table.gather(batchOf(step), batch).has_value());
        losses.push_back(*trainOnce(model, batch, step));
    }
    return losses;
}

} // namespace

void TstDeviceKmeans::addKinds()
{
    QTest::addColumn<QString>("fields");
    for (const char* fields :
         {"feature_columns: ['x']", "feature_columns: ['x'] use_mini_batch: false",
          "feature_columns: ['x'] mini_batch_steps_per_iteration: 3",
          "feature_columns: ['x'] initial_clusters { kmeans_plus_plus {} }",
          "feature_columns: ['x', 'heavy_hot', 'one_hot'] use_mini_batch: false",
          "feature_columns: ['x', 'heavy_hot'] distance_metric: cosine",
          "feature_columns: ['x'] distance_metric: cosine use_mini_batch: false",
          "feature_columns: ['x'] distance_metric: cosine mini_batch_steps_per_iteration: 2"}) {
        QTest::newRow(fields) << fields;
    }
}

/// Up to the length of a window, rows are added up in the order of the batch, as on the CPU.
void TstDeviceKmeans::hasTheCentersOfTheCpu()
{
    QFETCH(QString, fields);
    EmulatedDevice device;
    const auto cpu = toyModel(kmeans(fields), {.seed = 5});
    const auto gpu = toyModel(kmeans(fields), {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    const std::vector<double> expected = lossesOf(**cpu, 0, kSteps);
    QVERIFY(expected.front() != expected.back());
    QVERIFY(agree(lossesOf(**gpu, 0, kSteps), expected, 1e-12));
    QVERIFY(allState(**gpu) == allState(**cpu));
}

void TstDeviceKmeans::agreesWithTheCpuOnLargeBatches()
{
    QFETCH(QString, fields);
    EmulatedDevice device;
    const auto cpu = toyModel(kmeans(fields), {.seed = 5});
    const auto gpu = toyModel(kmeans(fields), {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    QVERIFY(agree(lossesOf(**gpu, 0, kSteps, 1500), lossesOf(**cpu, 0, kSteps, 1500), 1e-5));
    QCOMPARE(QString::fromStdString(stateDifference(**cpu, **gpu)), QString());
}

void TstDeviceKmeans::takesManyStepsAtOnceInTheSameBits()
{
    QFETCH(QString, fields);
    EmulatedDevice plain;
    EmulatedDevice device;
    const features::EncodedDataset table = tableOf(kPointRows);
    const auto one = toyModel(kmeans(fields), {.seed = 5, .accelerator = &plain});
    const auto other = toyModel(kmeans(fields), {.seed = 5, .accelerator = &device});
    VERIFY_OK(one);
    VERIFY_OK(other);
    VERIFY_OK((*other)->device()->setTable(table, {}));
    QVERIFY((*other)->device()->tableBytes() > 0);
    QVERIFY((*other)->device()->mostQueued() > kSteps);
    device.forgetCalls();
    const auto losses = queued(**other, kSteps);
    VERIFY_OK(losses);
    QCOMPARE(countOf(device, Call::Launch), kSteps);
    QCOMPARE(countOf(device, Call::Synchronize), 1);
    QCOMPARE(*losses, oneByOne(**one, table, kSteps));
    QVERIFY(allState(**one) == allState(**other));
}

void TstDeviceKmeans::bringsUpBatchesWhereTheTableDoesNotFit()
{
    constexpr std::int64_t kOfTable = 2; // after the allocation of the state
    EmulatedDevice plain;
    EmulatedDevice device({.failAllocation = kOfTable});
    const features::EncodedDataset table = tableOf(kPointRows);
    const std::string estimator = kmeans("feature_columns: ['x', 'heavy_hot']");
    const auto one = toyModel(estimator, {.seed = 5, .accelerator = &plain});
    const auto other = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(one);
    VERIFY_OK(other);
    VERIFY_OK((*other)->device()->setTable(table, {}));
    QCOMPARE((*other)->device()->tableBytes(), 0);
    const auto losses = queued(**other, kSteps);
    VERIFY_OK(losses);
    QCOMPARE(*losses, oneByOne(**one, table, kSteps));
    QVERIFY(allState(**one) == allState(**other));
}

void TstDeviceKmeans::goesOnFromItsStateInTheSameBits()
{
    QFETCH(QString, fields);
    EmulatedDevice device;
    const auto whole = toyModel(kmeans(fields), {.seed = 5, .accelerator = &device});
    const auto resumed = toyModel(kmeans(fields), {.seed = 5, .accelerator = &device});
    VERIFY_OK(whole);
    VERIFY_OK(resumed);
    lossesOf(**whole, 0, 4); // in the midst of an iteration
    copyState(**whole, **resumed);
    QCOMPARE(lossesOf(**resumed, 4, kSteps), lossesOf(**whole, 4, kSteps));
    QVERIFY(allState(**resumed) == allState(**whole));
}

void TstDeviceKmeans::movesBetweenCpuAndGpu()
{
    QFETCH(QString, fields);
    EmulatedDevice device;
    const auto cpu = toyModel(kmeans(fields), {.seed = 5});
    const auto gpu = toyModel(kmeans(fields), {.seed = 5, .accelerator = &device});
    const auto whole = toyModel(kmeans(fields), {.seed = 5});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    VERIFY_OK(whole);
    lossesOf(**cpu, 0, 2);
    copyState(**cpu, **gpu);
    lossesOf(**gpu, 2, 5);
    copyState(**gpu, **cpu);
    lossesOf(**cpu, 5, kSteps);
    lossesOf(**whole, 0, kSteps);
    QVERIFY(allState(**cpu) == allState(**whole));
}

void TstDeviceKmeans::evaluatesAsTheCpu()
{
    QFETCH(QString, fields);
    EmulatedDevice device;
    const features::EncodedDataset table = tableOf(kPointRows);
    const auto model = toyModel(kmeans(fields), {.seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    const auto evaluation = (*model)->inference().createDeviceEvaluation(
        {.accelerator = device, .rows = table, .batchRows = kSmallBatch});
    VERIFY_OK(evaluation);
    lossesOf(**model, 0, 3);
    VERIFY_OK((*evaluation)->begin());
    VERIFY_OK((*evaluation)->queue(batchOf(2)));
    VERIFY_OK((*evaluation)->finish());
    const std::span<const float> found = (*evaluation)->batch(0).logits.flat();
    features::EncodedRows batch;
    VERIFY_OK(table.gather(batchOf(2), batch));
    (*model)->inference().forward(batch, layers::Mode::Evaluate);
    const std::span<const float> expected = (*model)->inference().logits().flat();
    QVERIFY(found.size() == expected.size() && !found.empty());
    QVERIFY(std::memcmp(found.data(), expected.data(), found.size_bytes()) == 0);
}

void TstDeviceKmeans::endsAfterTheStepThatTheCpuEndsAfter()
{
    EmulatedDevice device;
    const features::EncodedDataset table = tableOf(kPointRows);
    const std::string estimator =
        kmeans("feature_columns: ['x'] use_mini_batch: false relative_tolerance: 0.02");
    const auto cpu = toyModel(estimator, {.seed = 5});
    const auto gpu = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(cpu);
    VERIFY_OK(gpu);
    VERIFY_OK((*gpu)->device()->setTable(table, {}));
    QCOMPARE((*gpu)->device()->mostQueued(),
             1); // the next step is taken only if this was not the last
    std::vector<std::int64_t> rows(kPointRows);
    std::iota(rows.begin(), rows.end(), 0);
    features::EncodedRows batch;
    VERIFY_OK(table.gather(rows, batch));
    int step = 0;
    for (; step < 50 && !(*cpu)->trainingEnd(); ++step) {
        QVERIFY(!(*gpu)->trainingEnd());
        VERIFY_OK(trainOnce(**cpu, batch, step));
        VERIFY_OK((*gpu)->device()->queue(rows, step));
        VERIFY_OK((*gpu)->device()->finish());
    }
    QVERIFY(step > 2 && step < 50);
    QVERIFY((*gpu)->trainingEnd() == (*cpu)->trainingEnd());
}

void TstDeviceKmeans::saysWhatItsLastStepHasLost()
{
    EmulatedDevice device;
    const features::EncodedDataset table = tableOf(kPointRows);
    const auto model =
        toyModel(kmeans("feature_columns: ['x']"), {.seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    (*model)->lastStep().wantGradientNorm(true);
    const auto losses = queued(**model, kSteps);
    VERIFY_OK(losses);
    QVERIFY(!(*model)->lastStep().gradientNorm());
    const std::vector<plan::ModelSummary> summaries = (*model)->lastStep().summaries();
    QCOMPARE(summaries.size(), std::size_t{2});
    for (const plan::ModelSummary& summary : summaries) {
        QVERIFY(summary.tag == "loss" || summary.tag == "loss/raw");
        QCOMPARE(summary.scalar, static_cast<float>(losses->back()));
    }
}

/// All of it is one phase, as on the CPU.
void TstDeviceKmeans::tellsWhereTheTimeGoes()
{
    EmulatedDevice device;
    const auto model = toyModel(kmeans("feature_columns: ['x']"), {.accelerator = &device});
    VERIFY_OK(model);
    lossesOf(**model, 0, 1); // begins on the host
    plan::StepTrace trace;
    (*model)->trace(&trace);
    lossesOf(**model, 1, 2);
    (*model)->trace(nullptr);
    QStringList seen;
    for (const plan::TraceEvent& event : trace.take()) {
        seen << QString::fromStdString(
            fmt::format("{} {} {}", plan::nameOf(event.phase), event.layer, event.operation));
    }
    for (const char* expected :
         {"step kmeans nearest_centers", "step kmeans sum_by_center", "step kmeans move_centers"}) {
        QVERIFY2(seen.contains(expected), qPrintable(seen.join(", ")));
    }
    QVERIFY2(seen.filter("forward").isEmpty(), qPrintable(seen.join(", ")));
}

void TstDeviceKmeans::refusesAFirstBatchWithFewerRowsThanClusters()
{
    EmulatedDevice device;
    const features::EncodedDataset table = tableOf(kPointRows);
    const auto model =
        toyModel(kmeans("feature_columns: ['x']"), {.seed = 5, .accelerator = &device});
    const auto undisturbed =
        toyModel(kmeans("feature_columns: ['x']"), {.seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    VERIFY_OK(undisturbed);
    VERIFY_ERROR(trainOnce(**model, toyRows(3, 1), 0), "estimators.kmeans_rows");
    VERIFY_OK((*model)->device()->setTable(table, {}));
    VERIFY_ERROR((*model)->device()->queue(std::vector<std::int64_t>{1, 2, 3}, 0),
                 "estimators.kmeans_rows");
    QCOMPARE(lossesOf(**model, 0, 2), lossesOf(**undisturbed, 0, 2));
    QVERIFY(allState(**model) == allState(**undisturbed));
}

void TstDeviceKmeans::refusesReplicas()
{
    EmulatedDevice device;
    EmulatedDevice peer;
    VERIFY_ERROR(toyModel(kmeans("feature_columns: ['x']"),
                          {.sharding = {.total = 2, .count = 2, .batchRows = 8},
                           .accelerator = &device,
                           .peers = {&peer}}),
                 "plan.learns_alone");
}

CANNERY_TEST(TstDeviceKmeans)
#include "tst_device_kmeans.moc"
