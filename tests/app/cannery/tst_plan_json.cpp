// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/plan_json.h"
#include "core/reports/report_json.h"
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::app;
using cannery::tests::goldenReport;

/// The bytes of `cannery plan --json`.
class TstPlanJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMemberOfAPlan();
    void planWithoutStepsAndRows();
    void learningRatesAlone();
};

namespace {

constexpr ErrorKind kMisfit{"test.misfit", "The kernel is {}."};

PlannedWarmStart warmStart()
{
    PlannedWarmStart start{.checkpoint = "/r/model.ckpt-200",
                           .restored = {"linear/bias"},
                           .fresh = {"logits"},
                           .problem = error(ErrorCode::InvalidArgument, kMisfit, "5 × 8"),
                           .patterns = {"dnn/.*", "linear"}};
    start.variables.push_back({.name = "dnn/kernel",
                               .shape = Shape{4, 8},
                               .patterns = {0, 1},
                               .isSelected = true,
                               .movesWords = true,
                               .previousName = "old/kernel",
                               .previousShape = Shape{5, 8},
                               .problem = start.problem});
    start.variables.push_back({.name = "bias", .previousName = "bias", .previousShape = Shape{}});
    start.variables.push_back({.name = "lost", .shape = Shape{1}, .previousName = "lost"});
    return start;
}

StrategyPlan strategyPlan()
{
    StrategyPlan plan;
    plan.strategies = {{.name = "one_device",
                        .replicas = 1,
                        .batchPerReplica = 32,
                        .batchPerStep = 32,
                        .memoryBytes = 5'000'000'000,
                        .stepsPerSecond = 1234.5,
                        .rowsPerSecond = 39504},
                       {.name = "mirrored",
                        .needs = "Two GPUs.",
                        .reason = "There is \"one\" processor.",
                        .isAvailable = false}};
    plan.workers.network = "10 Gbit/s";
    plan.workers.figures = {.latencySeconds = 3e-5, .bytesPerSecond = 1.14e9};
    plan.workers.isMeasured = true;
    plan.workers.step.denseBytes = 13416;
    plan.workers.step.sparse = {{.rows = 31.5, .cols = 4, .tableRows = 100}};
    plan.workers.advice = strategies::WorkerAdvice{
        .recommended = 2,
        .sentence = "No gain beyond 2 workers.",
        .curve = {
            {.workers = 1, .stepsPerSecond = 1234.5, .rowsPerSecond = 39504, .efficiency = 1},
            {.workers = 2, .stepsPerSecond = 900, .rowsPerSecond = 57600, .efficiency = 0.729}}};
    plan.stepSeconds = {0.00081, 1e-9};
    return plan;
}

ModelPlan fullPlan()
{
    ModelPlan plan;
    plan.estimator = "dnn_linear_combined_classifier";
    plan.layers = {
        {.name = "dnn/hiddenlayer_0",
         .type = "dense",
         .inputs = {0, 2},
         .width = 64,
         .shape = {64},
         .parameters = 768,
         .trainableParameters = 700,
         .multiplyAdds = 704},
        {.name = "lstm", .type = "lstm", .width = 16, .shape = {16}, .givesSteps = true}};
    plan.parameters = 3354;
    plan.trainableParameters = 3300;
    plan.multiplyAdds = 3200;
    plan.wideInputs = 176;
    plan.deepInputs = 11;
    plan.trainRows = 712;
    plan.evalRows = 179;
    plan.steps = 2000;
    plan.stateBytes = 40'000;
    plan.gradientBytes = 13'416;
    plan.activationBytes = 90'000;
    plan.rowBytes = 7'000;
    plan.learnerBytes = 3;
    plan.warmStart = warmStart();
    plan.learningRates = {{.path = "estimator.dnn_linear_combined_classifier.dnn_optimizer",
                           .optimizer = "adam",
                           .schedule = "cosine_decay",
                           .points = {{0, 0.1F}, {1000, 0.05F}, {2000, 0.0F}}}};
    plan.secondsPerStep = 0.00081;
    plan.secondsPerStepLow = 0.0007;
    plan.secondsPerStepHigh = 0.001;
    plan.secondsPerEpoch = 0.018;
    plan.measuredSteps = 120;
    plan.mayTrainOnGpu = true;
    plan.measuredBytes = 60'000'000;
    plan.programBytes = 40'000'000;
    plan.measuredRows = 712;
    plan.seconds = 2.5;
    plan.secondsLow = 2;
    plan.secondsHigh = 3.25;
    plan.strategies = strategyPlan();
    return plan;
}

} // namespace

void TstPlanJson::everyMemberOfAPlan()
{
    QCOMPARE(QByteArray::fromStdString(reports::reportJson(planReport(fullPlan()), 2)),
             goldenReport("plan.json"));
}

void TstPlanJson::planWithoutStepsAndRows()
{
    QCOMPARE(QByteArray::fromStdString(reports::reportJson(planReport(ModelPlan()), 2)),
             goldenReport("plan_unmeasured.json"));
}

void TstPlanJson::learningRatesAlone()
{
    QCOMPARE(QByteArray::fromStdString(
                 reports::reportJson(learningRatesReport(fullPlan().learningRates), 2)),
             goldenReport("learning_rates.json"));
}

CANNERY_TEST(TstPlanJson)
#include "tst_plan_json.moc"
