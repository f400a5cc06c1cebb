// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/recurrent_formulas.h"
#include "kernels/ops/recurrent_cell.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstRecurrentCell : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsDoNotDependOnThreads_data();
    void bitsDoNotDependOnThreads();
    void lstmGradientsAreFiniteDifferences();
    void gruGradientsAreFiniteDifferences();
    void farSumsSaturate();
};

namespace {

constexpr double kRelative = 4e-6;
constexpr double kAbsolute = 1e-6;

/// All matrices of a step and of its gradient.
struct Step
{
    Step(const RecurrentRule& ofRule, std::int64_t rows, std::int64_t units)
        : rule(ofRule), gates(rows, gateCount(rule.cell) * units, 3), recurrent(rows, 3 * units, 1),
          previousOutput(rows, units, 2), previousState(rows, units, 5), output(rows, units, 4),
          state(rows, units, 6), kept(rows, gateCount(rule.cell) * units, 2), reset(rows, units, 1),
          outputGrad(rows, units, 7), stateGrad(rows, units, 8), resetGrad(rows, units, 3)
    {
        gates.fillRandom(1);
        recurrent.fillRandom(2);
        previousOutput.fillRandom(3);
        previousState.fillRandom(4);
        outputGrad.fillRandom(5);
        stateGrad.fillRandom(6);
        resetGrad.fillRandom(7);
    }

    RecurrentStep step()
    {
        return {gates.view(),  recurrent.view(), previousOutput.view(), previousState.view(),
                output.view(), state.view(),     kept.view(),           reset.view()};
    }
    void forward(const RecurrentKernels& kernels, ThreadPool& pool)
    {
        if (rule.resetsBefore()) {
            kernels.reset(pool, rule, step());
        }
        kernels.forward(pool, rule, step());
    }
    void backward(const RecurrentKernels& kernels, ThreadPool& pool)
    {
        const RecurrentGradient grad{outputGrad.view(), stateGrad.view(), resetGrad.view()};
        kernels.backward(pool, rule, step(), grad);
        if (rule.resetsBefore()) {
            kernels.resetBackward(pool, rule, step(), grad);
        }
    }
    std::vector<const std::vector<float>*> all() const
    {
        return {&gates.values, &recurrent.values,  &output.values,   &state.values,
                &reset.values, &outputGrad.values, &stateGrad.values};
    }

    RecurrentRule rule;
    Matrix gates;
    Matrix recurrent;
    Matrix previousOutput;
    Matrix previousState;
    Matrix output;
    Matrix state;
    Matrix kept;
    Matrix reset;
    Matrix outputGrad;
    Matrix stateGrad;
    Matrix resetGrad;
};

void addCells()
{
    QTest::addColumn<int>("cell");
    QTest::newRow("simple") << static_cast<int>(RecurrentCell::Simple);
    QTest::newRow("lstm") << static_cast<int>(RecurrentCell::Lstm);
    QTest::newRow("gru") << static_cast<int>(RecurrentCell::Gru);
}

/// Of a cell: the usual one, and one with each function in each place.
std::vector<RecurrentRule> rulesOf(RecurrentCell cell)
{
    std::vector<RecurrentRule> rules{{.cell = cell}};
    for (int function = 0; function < kActivationCount; ++function) {
        const auto activation = static_cast<Activation>(function);
        rules.push_back({.cell = cell, .activation = activation});
        rules.push_back({.cell = cell, .recurrentActivation = activation});
        if (cell == RecurrentCell::Gru) {
            rules.push_back({.cell = cell, .activation = activation, .resetAfter = false});
        }
    }
    return rules;
}

/// (f(x + h) - f(x - h)) / 2h
template <typename Function>
double differenceQuotient(Function&& function)
{
    constexpr double kStep = 1e-5;
    return (function(kStep) - function(-kStep)) / (2 * kStep);
}

} // namespace

void TstRecurrentCell::everyRowAgreesWithTheReference_data()
{
    addCells();
}

void TstRecurrentCell::everyRowAgreesWithTheReference()
{
    QFETCH(int, cell);
    ThreadPool pool(2);
    for (const RecurrentRule& rule : rulesOf(static_cast<RecurrentCell>(cell))) {
        for (const auto& [rows, units] : {std::pair{0, 3}, {1, 1}, {3, 17}, {200, 129}}) {
            Step expected(rule, rows, units);
            expected.forward(reference::kRecurrent, pool);
            for (const auto& row : recurrentImplementations()) {
                if (!row.refusal({.rows = rows, .units = units, .rule = rule}).empty()) {
                    continue;
                }
                Step actual(rule, rows, units);
                actual.forward(*row.kernels, pool);
                Step backward = expected;
                for (std::size_t i = 0; i < actual.all().size(); ++i) {
                    VERIFY_CLOSE(*actual.all()[i], *expected.all()[i], kRelative, kAbsolute);
                }
                Step backwardExpected = expected;
                backwardExpected.backward(reference::kRecurrent, pool);
                backward.backward(*row.kernels, pool);
                for (std::size_t i = 0; i < backward.all().size(); ++i) {
                    VERIFY_CLOSE(*backward.all()[i], *backwardExpected.all()[i], kRelative,
                                 kAbsolute);
                }
            }
        }
    }
}

