// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/sparse_gradient.h"
#include "tests/core/optimizers/optimizer_case.h"
#include "tests/kernels/accelerator/placed_steps.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <map>

using namespace cannery;
using namespace cannery::tests;
using optimizers::Optimizer;

class TstPlacedOptimizers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void stepsAsOnTheProcessor_data();
    void stepsAsOnTheProcessor();
    void clipsAllVariablesTogether_data();
    void clipsAllVariablesTogether();
    void aGradientOfInfiniteNormIsNotANumber();
    void stepsOfOneLaunchHaveTheirOwnNumbers_data();
    void stepsOfOneLaunchHaveTheirOwnNumbers();
    void placingTakesNoStep();
};

namespace {

/// The gradient of a variable in one step: dense values, or those of some rows.
struct Gradient
{
    std::vector<float> dense;
    kernels::SparseGradient sparse;
    std::span<float> values() { return dense.empty() ? std::span(sparse.values) : dense; }
};

Gradient gradientOf(const QJsonValue& value, std::int64_t width)
{
    if (value.isArray()) {
        return {.dense = numbersOf(value), .sparse = {}};
    }
    std::vector<std::int32_t> ids;
    for (const float id : numbersOf(value["indices"])) {
        ids.push_back(static_cast<std::int32_t>(id));
    }
    const std::vector<float> values = numbersOf(value["values"]);
    kernels::ThreadPool pool(1);
    kernels::SparseScratch scratch;
    Gradient gradient;
    kernels::sumDuplicates(
        pool, ids,
        kernels::matrixView(std::span(values), static_cast<std::int64_t>(ids.size()), width),
        scratch, gradient.sparse);
    return gradient;
}

/// On the device there is room for more rows, and they ascend.
kernels::DeviceSparse put(DeviceCase& device, const kernels::SparseGradient& gradient,
                          std::int64_t tableRows)
{
    constexpr std::int64_t kSpare = 3;
    constexpr std::int32_t kNoRow = 1 << 30;
    std::map<std::int32_t, std::span<const float>> byRow;
    for (std::int64_t i = 0; i < gradient.rowCount(); ++i) {
        byRow[gradient.rows[static_cast<std::size_t>(i)]] = gradient.view().row(i);
    }
    std::vector<std::int32_t> rows;
    std::vector<float> values;
    for (const auto& [row, floats] : byRow) {
        rows.push_back(row);
        values.insert(values.end(), floats.begin(), floats.end());
    }
    const auto count = static_cast<std::int64_t>(rows.size());
    rows.resize(rows.size() + kSpare, kNoRow);
    values.resize(values.size() + static_cast<std::size_t>(kSpare * gradient.cols), 1e9F);
    return {.rows = device.put(rows),
            .values = device.put(values),
            .count = device.put(std::vector<std::int64_t>{count}),
            .capacity = count + kSpare,
            .cols = gradient.cols,
            .tableRows = tableRows};
}

/// Variables of an optimizer on the processor, and their twins on the device.
struct Twins
{
    Twins(Optimizer& ofProcessor, Optimizer& ofDevice) : processor(ofProcessor), device(ofDevice) {}

    void add(std::int64_t width, const std::vector<float>& weights)
    {
        states.push_back(initialState(processor, width, weights));
        const OptimizerState& state = states.back();
        const std::int64_t rows = static_cast<std::int64_t>(weights.size()) / width;
        optimizers::PlacedVariable variable{.weights = {memory.put(weights), rows, width, width}};
        for (std::size_t slot = 0; slot < device.slots().size(); ++slot) {
            slots.push_back(memory.put(state.slots[slot]));
            if (slot < variable.slots.size()) {
                variable.slots[slot] = slots.back();
            }
        }
        if (device.keepsAverages()) {
            variable.averages = slots.back();
        }
        variables.push_back(variable);
    }

    void step(std::int64_t number, std::vector<Gradient> gradients)
    {
        for (std::size_t i = 0; i < variables.size(); ++i) {
            kernels::GradientValues& placed = variables[i].gradient;
            const kernels::MatrixView& weights = variables[i].weights;
            placed = {};
            if (gradients[i].dense.empty()) {
                placed.sparse = put(memory, gradients[i].sparse, weights.rows);
            } else {
                placed.dense = {memory.put(gradients[i].dense), weights.rows, weights.cols,
                                weights.cols};
            }
        }
        RUN_STEPS(
            memory, [this](kernels::AcceleratorProgram& program) { place(program); }, number);
        stepOnProcessor(number, gradients);
    }

