// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/train/evaluation/evaluation_device.h"
#include "core/train/evaluation/evaluator.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/emulated_device/emulated_machine.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::train;

namespace {

constexpr std::int64_t kEvaluatedRows = 70;
constexpr std::int64_t kEvaluatedAtOnce = 16;
constexpr const char* kAveragedToy =
    "dnn_classifier { feature_columns: ['x', 'one_table'] hidden_units: "
    "[8] optimizer { adagrad {} moving_average_decay: 0.5 } }";

features::EncodedDataset evaluatedTable()
{
    features::EncodedDataset rows(toyLayout(), {});
    CANNERY_CHECK(rows.append(toyRows(kEvaluatedRows, 3)).has_value());
    return rows;
}

/// Every third row, and the others.
RowGroups thirds()
{
    RowGroups groups{.columns = {"third"}, .groups = {{.values = {"yes"}}, {.values = {"no"}}}};
    for (std::int64_t row = 0; row < kEvaluatedRows; ++row) {
        groups.ofRow.push_back(row % 3 == 0 ? 0 : 1);
    }
    return groups;
}

TrainableModel trainedToy(kernels::Accelerator* accelerator)
{
    auto model = toyModel(kAveragedToy, {.seed = 5, .accelerator = accelerator});
    CANNERY_CHECK(model.has_value());
    for (int step = 0; step < 3; ++step) {
        (*model)->train(toyRows(32, static_cast<std::uint64_t>(step)), step);
    }
    return TrainableModel(*std::move(model));
}

/// The numbers of an evaluation and of its slices.
std::vector<double> evaluatedNumbers(const EvaluationResult& result)
{
    std::vector<double> numbers{static_cast<double>(result.rows)};
    for (const metrics::MetricValue& metric : result.metrics) {
        numbers.push_back(metric.value);
    }
    for (const storage::EvaluationSlice& slice : result.slices) {
        for (const storage::SliceGroup& group : slice.groups) {
            numbers.push_back(static_cast<double>(group.rows));
            for (const auto& metric : group.metrics) {
                numbers.push_back(metric.value);
            }
        }
    }
    return numbers;
}

Result<EvaluationResult> evaluateToy(TrainableModel& model, const features::EncodedDataset& table,
                                     std::int64_t steps = 0)
{
    const std::vector<RowGroups> slices{thirds()};
    EvaluationRequest request{.steps = steps, .slices = slices};
    request.input.set_batch_size(kEvaluatedAtOnce);
    CANNERY_TRY_ASSIGN(std::optional<EvaluationResult> result, evaluate(model, table, request));
    CANNERY_CHECK(result.has_value()); // nobody stops it
    return *std::move(result);
}

bool areCloseNumbers(const std::vector<double>& one, const std::vector<double>& other)
{
    return std::ranges::equal(one, other, [](double a, double b) {
        return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b));
    });
}

} // namespace

/// What evaluates, and that it makes no difference.
class TstEvaluationDevice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void measuresWhatTheCpuMeasures();
    void measuresAsManyBatchesAsAreWanted();
    void cpuGoesOnWhereMemoryIsShort();
    void aLostDeviceEndsTheEvaluation();
    void evaluationsTakeTheirDevice_data();
    void evaluationsTakeTheirDevice();
};

void TstEvaluationDevice::measuresWhatTheCpuMeasures()
{
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    TrainableModel cpu = trainedToy(&device);
    TrainableModel gpu = trainedToy(&device);
    gpu.deviceEvaluations().runOn(device, kernels::ProductPrecision::Float32);
    for (int round = 0; round < 2; ++round) {
        const auto expected = evaluateToy(cpu, table);
        const auto found = evaluateToy(gpu, table);
        VERIFY_OK(expected);
        VERIFY_OK(found);
        QCOMPARE(expected->note, std::string());
        QCOMPARE(found->note.starts_with("Evaluations run on the GPU, which has"), round == 0);
        QVERIFY(areCloseNumbers(evaluatedNumbers(*found), evaluatedNumbers(*expected)));
        QVERIFY(allState(gpu.model()) == allState(cpu.model()));
    }
}

void TstEvaluationDevice::measuresAsManyBatchesAsAreWanted()
{
    EmulatedDevice device;
    const features::EncodedDataset table = evaluatedTable();
    TrainableModel gpu = trainedToy(&device);
    gpu.deviceEvaluations().runOn(device, kernels::ProductPrecision::Float32);
    for (const std::int64_t steps : {1, 3, 5, 9}) {
        const auto found = evaluateToy(gpu, table, steps);
        VERIFY_OK(found);
        QCOMPARE(found->rows, std::min(steps * kEvaluatedAtOnce, kEvaluatedRows));
    }
}

