// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/optimizer_step.h"
#include "kernels/ops/vector_ops.h"
#include "tests/golden/tables/golden_table.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace cannery::kernels;
using namespace cannery::tests;
using nlohmann::json;

class TstOptimizerStep : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void followsKerasStepByStep_data();
    void followsKerasStepByStep();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsDoNotDependOnThreads_data();
    void bitsDoNotDependOnThreads();
    void rowsMayBeApart_data();
    void rowsMayBeApart();
    void averagesAgreeWithTheReferenceForAnyNumberOfThreads();

private:
    json m_golden;
};

namespace {

float number(const json& arguments, const char* name, float otherwise)
{
    return arguments.contains(name) ? arguments[name].get<float>() : otherwise;
}

/// A rule of Keras under its name and arguments, at one step.
struct Rule
{
    std::string className;
    json arguments;
    std::vector<std::string> slots; ///< in the kernels' order
    float momentumCache = 1.0F;     ///< Nadam's

    Rule(std::string name, json options) : className(std::move(name)), arguments(std::move(options))
    {
        if (arguments.is_null()) {
            arguments = json::object();
        }
        const bool momentum = number(arguments, "momentum", 0) != 0;
        const bool centered = arguments.value("centered", false);
        slots =
            className == "Adagrad" || className == "ProximalAdagrad"
                ? std::vector<std::string>{"accumulator"}
            : className == "ProximalGradientDescent" ? std::vector<std::string>{}
            : className == "Adadelta" ? std::vector<std::string>{"accum_grad", "accum_var"}
            : className == "Ftrl"     ? std::vector<std::string>{"accumulator", "linear"}
            : className == "SGD"      ? std::vector<std::string>{momentum ? "momentum" : ""}
            : className == "RMSprop"
                ? std::vector<std::string>{"rms", momentum ? "momentum" : "", centered ? "mg" : ""}
                : std::vector<std::string>{"m", "v",
                                           arguments.value("amsgrad", false) ? "vhat" : ""};
    }

    float initialValue(const std::string& slot) const
    {
        return slot == "accumulator" ? number(arguments, "initial_accumulator_value", 0.1F) : 0.0F;
    }

    OptimizerUpdate proximal(float rate) const
    {
        const float l1 = number(arguments, "l1_regularization_strength", 0);
        const float l2 = number(arguments, "l2_regularization_strength", 0);
        if (className == "ProximalAdagrad") {
            return ProximalAdagradUpdate{rate, l1, l2};
        }
        return ProximalGradientDescentUpdate{rate, l1, l2};
    }

    OptimizerUpdate at(std::int64_t iterations)
    {
        const float decay = number(arguments, "decay", 0);
        const float base = number(arguments, "learning_rate", className == "SGD" ? 0.01F : 0.001F);
        const float rate = base / (1.0F + decay * static_cast<float>(iterations));
        const float epsilon = number(arguments, "epsilon", 1e-7F);
        const float beta1 = number(arguments, "beta_1", 0.9F);
        const float beta2 = number(arguments, "beta_2", 0.999F);
        if (className == "SGD") {
            return SgdUpdate{rate, number(arguments, "momentum", 0),
                             arguments.value("nesterov", false)};
        }
        if (className == "Adagrad") {
            return AdagradUpdate{rate, epsilon};
        }
        if (className == "Adadelta") {
            return AdadeltaUpdate{rate, number(arguments, "rho", 0.95F), epsilon};
        }
        if (className == "RMSprop") {
            return RmsPropUpdate{rate, number(arguments, "rho", 0.9F),
                                 number(arguments, "momentum", 0), epsilon,
                                 arguments.value("centered", false)};
        }
        if (className == "Adam") {
            AdamUpdate adam{rate, beta1, beta2, epsilon, arguments.value("amsgrad", false)};
            adam.setIterations(iterations);
            return adam;
        }
        if (className == "AdamW") {
            AdamWUpdate adamw{{rate, beta1, beta2, epsilon, false},
                              number(arguments, "weight_decay", 0.004F)};
            adamw.adam.setIterations(iterations);
            return adamw;
        }
        if (className == "Adamax") {
            AdamaxUpdate adamax{rate, beta1, beta2, epsilon};
            adamax.setIterations(iterations);
            return adamax;
        }
        if (className.starts_with("Proximal")) {
            return proximal(rate);
        }
        if (className == "Nadam") {
            NadamUpdate nadam{rate, beta1, beta2, epsilon};
            nadam.setIterations(iterations, momentumCache);
            momentumCache = nadam.product;
            return nadam;
        }
        return FtrlUpdate{rate,
                          number(arguments, "learning_rate_power", -0.5F),
                          number(arguments, "l1_regularization_strength", 0),
                          number(arguments, "l2_regularization_strength", 0),
                          number(arguments, "l2_shrinkage_regularization_strength", 0),
                          number(arguments, "beta", 0)};
    }
};

/// A variable with its slots.
struct Variable
{
    Variable(const Rule& rule, Matrix initial) : weights(std::move(initial))
    {
        for (const std::string& slot : rule.slots) {
            slots.emplace_back(slot.empty() ? 0 : weights.values.size(), rule.initialValue(slot));
        }
        slots.resize(3);
    }

