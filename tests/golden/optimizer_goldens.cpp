// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/optimizer_goldens.h"

#include "core/optimizers/optimizer_catalog.h"
#include "core/schedules/schedule_catalog.h"
#include "kernels/ops/sparse_gradient.h"
#include "tests/golden/keras_layers/optimizers.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

namespace cannery::tests {

namespace fs = std::filesystem;
using optimizers::Optimizer;
using TableJson = nlohmann::json;

namespace {

TableJson tableOf(const fs::path& file)
{
    std::ifstream stream(file);
    return TableJson::parse(stream);
}

/// README.md has no noise for these: a few roundings in each of ten steps.
bool isNear(double actual, double expected)
{
    return std::abs(actual - expected) <= 5e-6 * std::abs(expected) + 2e-7;
}

struct SteppedVariable
{
    std::string name;
    Shape shape;
    std::vector<float> weights;
    std::vector<std::vector<float>> slots;
    std::vector<float> dense; ///< gradient, or
    kernels::SparseGradient sparse;
    bool decays = false;

    kernels::OptimizerSlots views(std::size_t ofRule)
    {
        const auto view = [&](std::size_t slot) {
            return slot < ofRule ? std::span<float>(slots[slot]) : std::span<float>();
        };
        return {view(0), view(1), view(2)};
    }
};

/// The steps of one case, as a sequence of sentences about what differs.
class SteppedCase
{
public:
    SteppedCase(const TableJson& table, const TableJson& golden, Optimizer& optimizer)
        : m_table(table), m_golden(golden), m_optimizer(optimizer), m_pool(2)
    {}

    std::vector<std::string> compare();

private:
    void addVariable(const std::string& name);
    void takeGradients(std::size_t step);
    void clipSlices(std::size_t step);
    void takeStep(SteppedVariable& variable);
    void compareState(const TableJson& expected, std::int64_t step);
    void expect(const std::string& what, std::span<const float> actual, const TableJson& expected);
    std::size_t ruleSlots() const
    {
        return m_optimizer.slots().size() - (m_optimizer.keepsAverages() ? 1 : 0);
    }

