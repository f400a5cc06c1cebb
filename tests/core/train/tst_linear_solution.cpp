// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/linear_solution.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace cannery::train;

namespace {

/// Dense rows of one unit.
LinearProblem problemOf(const std::vector<std::vector<float>>& rows, std::vector<float> targets,
                        LinearLoss loss = LinearLoss::Squares, std::int64_t units = 1)
{
    LinearProblem problem{.loss = loss, .units = units, .targets = std::move(targets)};
    problem.rows.columnCount = static_cast<std::int64_t>(rows.front().size());
    for (const std::vector<float>& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            problem.rows.columns.push_back(static_cast<std::int32_t>(i));
            problem.rows.values.push_back(row[i]);
        }
        problem.rows.rowBegins.push_back(static_cast<std::int64_t>(problem.rows.columns.size()));
    }
    return problem;
}

std::vector<std::int64_t> allRows(const LinearProblem& problem)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(problem.rows.rowCount()));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

double penalized(const LinearProblem& problem, const LinearWeights& weights, double l2)
{
    double value = linearLoss(problem, allRows(problem), weights);
    const auto penalizedCount = static_cast<std::size_t>(problem.rows.columnCount * problem.units);
    for (std::size_t i = 0; i < penalizedCount; ++i) {
        value += l2 * weights[i] * weights[i];
    }
    return value;
}

/// No change of a single weight lowers the penalized loss.
bool isMinimum(const LinearProblem& problem, const LinearWeights& weights, double l2)
{
    const double least = penalized(problem, weights, l2);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        for (const double step : {-1e-3, 1e-3}) {
            LinearWeights moved = weights;
            moved[i] += step;
            if (penalized(problem, moved, l2) < least - 1e-9) {
                return false;
            }
        }
    }
    return true;
}

} // namespace

class TstLinearSolution : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void squaresAreSolvedExactly();
    void aPenaltyShrinksWeightsAndLeavesTheBias();
    void everyLossEndsAtItsMinimum_data();
    void everyLossEndsAtItsMinimum();
    void onlyTheRowsNamedCount();
    void nearlyEqualColumnsAreTold();
    void whatIsKnownBeforeIsTakenOff();
    void fewColumnsAndManyGetTheSameSolution_data();
    void fewColumnsAndManyGetTheSameSolution();
    void columnsFarFromZeroAreSolved();
    void columnsThatSayTheSameAreFinite();
};

void TstLinearSolution::squaresAreSolvedExactly()
{
    // y = 3 a - 2 b + 5
    const LinearProblem problem =
        problemOf({{0, 0}, {1, 0}, {0, 1}, {2, 3}, {-1, 2}}, {5, 8, 3, 5, -2});
    const LinearWeights weights = solveLinear(problem, allRows(problem), 0);
    QCOMPARE(weights.size(), std::size_t(3));
    QVERIFY2(std::fabs(weights[0] - 3) < 1e-6 && std::fabs(weights[1] + 2) < 1e-6 &&
                 std::fabs(weights[2] - 5) < 1e-6,
             qPrintable(QString("%1 %2 %3").arg(weights[0]).arg(weights[1]).arg(weights[2])));
}

void TstLinearSolution::aPenaltyShrinksWeightsAndLeavesTheBias()
{
    // Centred x: w = sum(x y) / (sum(x²) + l2) = 8 / (2 + 2), and the bias is the mean.
    const LinearProblem problem = problemOf({{-1}, {0}, {1}}, {996, 1000, 1004});
    const LinearWeights weights = solveLinear(problem, allRows(problem), 2);
    QVERIFY(std::fabs(weights[0] - 2) < 1e-6);
    QVERIFY(std::fabs(weights[1] - 1000) < 1e-6);
}