/// From the beginning, or only where the last batch needs a program of its own.
void TstEvaluationDevice::cpuGoesOnWhereMemoryIsShort()
{
    const features::EncodedDataset table = evaluatedTable();
    TrainableModel cpu = trainedToy(nullptr);
    const auto expected = evaluateToy(cpu, table);
    VERIFY_OK(expected);
    int onCpu = 0;
    int broughtThere = 0;
    for (std::int64_t failing = 1; failing < 12; ++failing) {
        EmulatedDevice device({.failAllocation = failing});
        TrainableModel gpu = trainedToy(nullptr);
        gpu.deviceEvaluations().runOn(device, kernels::ProductPrecision::Float32);
        for (int round = 0; round < 2; ++round) {
            const auto found = evaluateToy(gpu, table);
            VERIFY_OK(found);
            QVERIFY(areCloseNumbers(evaluatedNumbers(*found), evaluatedNumbers(*expected)));
            onCpu += found->note.starts_with("The CPU evaluates: ") ? 1 : 0;
            broughtThere += found->note.find("brought there") != std::string::npos ? 1 : 0;
        }
    }
    QVERIFY(onCpu > 2); // variables, values, programs
    QCOMPARE(broughtThere, 1);
}

void TstEvaluationDevice::aLostDeviceEndsTheEvaluation()
{
    EmulatedDevice device({.loseAtLaunch = 3});
    const features::EncodedDataset table = evaluatedTable();
    TrainableModel gpu = trainedToy(nullptr);
    gpu.deviceEvaluations().runOn(device, kernels::ProductPrecision::Float32);
    VERIFY_ERROR(evaluateToy(gpu, table), "gpu.lost");
}

void TstEvaluationDevice::evaluationsTakeTheirDevice_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("trainedOn");
    QTest::addColumn<QString>("expected");
    const std::string gpu = "GPU:0 (" + EmulatedDevice::factsOf({}).name + ")";
    const auto row = [](const std::string& text, const std::string& trainedOn,
                        const char* expected) {
        QTest::addRow("%s, %s", text.c_str(), trainedOn.c_str())
            << text << trainedOn << QString(expected);
    };
    const auto by = [](const std::string& strategy) {
        return "run_config { eval_distribute { " + strategy + " } }";
    };
    const std::string onGpu = "strategy { one_device { device: \"GPU:0\" } }";
    row("", "CPU", "cpu");
    row(onGpu, gpu, "lent");
    row(onGpu, "CPU", "cpu");
    row(onGpu, "", "own");
    row("strategy { one_device { device: \"auto\" } }", gpu + ", float32: 7 steps/s", "lent");
    row("strategy { one_device { device: \"auto\" } }", "CPU: 9 steps/s, 7 on " + gpu, "cpu");
    row("strategy { mirrored {} }", gpu, "lent");
    row(onGpu + by("one_device {}"), gpu, "cpu");
    row(onGpu + by("one_device { device: \"GPU:0\" }"), gpu, "lent");
    row(onGpu + by("one_device { device: \"GPU:1\" }"), gpu, "missing");
    row(by("one_device { device: \"GPU:0\" }"), "CPU", "own");
    row(by("one_device { device: \"auto\" }"), "CPU", "cpu");
}

void TstEvaluationDevice::evaluationsTakeTheirDevice()
{
    QFETCH(const std::string, text);
    QFETCH(const std::string, trainedOn);
    const spec::Experiment experiment = spec::parseExperiment(text).experiment;
    EmulatedMachine machine(1);
    EmulatedDevice training;
    const bool isTraining = trainedOn.starts_with("GPU");
    const EvaluationDevice device = chooseEvaluationDevice(
        {.experiment = experiment,
         .trainedOn = trainedOn,
         .training = isTraining ? &training : nullptr,
         .plugin = [&]() -> Result<kernels::AcceleratorPlugin*> { return &machine; }});
    const QString found = !device.note.empty()            ? "missing"
                          : device.accelerator == nullptr ? "cpu"
                          : device.own == nullptr         ? "lent"
                                                          : "own";
    QTEST(found, "expected");
    QVERIFY(found != "lent" || device.accelerator == &training);
    QVERIFY(found != "missing" || device.note.starts_with("The CPU evaluates: There is no GPU:1"));
}

CANNERY_TEST(TstEvaluationDevice)
#include "tst_evaluation_device.moc"