    const TableJson& m_table;
    const TableJson& m_golden;
    Optimizer& m_optimizer;
    kernels::ThreadPool m_pool;
    std::vector<SteppedVariable> m_variables;
    std::vector<std::string> m_differences;
};

void SteppedCase::expect(const std::string& what, std::span<const float> actual,
                         const TableJson& expected)
{
    if (actual.size() != expected.size()) {
        m_differences.push_back(
            fmt::format("{} has {} numbers, not {}", what, actual.size(), expected.size()));
        return;
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (!isNear(actual[i], expected[i])) {
            m_differences.push_back(
                fmt::format("{}[{}] is {}, not {}", what, i, actual[i], expected[i].get<double>()));
            return;
        }
    }
}

void SteppedCase::addVariable(const std::string& name)
{
    const TableJson& initial = m_table["initial"][name];
    SteppedVariable& variable = m_variables.emplace_back();
    variable.name = name;
    variable.shape = Shape(initial["shape"].get<std::vector<std::int64_t>>());
    variable.weights = initial["values"].get<std::vector<float>>();
    const Result<bool> decays = m_optimizer.decays(name);
    variable.decays = decays.value_or(false);
    for (const optimizers::SlotSpec& slot : m_optimizer.slots()) {
        const std::optional<Shape> shape = slot.shapeFor(variable.shape);
        variable.slots.emplace_back(static_cast<std::size_t>(shape ? shape->elementCount() : 0),
                                    slot.initialValue);
        if (slot.startsAsWeight) {
            variable.slots.back() = variable.weights;
        }
    }
}

/// Keras clips slices before it adds up those of equal rows.
void SteppedCase::clipSlices(std::size_t step)
{
    SteppedVariable& table = m_variables.front();
    const TableJson& golden = m_table["sparse_gradients"][step];
    auto values = golden["values"].get<std::vector<float>>();
    const auto rows = golden["indices"].get<std::vector<std::int32_t>>();
    const std::array<optimizers::ClippedGradient, 1> all{{{.values = values}}};
    m_optimizer.clipping().apply(m_pool, all);
    kernels::SparseScratch scratch;
    kernels::sumDuplicates(m_pool, rows,
                           kernels::matrixView(std::span<const float>(values),
                                               static_cast<std::int64_t>(rows.size()),
                                               table.shape.dims.back()),
                           scratch, table.sparse);
}

void SteppedCase::takeGradients(std::size_t step)
{
    if (m_golden["gradient"] == "sparse") {
        return clipSlices(step);
    }
    std::vector<optimizers::ClippedGradient> all;
    for (SteppedVariable& variable : m_variables) {
        variable.dense = m_table["dense_gradients"][variable.name][step].get<std::vector<float>>();
        all.push_back({.values = variable.dense});
    }
    m_optimizer.clipping().apply(m_pool, all);
}

void SteppedCase::takeStep(SteppedVariable& variable)
{
    const std::int64_t cols = variable.shape.dims.back();
    const kernels::MatrixView weights = kernels::matrixView(
        std::span<float>(variable.weights), variable.shape.elementCount() / cols, cols);
    if (variable.decays) {
        m_optimizer.decay(m_pool, variable.weights);
    }
    if (m_optimizer.needsWholeVariables()) {
        if (variable.dense.empty() || m_golden["gradient"] == "sparse") {
            variable.dense.assign(variable.weights.size(), 0.0F);
            kernels::scatterAdd(
                m_pool, variable.sparse,
                kernels::matrixView(std::span<float>(variable.dense), weights.rows, cols));
        }
        m_optimizer.applyWhole(m_pool,
                               {.shape = variable.shape,
                                .weights = variable.weights,
                                .slots = {variable.slots[0], variable.slots[1], variable.slots[2]},
                                .gradient = variable.dense});
    } else if (m_golden["gradient"] == "sparse") {
        m_optimizer.applySparse(m_pool, weights, variable.views(ruleSlots()), variable.sparse);
    } else {
        m_optimizer.applyDense(m_pool, variable.weights, variable.views(ruleSlots()),
                               variable.dense);
    }
    if (m_optimizer.keepsAverages()) {
        m_optimizer.average(m_pool, variable.weights, variable.slots.back());
    }
}

/// Every variable of Keras's optimizer must be one of ours, and the other way round.
void SteppedCase::compareState(const TableJson& expected, std::int64_t step)
{
    const std::string prefix(m_optimizer.className());
    std::map<std::string, std::span<const float>> own;
    for (const SteppedVariable& variable : m_variables) {
        for (std::size_t slot = 0; slot < variable.slots.size(); ++slot) {
            const optimizers::SlotSpec& spec = m_optimizer.slots()[slot];
            if (spec.shapeFor(variable.shape)) {
                own[spec.tensorName(prefix, variable.name)] = variable.slots[slot];
            }
        }
    }
    for (const TableJson& tensor : expected) {
        const std::string name = tensor["name"];
        if (name == m_optimizer.counterName(prefix)) {
            if (tensor["values"][0] != step) {
                m_differences.push_back("the counter differs");
            }
            continue;
        }
        const auto scalar = std::ranges::find_if(m_optimizer.scalars(), [&](const auto& candidate) {
            return m_optimizer.scalarName(prefix, candidate.name) == name;
        });
        if (scalar != m_optimizer.scalars().end()) {
            expect(name, {&scalar->value, 1}, tensor["values"]);
        } else if (const auto found = own.find(name); found != own.end()) {
            expect(fmt::format("{} after step {}", name, step), found->second, tensor["values"]);
            own.erase(found);
        } else {
            m_differences.push_back("there is no " + name);
        }
    }
    if (!own.empty()) {
        m_differences.push_back("Keras has no " + own.begin()->first);
    }
}

std::vector<std::string> SteppedCase::compare()
{
    if (m_golden["gradient"] == "sparse") {
        addVariable("table");
    } else {
        addVariable("kernel");
        addVariable("bias");
    }
    const TableJson& steps = m_golden["steps"];
    for (std::size_t step = 0; step < steps.size() && m_differences.empty(); ++step) {
        m_optimizer.beginStep(static_cast<std::int64_t>(step));
        takeGradients(step);
        for (SteppedVariable& variable : m_variables) {
            takeStep(variable);
            expect(fmt::format("{} after step {}", variable.name, step + 1), variable.weights,
                   steps[step][variable.name]);
        }
        if (steps[step].contains("optimizer_variables")) {
            compareState(steps[step]["optimizer_variables"], static_cast<std::int64_t>(step) + 1);
        }
    }
    if (m_golden.contains("finalized") && m_differences.empty()) {
        for (const SteppedVariable& variable : m_variables) {
            expect(variable.name + " at the end", variable.slots.back(),
                   m_golden["finalized"][variable.name]);
        }
    }
    return m_differences;
}

void addFiles(const std::vector<fs::path>& folders, const char* name)
{
    QTest::addColumn<QString>("file");
    bool isThere = false;
    for (const fs::path& folder : folders) {
        if (const fs::path file = folder / "tables" / name; fs::exists(file)) {
            QTest::newRow(file.c_str()) << QString::fromStdString(file.string());
            isThere = true;
        }
    }
    if (!isThere) {
        QTest::newRow("none") << QString();
    }
}

/// Of one case; nothing if all is as in Keras.
std::vector<std::string> differencesOf(const TableJson& table, const TableJson& golden)
{
    std::optional<spec::Optimizer> message = optimizerOfKeras(
        golden["class"], golden["arguments"],
        golden["api"] == "keras" ? spec::OptimizerRules::keras : spec::OptimizerRules::estimator);
    if (!message) {
        return {"there is no such optimizer or argument"};
    }
    for (const TableJson& name : golden.value("exclude_from_weight_decay", TableJson::array())) {
        message->add_exclude_from_weight_decay(name);
    }
    const Result<std::unique_ptr<Optimizer>> optimizer = optimizers::makeOptimizer(*message, 0);
    if (!optimizer) {
        return golden.contains("error") ? std::vector<std::string>()
                                        : std::vector{optimizer.error().message()};
    }
    if (golden.contains("error")) {
        return {"it is accepted"};
    }
    return SteppedCase(table, golden, **optimizer).compare();
}

} // namespace

void OptimizerGoldens::stepsAsKeras_data()
{
    addFiles(m_folders, "optimizers.json");
}

void OptimizerGoldens::stepsAsKeras()
{
    QFETCH(QString, file);
    if (file.isEmpty()) {
        QSKIP("none of the folders has such a table");
    }
    const TableJson table = tableOf(file.toStdString());
    QStringList differences;
    for (const TableJson& golden : table["cases"]) {
        for (const std::string& sentence : differencesOf(table, golden)) {
            differences << QString::fromStdString(
                fmt::format("{} {} {} {}: {}", golden["api"].get<std::string>(),
                            golden["class"].get<std::string>(), golden["arguments"].dump(),
                            golden["gradient"].get<std::string>(), sentence));
        }
    }
    qInfo("%d cases compared", static_cast<int>(table["cases"].size()));
    QVERIFY2(differences.isEmpty(), qPrintable(differences.join("\n")));
}

void OptimizerGoldens::hasKerasRates_data()
{
    addFiles(m_folders, "schedules.json");
}

void OptimizerGoldens::hasKerasRates()
{
    QFETCH(QString, file);
    if (file.isEmpty()) {
        QSKIP("none of the folders has such a table");
    }
    const TableJson table = tableOf(file.toStdString());
    QStringList differences;
    for (const TableJson& golden : table["cases"]) {
        const std::optional<spec::Schedule> message = scheduleOfKeras(golden);
        QVERIFY2(message.has_value(), golden.dump().c_str());
        const auto schedule = schedules::makeSchedule(*message, 0);
        QVERIFY(schedule.has_value());
        for (std::size_t i = 0; i < table["steps"].size(); ++i) {
            const float rate = (*schedule)->learningRate(table["steps"][i]);
            if (!isNear(rate, golden["rates"][i])) {
                differences << QString::fromStdString(
                    fmt::format("{} at step {}: {}, not {}", golden["config"].dump(),
                                table["steps"][i].dump(), rate, golden["rates"][i].dump()));
            }
        }
    }
    QVERIFY2(differences.isEmpty(), qPrintable(differences.join("\n")));
}

} // namespace cannery::tests