    OptimizerSlots view() { return {slots[0], slots[1], slots[2]}; }

    Matrix weights;
    std::vector<std::vector<float>> slots;
};

Matrix matrixOf(const json& rows)
{
    Matrix matrix(static_cast<std::int64_t>(rows.size()),
                  static_cast<std::int64_t>(rows.at(0).size()));
    matrix.values.clear();
    for (const json& row : rows) {
        for (const json& value : row) {
            matrix.values.push_back(value.get<float>());
        }
    }
    return matrix;
}

/// Clips as the Keras optimizer with these arguments does.
void clip(ThreadPool& pool, const json& arguments, std::span<float> grad)
{
    const VectorKernels& vector = vectorKernels();
    if (arguments.contains("clipnorm")) {
        clipByNorm(pool, grad, vector.sumOfSquares(pool, grad), number(arguments, "clipnorm", 0));
    }
    if (arguments.contains("global_clipnorm")) {
        const double squares = vector.sumOfSquares(pool, grad);
        vector.scale(pool, grad, globalNormScale(squares, number(arguments, "global_clipnorm", 0)));
    }
    if (arguments.contains("clipvalue")) {
        const float limit = number(arguments, "clipvalue", 0);
        vector.clipByValue(pool, grad, -limit, limit);
    }
}

const std::vector<Rule>& rules()
{
    static const std::vector<Rule> list = {
        {"SGD", {}},
        {"SGD", {{"momentum", 0.9}}},
        {"SGD", {{"momentum", 0.9}, {"nesterov", true}}},
        {"Adagrad", {}},
        {"Adadelta", {}},
        {"RMSprop", {}},
        {"RMSprop", {{"centered", true}, {"momentum", 0.5}}},
        {"Adam", {}},
        {"Adam", {{"amsgrad", true}}},
        {"AdamW", {{"weight_decay", 0.3}, {"learning_rate", 0.1}}},
        {"Adamax", {}},
        {"Nadam", {}},
        {"Ftrl", {{"learning_rate", 0.1}, {"l1_regularization_strength", 0.2}}},
        {"Ftrl", {{"learning_rate", 0.1}, {"learning_rate_power", -0.3}}},
        {"ProximalGradientDescent",
         {{"learning_rate", 0.1},
          {"l1_regularization_strength", 0.5},
          {"l2_regularization_strength", 0.3}}},
        {"ProximalGradientDescent", {{"learning_rate", 0.1}, {"l2_regularization_strength", 0.3}}},
        {"ProximalAdagrad",
         {{"learning_rate", 0.1},
          {"l1_regularization_strength", 0.5},
          {"l2_regularization_strength", 0.3}}},
    };
    return list;
}

void addRules()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < rules().size(); ++i) {
        QTest::addRow("%s %s", rules()[i].className.c_str(), rules()[i].arguments.dump().c_str())
            << static_cast<int>(i);
    }
}