void TstLinearSolution::everyLossEndsAtItsMinimum_data()
{
    QTest::addColumn<int>("loss");
    QTest::addColumn<int>("units");
    QTest::addColumn<double>("l2");
    QTest::newRow("squares") << int(LinearLoss::Squares) << 1 << 0.1;
    QTest::newRow("two squares") << int(LinearLoss::Squares) << 2 << 0.1;
    QTest::newRow("logistic") << int(LinearLoss::Logistic) << 1 << 0.1;
    QTest::newRow("logistic, separable") << int(LinearLoss::Logistic) << 1 << 0.001;
    QTest::newRow("softmax") << int(LinearLoss::Softmax) << 3 << 0.1;
}

void TstLinearSolution::everyLossEndsAtItsMinimum()
{
    QFETCH(int, loss);
    QFETCH(int, units);
    QFETCH(double, l2);
    const bool isSoftmax = loss == int(LinearLoss::Softmax);
    std::vector<std::vector<float>> rows;
    std::vector<float> targets;
    for (int i = 0; i < 60; ++i) {
        const float a = std::sin(static_cast<float>(i) * 1.7F);
        const float b = std::cos(static_cast<float>(i) * 0.9F) * 10;
        rows.push_back({a, b, a * b});
        const float label = static_cast<float>(isSoftmax ? i % 3 : i % 2);
        targets.insert(targets.end(), isSoftmax ? 1 : static_cast<std::size_t>(units),
                       l2 < 0.01 ? (a > 0 ? 1.0F : 0.0F) : label);
    }
    const LinearProblem problem = problemOf(rows, targets, static_cast<LinearLoss>(loss), units);
    const LinearWeights weights = solveLinear(problem, allRows(problem), l2);
    QVERIFY(isMinimum(problem, weights, l2));
    QVERIFY(penalized(problem, weights, l2) <
            penalized(problem, LinearWeights(weights.size()), l2));
}

void TstLinearSolution::onlyTheRowsNamedCount()
{
    const LinearProblem problem =
        problemOf({{1}, {2}, {3}, {1e6F}}, {2, 4, 6, std::numeric_limits<float>::max()});
    const std::vector<std::int64_t> rows{2, 0, 1};
    const LinearWeights weights = solveLinear(problem, rows, 0);
    QVERIFY(std::fabs(weights[0] - 2) < 1e-6);
    QVERIFY(linearLoss(problem, rows, weights) < 1e-9);
}

void TstLinearSolution::nearlyEqualColumnsAreTold()
{
    std::vector<std::vector<float>> rows;
    std::vector<float> targets;
    for (int i = 0; i < 50; ++i) {
        const float a = std::sin(static_cast<float>(i));
        const float b = a + 0.001F * std::cos(static_cast<float>(3 * i));
        rows.push_back({a, b});
        targets.push_back(100 * (b - a));
    }
    const LinearProblem problem = problemOf(rows, targets);
    const LinearWeights weights = solveLinear(problem, allRows(problem), 1e-9);
    QVERIFY2(linearLoss(problem, allRows(problem), weights) < 1e-6,
             qPrintable(QString::number(linearLoss(problem, allRows(problem), weights))));
}

void TstLinearSolution::whatIsKnownBeforeIsTakenOff()
{
    LinearProblem problem = problemOf({{0}, {1}, {2}}, {10, 12, 14});
    problem.offsets = {10, 10, 10};
    const LinearWeights weights = solveLinear(problem, allRows(problem), 0);
    QVERIFY(std::fabs(weights[0] - 2) < 1e-6);
    QVERIFY(std::fabs(weights[1]) < 1e-6);
}

void TstLinearSolution::fewColumnsAndManyGetTheSameSolution_data()
{
    QTest::addColumn<int>("units");
    QTest::addColumn<bool>("isWeighted");
    QTest::addColumn<double>("l2");
    QTest::newRow("one unit") << 1 << false << 0.5;
    QTest::newRow("no penalty") << 1 << false << 0.0;
    QTest::newRow("three units") << 3 << false << 0.5;
    QTest::newRow("weighted rows") << 1 << true << 0.5;
}