void TstRecurrentCell::bitsDoNotDependOnThreads_data()
{
    addCells();
}

void TstRecurrentCell::bitsDoNotDependOnThreads()
{
    QFETCH(int, cell);
    for (const RecurrentRule& rule : rulesOf(static_cast<RecurrentCell>(cell))) {
        const RecurrentKernels& kernels =
            recurrentKernels({.rows = 300, .units = 65, .rule = rule});
        ThreadPool one(1);
        Step expected(rule, 300, 65);
        expected.forward(kernels, one);
        expected.backward(kernels, one);
        for (const int threads : {2, 7}) {
            ThreadPool pool(threads);
            Step actual(rule, 300, 65);
            actual.forward(kernels, pool);
            actual.backward(kernels, pool);
            for (std::size_t i = 0; i < actual.all().size(); ++i) {
                QVERIFY(sameBits(*actual.all()[i], *expected.all()[i]));
            }
        }
    }
}

void TstRecurrentCell::lstmGradientsAreFiniteDifferences()
{
    constexpr double kPrevious = 0.7;
    constexpr double kValueGrad = 1.3;
    constexpr double kStateGrad = -0.4;
    // The loss is kValueGrad * value + kStateGrad * state.
    const auto loss = [&](LstmUnit<double> sums, double previous) {
        sums.activate();
        const double state = sums.state(previous);
        return kValueGrad * sums.value(state) + kStateGrad * state;
    };
    const LstmUnit<double> sums{0.3, -0.6, 0.9, 0.2};
    LstmUnit<double> gates = sums;
    gates.activate();
    double stateGrad = kStateGrad;
    const LstmUnit<double> grad =
        gates.gradient(kPrevious, gates.state(kPrevious), kValueGrad, stateGrad);
    for (double LstmUnit<double>::*sum :
         {&LstmUnit<double>::input, &LstmUnit<double>::forget, &LstmUnit<double>::candidate,
          &LstmUnit<double>::output}) {
        const double expected = differenceQuotient([&](double h) {
            LstmUnit<double> moved = sums;
            moved.*sum += h;
            return loss(moved, kPrevious);
        });
        QVERIFY(std::abs(grad.*sum - expected) < 1e-9);
    }
    const double expected = differenceQuotient([&](double h) { return loss(sums, kPrevious + h); });
    QVERIFY(std::abs(stateGrad - expected) < 1e-9);
}

void TstRecurrentCell::gruGradientsAreFiniteDifferences()
{
    constexpr double kPrevious = 0.7;
    const GruUnit<double> input{0.3, -0.6, 0.9};
    const GruUnit<double> recurrent{-0.1, 0.5, 0.8};
    const auto loss = [&](GruUnit<double> sums, const GruUnit<double>& last, double previous) {
        sums.activate(last.update, last.reset, last.candidate);
        return sums.value(previous);
    };
    GruUnit<double> gates = input;
    gates.activate(recurrent.update, recurrent.reset, recurrent.candidate);
    const GruUnit<double> grad = gates.gradient(kPrevious, recurrent.candidate, 1.0);
    for (double GruUnit<double>::*sum :
         {&GruUnit<double>::update, &GruUnit<double>::reset, &GruUnit<double>::candidate}) {
        const auto quotient = [&](bool ofInput) {
            return differenceQuotient([&](double h) {
                GruUnit<double> moved = ofInput ? input : recurrent;
                moved.*sum += h;
                return ofInput ? loss(moved, recurrent, kPrevious) : loss(input, moved, kPrevious);
            });
        };
        QVERIFY(std::abs(grad.*sum - quotient(true)) < 1e-9);
        const bool isCandidate = sum == &GruUnit<double>::candidate;
        QVERIFY(std::abs(grad.*sum * (isCandidate ? gates.reset : 1.0) - quotient(false)) < 1e-9);
    }
    const double direct =
        differenceQuotient([&](double h) { return loss(input, recurrent, kPrevious + h); });
    QVERIFY(std::abs(gates.update - direct) < 1e-9);
}

void TstRecurrentCell::farSumsSaturate()
{
    ThreadPool pool(1);
    for (const float far : {-1e30F, 1e30F}) {
        Step step({.cell = RecurrentCell::Lstm}, 1, 2);
        std::fill(step.gates.values.begin(), step.gates.values.end(), far);
        step.forward(cpu::kRecurrent, pool);
        step.backward(cpu::kRecurrent, pool);
        for (const float value : step.gates.view().row(0)) {
            QCOMPARE(value, 0.0F);
        }
    }
}

CANNERY_TEST(TstRecurrentCell)
#include "tst_recurrent_cell.moc"