/// Every float of a variable after three steps, alternately dense and sparse, and the zeros of the
/// weights after the sparse one if they are tracked.
std::vector<float> afterThreeSteps(const OptimizerStepKernels& kernels, ThreadPool& pool, Rule rule,
                                   std::int64_t rows, std::int64_t cols)
{
    Variable variable(rule, Matrix(rows, cols).fillRandom(1));
    ZeroCount zeros{0};
    for (std::int64_t step = 0; step < 3; ++step) {
        const OptimizerUpdate update = rule.at(step);
        Matrix grad = Matrix(rows, cols).fillRandom(10 + static_cast<std::uint64_t>(step));
        if (grad.values.size() > 1000) {
            grad.values[step] = std::numeric_limits<float>::quiet_NaN();
        }
        if (step != 1) {
            kernels.dense(pool, update, variable.weights.values, variable.view(), grad.values);
            continue;
        }
        SparseGradient sparse{cols, {}, {}};
        for (std::int64_t r = 0; r < rows; r += 3) {
            sparse.rows.push_back(static_cast<std::int32_t>(r));
            sparse.values.insert(sparse.values.end(), grad.view().at(r), grad.view().at(r) + cols);
        }
        zeros = std::ranges::count(variable.weights.values, 0.0F);
        kernels.sparse(pool, update, variable.weights.view(), variable.view(), sparse,
                       movesEveryRow(update) ? nullptr : &zeros);
    }
    std::vector<float> all = variable.weights.values;
    for (const auto& slot : variable.slots) {
        all.insert(all.end(), slot.begin(), slot.end());
    }
    all.push_back(static_cast<float>(zeros));
    return all;
}

} // namespace

void TstOptimizerStep::initTestCase()
{
    const QJsonDocument table(goldenTable("optimizers"));
    m_golden = json::parse(table.toJson().toStdString(), nullptr, false);
    QVERIFY(!m_golden.is_discarded());
}

void TstOptimizerStep::followsKerasStepByStep_data()
{
    QTest::addColumn<int>("index");
    const json& cases = m_golden["cases"];
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (cases[i]["api"] == "keras_legacy") {
            QTest::addRow("%s %s %s", cases[i]["class"].get<std::string>().c_str(),
                          cases[i]["gradient"].get<std::string>().c_str(),
                          cases[i]["arguments"].dump().c_str())
                << static_cast<int>(i);
        }
    }
}

void TstOptimizerStep::followsKerasStepByStep()
{
    QFETCH(int, index);
    const json& golden = m_golden["cases"][static_cast<std::size_t>(index)];
    ThreadPool pool(1);
    Rule rule(golden["class"], golden["arguments"]);
    Variable variable(rule, matrixOf(m_golden["initial"]));
    SparseScratch scratch;
    QVERIFY(!golden["steps"].empty());
    for (std::size_t step = 0; step < golden["steps"].size(); ++step) {
        const OptimizerUpdate update = rule.at(static_cast<std::int64_t>(step));
        const OptimizerStepKernels& kernels = optimizerStepKernels({update});
        if (golden["gradient"] == "dense") {
            Matrix grad = matrixOf(m_golden["dense_gradients"][step]);
            clip(pool, rule.arguments, grad.values);
            kernels.dense(pool, update, variable.weights.values, variable.view(), grad.values);
        } else {
            const json& slices = m_golden["sparse_gradients"][step];
            Matrix values = matrixOf(slices["values"]);
            clip(pool, rule.arguments, values.values);
            const auto ids = slices["indices"].get<std::vector<std::int32_t>>();
            SparseGradient grad;
            sumDuplicates(pool, ids, values.view(), scratch, grad);
            kernels.sparse(pool, update, variable.weights.view(), variable.view(), grad, nullptr);
        }
        const json& expected = golden["steps"][step];
        VERIFY_CLOSE(variable.weights.values, matrixOf(expected["value"]).values, 1e-5, 1e-6);
        for (std::size_t s = 0; s < rule.slots.size(); ++s) {
            if (!rule.slots[s].empty()) {
                VERIFY_CLOSE(variable.slots[s],
                             matrixOf(expected["slots"].at(rule.slots[s])).values, 1e-5, 1e-6);
            }
        }
    }
}

void TstOptimizerStep::everyRowAgreesWithTheReference_data()
{
    addRules();
}

void TstOptimizerStep::everyRowAgreesWithTheReference()
{
    QFETCH(int, index);
    const Rule& rule = rules()[static_cast<std::size_t>(index)];
    ThreadPool pool(2);
    for (const auto& [rows, cols] : {std::pair{0, 3}, {1, 1}, {7, 5}, {40, 1}, {601, 33}}) {
        const auto expected = afterThreeSteps(reference::kOptimizerStep, pool, rule, rows, cols);
        for (const auto& row : optimizerStepImplementations()) {
            VERIFY_CLOSE(afterThreeSteps(*row.kernels, pool, rule, rows, cols), expected, 2e-5,
                         2e-6);
        }
    }
}