/// Beyond a number of columns, even if all of them are 0, conjugate gradients are used.
void TstLinearSolution::fewColumnsAndManyGetTheSameSolution()
{
    QFETCH(int, units);
    QFETCH(bool, isWeighted);
    QFETCH(double, l2);
    std::vector<std::vector<float>> rows;
    std::vector<float> targets;
    std::vector<float> weights;
    for (int i = 0; i < 80; ++i) {
        const auto at = static_cast<float>(i);
        rows.push_back({std::sin(at * 1.7F), 5 + std::cos(at * 0.9F), 0.1F * at});
        for (int unit = 0; unit < units; ++unit) {
            targets.push_back(3 * rows.back()[0] - rows.back()[2] + static_cast<float>(unit) +
                              std::sin(at * 31));
        }
        weights.push_back(i % 4 == 0 ? 0.0F : 0.5F + static_cast<float>(i % 3));
    }
    LinearProblem few = problemOf(rows, targets, LinearLoss::Squares, units);
    few.rowWeights = isWeighted ? weights : std::vector<float>();
    LinearProblem many = few;
    many.rows.columnCount = 2000;
    const LinearWeights closed = solveLinear(few, allRows(few), l2);
    const LinearWeights found = solveLinear(many, allRows(many), l2, {}, 1e-9);
    const auto width = static_cast<std::size_t>(units);
    for (std::size_t i = 0; i < closed.size(); ++i) {
        const double other = i < 3 * width ? found[i] : found[i + 1997 * width];
        QVERIFY2(std::fabs(closed[i] - other) < 1e-5,
                 qPrintable(QString("%1: %2, %3").arg(i).arg(closed[i]).arg(other)));
    }
    QVERIFY(isMinimum(few, closed, l2));
}

void TstLinearSolution::columnsFarFromZeroAreSolved()
{
    // Years and a time in seconds: y = 2 (year - 2000) - (time - 1.7e9) / 1e6 + 7
    std::vector<std::vector<float>> rows;
    std::vector<float> targets;
    for (int i = 0; i < 40; ++i) {
        const int year = (i * 7) % 20;
        const int time = i * 1'024'000;
        rows.push_back({static_cast<float>(2000 + year), 1.7e9F + static_cast<float>(time)});
        targets.push_back(2.0F * static_cast<float>(year) -
                          (rows.back()[1] - 1.7e9F) / 1'000'000.0F + 7);
    }
    const LinearProblem problem = problemOf(rows, targets);
    const LinearWeights weights = solveLinear(problem, allRows(problem), 0);
    QVERIFY2(std::fabs(weights[0] - 2) < 1e-5, qPrintable(QString::number(weights[0])));
    QVERIFY2(std::fabs(weights[1] * 1e6 + 1) < 1e-5, qPrintable(QString::number(weights[1])));
    QVERIFY(linearLoss(problem, allRows(problem), weights) < 1e-6);
}

void TstLinearSolution::columnsThatSayTheSameAreFinite()
{
    // Two equal columns, one that is always 4, one that is always 0.
    const LinearProblem problem =
        problemOf({{1, 1, 4, 0}, {2, 2, 4, 0}, {3, 3, 4, 0}}, {12, 14, 16});
    const LinearWeights weights = solveLinear(problem, allRows(problem), 0);
    QVERIFY(std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }));
    QVERIFY(std::fabs(weights[0] + weights[1] - 2) < 1e-5);
    QVERIFY(linearLoss(problem, allRows(problem), weights) < 1e-9);
    const LinearProblem constant = problemOf({{1, 4, 0}, {2, 4, 0}, {3, 4, 0}}, {12, 14, 16});
    const LinearWeights one = solveLinear(constant, allRows(constant), 0);
    QVERIFY(std::fabs(one[0] - 2) < 1e-9);
    QVERIFY(linearLoss(constant, allRows(constant), one) < 1e-12);
}

CANNERY_TEST(TstLinearSolution)
#include "tst_linear_solution.moc"