    void place(kernels::AcceleratorProgram& program)
    {
        device.placeStep(program, variables, [](std::int64_t step) { return step; });
    }

    void stepOnProcessor(std::int64_t number, std::vector<Gradient>& gradients)
    {
        processor.beginStep(number);
        std::vector<optimizers::ClippedGradient> all;
        for (Gradient& gradient : gradients) {
            all.push_back({.values = gradient.values()});
        }
        processor.clipping().apply(pool, all);
        for (std::size_t i = 0; i < states.size(); ++i) {
            OptimizerState& state = states[i];
            if (gradients[i].dense.empty()) {
                const auto rows = static_cast<std::int64_t>(state.weights.size()) / state.width;
                processor.applySparse(
                    pool, kernels::matrixView(std::span(state.weights), rows, state.width),
                    state.views(), gradients[i].sparse);
            } else {
                processor.applyDense(pool, state.weights, state.views(), gradients[i].dense);
            }
            state.average(pool, processor);
        }
    }

    void compare()
    {
        const float* const* slot = slots.data();
        for (std::size_t i = 0; i < states.size(); ++i) {
            VERIFY_CLOSE(memory.take(variables[i].weights), states[i].weights);
            for (std::size_t s = 0; s < device.slots().size(); ++s) {
                const std::vector<float>& expected = states[i].slots[s];
                VERIFY_CLOSE(memory.take(*slot++, static_cast<std::int64_t>(expected.size())),
                             expected);
            }
        }
        QCOMPARE(device.learningRate(), processor.learningRate());
        QCOMPARE(device.scalars().size(), processor.scalars().size());
        for (std::size_t i = 0; i < device.scalars().size(); ++i) {
            QCOMPARE(device.scalars()[i].value, processor.scalars()[i].value);
        }
    }

    Optimizer& processor;
    Optimizer& device;
    kernels::ThreadPool pool{1};
    DeviceCase memory;
    std::vector<OptimizerState> states;
    std::vector<optimizers::PlacedVariable> variables;
    std::vector<float*> slots; ///< variable-major
};

Gradient someRows(std::vector<std::int32_t> rows, std::vector<float> values)
{
    Gradient gradient;
    gradient.sparse.cols = 2;
    gradient.sparse.rows = std::move(rows);
    gradient.sparse.values = std::move(values);
    return gradient;
}

} // namespace

void TstPlacedOptimizers::stepsAsOnTheProcessor_data()
{
    QTest::addColumn<QJsonObject>("row");
    int index = 0;
    for (const QJsonObject& row : optimizerCases()) {
        QTest::newRow(qPrintable(QString("%1 %2 %3")
                                     .arg(index++)
                                     .arg(row["class"].toString(), row["gradient"].toString())))
            << row;
    }
}

void TstPlacedOptimizers::stepsAsOnTheProcessor()
{
    QFETCH(QJsonObject, row);
    const auto processor = optimizerOf(row["class"].toString(), row["arguments"].toObject());
    VERIFY_OK(processor);
    const auto device = optimizerOf(row["class"].toString(), row["arguments"].toObject());
    const QJsonObject table = goldenTable("optimizers");
    const QJsonArray initial = table["initial"].toArray();
    const std::int64_t width = initial[0].toArray().size();
    Twins twins(**processor, **device);
    twins.add(width, numbersOf(initial));
    std::int64_t number = 0;
    for (const QJsonValue gradient : table[row["gradient"].toString() + "_gradients"].toArray()) {
        twins.step(number++, {gradientOf(gradient, width)});
        twins.compare();
    }
    QVERIFY(number > 1);
}