void TstOptimizerStep::bitsDoNotDependOnThreads_data()
{
    addRules();
}

void TstOptimizerStep::bitsDoNotDependOnThreads()
{
    QFETCH(int, index);
    const Rule& rule = rules()[static_cast<std::size_t>(index)];
    ThreadPool alone(1);
    const auto expected = afterThreeSteps(cpu::kOptimizerStep, alone, rule, 3001, 33);
    for (const int threads : {2, 7}) {
        ThreadPool pool(threads);
        QVERIFY(sameBits(afterThreeSteps(cpu::kOptimizerStep, pool, rule, 3001, 33), expected));
    }
}

void TstOptimizerStep::rowsMayBeApart_data()
{
    addRules();
}

/// Weights and slots side by side, as the rules that leave other rows alone may have them.
void TstOptimizerStep::rowsMayBeApart()
{
    QFETCH(int, index);
    constexpr std::int64_t kRows = 3001;
    constexpr std::int64_t kCell = 4;
    Rule rule = rules()[static_cast<std::size_t>(index)];
    const OptimizerUpdate update = rule.at(0);
    if (movesEveryRow(update)) {
        QSKIP("moves every row");
    }
    ThreadPool pool(2);
    for (const auto& row : optimizerStepImplementations()) {
        Variable variable(rule, Matrix(kRows, 1).fillRandom(1));
        Matrix cells(kRows, kCell);
        const auto column = [&](std::int64_t slot) {
            return std::span(cells.values).subspan(slot);
        };
        for (std::int64_t r = 0; r < kRows; ++r) {
            cells.values[r * kCell] = variable.weights.values[r];
            for (std::int64_t slot = 0; slot + 1 < kCell; ++slot) {
                const std::vector<float>& values = variable.slots[slot];
                cells.values[r * kCell + 1 + slot] = values.empty() ? -7.0F : values[r];
            }
        }
        const auto slotOf = [&](std::int64_t slot) {
            return variable.slots[slot].empty() ? std::span<float>() : column(slot + 1);
        };
        SparseGradient grad{1, {}, {}};
        for (std::int32_t r = 0; r < kRows; r += 3) {
            grad.rows.push_back(r);
            grad.values.push_back(static_cast<float>(r % 7) - 3.0F);
        }
        ZeroCount zeros{0};
        ZeroCount zerosOfCells{0};
        row.kernels->sparse(pool, update, variable.weights.view(), variable.view(), grad, &zeros);
        row.kernels->sparse(pool, update, {cells.values.data(), kRows, 1, kCell},
                            {slotOf(0), slotOf(1), slotOf(2)}, grad, &zerosOfCells);
        QCOMPARE(zerosOfCells.load(), zeros.load());
        for (std::int64_t r = 0; r < kRows; ++r) {
            QCOMPARE(cells.values[r * kCell], variable.weights.values[r]);
            for (std::int64_t slot = 0; slot + 1 < kCell; ++slot) {
                const std::vector<float>& values = variable.slots[slot];
                QCOMPARE(cells.values[r * kCell + 1 + slot], values.empty() ? -7.0F : values[r]);
            }
        }
    }
}

void TstOptimizerStep::averagesAgreeWithTheReferenceForAnyNumberOfThreads()
{
    for (const std::int64_t size : {0, 1, 77, 100003}) {
        const Matrix weights = Matrix(1, size).fillRandom(1);
        const Matrix averages = Matrix(1, size).fillRandom(2);
        const auto averaged = [&](const OptimizerStepKernels& kernels, int threads) {
            ThreadPool pool(threads);
            std::vector<float> result = averages.values;
            kernels.average(pool, weights.values, result, 0.01F);
            return result;
        };
        const std::vector<float> alone = averaged(cpu::kOptimizerStep, 1);
        VERIFY_CLOSE(alone, averaged(reference::kOptimizerStep, 1), 1e-6, 1e-7);
        QVERIFY(sameBits(averaged(cpu::kOptimizerStep, 7), alone));
    }
}

CANNERY_TEST(TstOptimizerStep)
#include "tst_optimizer_step.moc"