void TstPlacedOptimizers::clipsAllVariablesTogether_data()
{
    QTest::addColumn<QJsonObject>("arguments");
    QTest::newRow("by value") << QJsonObject{{"clipvalue", 0.5}};
    QTest::newRow("by the norm of each") << QJsonObject{{"clipnorm", 1.5}};
    QTest::newRow("by the norm of all") << QJsonObject{{"global_clipnorm", 1.5}};
    QTest::newRow("by value, then norm") << QJsonObject{{"clipvalue", 3}, {"clipnorm", 1.5}};
    QTest::newRow("by a norm above it") << QJsonObject{{"global_clipnorm", 1e3}};
}

/// A variable of one weight, one with a gradient of some rows, and one without gradient.
void TstPlacedOptimizers::clipsAllVariablesTogether()
{
    QFETCH(QJsonObject, arguments);
    arguments["momentum"] = 0.9;
    const auto processor = optimizerOf("SGD", arguments);
    VERIFY_OK(processor);
    const auto device = optimizerOf("SGD", arguments);
    Twins twins(**processor, **device);
    twins.add(1, {1});
    twins.add(2, {1, 2, 3, 4, 5, 6});
    twins.add(2, {1, 2});
    for (std::int64_t number = 0; number < 3; ++number) {
        twins.step(number, {{.dense = {-4}, .sparse = {}},
                            someRows({2, 0}, {1, -2, 0.25F, 3}),
                            {.dense = {0, 0}, .sparse = {}}});
        twins.compare();
    }
}

void TstPlacedOptimizers::aGradientOfInfiniteNormIsNotANumber()
{
    for (const char* norm : {"clipnorm", "global_clipnorm"}) {
        const auto processor = optimizerOf("SGD", {{norm, 1}});
        VERIFY_OK(processor);
        const auto device = optimizerOf("SGD", {{norm, 1}});
        Twins twins(**processor, **device);
        twins.add(1, {1, 1});
        const float infinite = std::numeric_limits<float>::infinity();
        twins.step(0, {{.dense = {infinite, 1}, .sparse = {}}});
        twins.compare();
        QVERIFY(std::isnan(twins.states[0].weights[0]));
    }
}

void TstPlacedOptimizers::stepsOfOneLaunchHaveTheirOwnNumbers_data()
{
    QTest::addColumn<QString>("className");
    QTest::addColumn<QJsonObject>("arguments");
    const QJsonObject decaying{{"decay", 0.5}, {"learning_rate", 0.5}};
    for (const char* className : {"SGD", "Adam", "Adamax", "AdamW"}) {
        QTest::newRow(className) << className << decaying;
    }
    QTest::newRow("Nadam") << "Nadam" << QJsonObject{{"learning_rate", 0.5}};
}

void TstPlacedOptimizers::stepsOfOneLaunchHaveTheirOwnNumbers()
{
    QFETCH(QString, className);
    QFETCH(QJsonObject, arguments);
    constexpr std::int64_t kFirst = 7;
    constexpr std::int64_t kSteps = 5;
    const auto processor = optimizerOf(className, arguments);
    VERIFY_OK(processor);
    const auto device = optimizerOf(className, arguments);
    Twins twins(**processor, **device);
    twins.add(2, {1, 2, 3, 4});
    const std::vector<float> gradient{1, -2, 0, 0.5F};
    twins.variables[0].gradient.dense = {twins.memory.put(gradient), 2, 2, 2};
    RUN_STEPS(
        twins.memory, [&](kernels::AcceleratorProgram& program) { twins.place(program); }, kFirst,
        kSteps);
    for (std::int64_t number = kFirst; number < kFirst + kSteps; ++number) {
        std::vector<Gradient> gradients{{.dense = gradient, .sparse = {}}};
        twins.stepOnProcessor(number, gradients);
    }
    twins.compare();
}

void TstPlacedOptimizers::placingTakesNoStep()
{
    const auto optimizer = optimizerOf("Nadam", {});
    VERIFY_OK(optimizer);
    kernels::AcceleratorProgram program;
    (*optimizer)->placeStep(program, {}, [](std::int64_t step) { return step; });
    for (const optimizers::Scalar& scalar : (*optimizer)->scalars()) {
        QVERIFY(scalar.name != "momentum_cache" || scalar.value == 1.0F);
    }
}

CANNERY_TEST(TstPlacedOptimizers)
#include "tst_placed_optimizers.moc"
