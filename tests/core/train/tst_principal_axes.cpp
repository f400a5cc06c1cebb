// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/column_selection.h"
#include "core/train/preparation/principal_axes.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace cannery::train;

namespace {

float wave(std::size_t row, std::size_t column)
{
    return static_cast<float>(std::sin(1.7 * static_cast<double>(row * (column + 3))) +
                              0.3 * std::cos(static_cast<double>(row + 5 * column)) + 0.5);
}

/// The targets depend on columns 1 and 2, plus some noise.
LinearProblem waves(std::size_t rows, std::size_t columns, LinearLoss loss = LinearLoss::Squares)
{
    LinearProblem problem{.loss = loss};
    problem.rows.columnCount = static_cast<std::int64_t>(columns);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            problem.rows.columns.push_back(static_cast<std::int32_t>(column));
            problem.rows.values.push_back(wave(row, column));
        }
        problem.rows.rowBegins.push_back(static_cast<std::int64_t>(problem.rows.columns.size()));
        const float signal = 3 * wave(row, 1) - 2 * wave(row, 2) + 0.1F * wave(row, 999);
        problem.targets.push_back(loss == LinearLoss::Squares ? signal : signal > 0.5F ? 1.0F : 0);
    }
    return problem;
}

std::vector<std::int64_t> firstRows(std::size_t count)
{
    std::vector<std::int64_t> rows(count);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

} // namespace

class TstPrincipalAxes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void turnedRowsHaveTheSameSolutions_data();
    void turnedRowsHaveTheSameSolutions();
    void manyRowsAndColumnsStayAsTheyAre();
    void leavingOutOneByOneIsExact_data();
    void leavingOutOneByOneIsExact();
    void whatTheTargetIsMadeOfIsSelectedFirst_data();
    void whatTheTargetIsMadeOfIsSelectedFirst();
};

void TstPrincipalAxes::turnedRowsHaveTheSameSolutions_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("loss");
    for (const LinearLoss loss : {LinearLoss::Squares, LinearLoss::Logistic}) {
        QTest::addRow("long, loss %d", int(loss)) << 60 << 7 << int(loss);
        QTest::addRow("wide, loss %d", int(loss)) << 20 << 50 << int(loss);
    }
}

void TstPrincipalAxes::turnedRowsHaveTheSameSolutions()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(int, loss);
    const LinearProblem problem =
        waves(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), LinearLoss(loss));
    const std::optional<TurnedRows> turned = turnedToAxes(problem.rows);
    QVERIFY(turned.has_value());
    QVERIFY(turned->rows.columnCount <= std::min(rows, columns));
    LinearProblem simpler = problem;
    simpler.rows = turned->rows;
    const std::vector<std::int64_t> some = firstRows(static_cast<std::size_t>(rows) - 4);
    const LinearWeights wanted = solveLinear(problem, some, 0.7);
    const LinearWeights solved = solveLinear(simpler, some, 0.7);
    const LinearWeights back = turnedBack(*turned, solved, 1);
    QCOMPARE(back.size(), wanted.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
        QVERIFY2(std::fabs(back[i] - wanted[i]) < 1e-4,
                 qPrintable(QString("%1: %2 %3").arg(i).arg(back[i]).arg(wanted[i])));
    }
    const std::vector<std::int64_t> last{rows - 2, rows - 1};
    QVERIFY(std::fabs(linearLoss(problem, last, wanted) - linearLoss(simpler, last, solved)) <
            1e-3 * linearLoss(problem, last, wanted));
}

void TstPrincipalAxes::manyRowsAndColumnsStayAsTheyAre()
{
    QVERIFY(!turnedToAxes(waves(600, 600).rows).has_value());
}

void TstPrincipalAxes::leavingOutOneByOneIsExact_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::newRow("long") << 30 << 6;
    QTest::newRow("wide") << 12 << 40;
}

void TstPrincipalAxes::leavingOutOneByOneIsExact()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    const LinearProblem problem =
        waves(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    const std::optional<TurnedRows> turned = turnedToAxes(problem.rows);
    QVERIFY(turned.has_value());
    const std::vector<double> errors = leaveOneOutSquares(*turned, problem.targets, 1, 0.3);
    for (std::int64_t out = 0; out < rows; ++out) {
        std::vector<std::int64_t> others = firstRows(static_cast<std::size_t>(rows));
        others.erase(others.begin() + out);
        const std::vector<std::int64_t> left{out};
        const double wanted = linearLoss(problem, left, solveLinear(problem, others, 0.3));
        const double found = errors[static_cast<std::size_t>(out)];
        QVERIFY2(std::fabs(found - wanted) < 1e-4 * (1 + wanted),
                 qPrintable(QString("row %1: %2 %3").arg(out).arg(found).arg(wanted)));
    }
}

void TstPrincipalAxes::whatTheTargetIsMadeOfIsSelectedFirst_data()
{
    QTest::addColumn<int>("loss");
    QTest::newRow("squares") << int(LinearLoss::Squares);
    QTest::newRow("logistic") << int(LinearLoss::Logistic);
}

void TstPrincipalAxes::whatTheTargetIsMadeOfIsSelectedFirst()
{
    QFETCH(int, loss);
    const LinearProblem problem = waves(80, 12, LinearLoss(loss));
    // Columns 1 and 4 are one group, all others are separate.
    ColumnGroups groups{.ofColumn = {0, 1, 2, 3, 1, 4, 5, 6, 7, 8, 9, 10}, .count = 11};
    const std::vector<std::int64_t> rows = firstRows(60);
    const std::vector<SelectedGroup> selected = selectForward(problem, rows, groups, 3, 0.5);
    QCOMPARE(selected.size(), std::size_t(3));
    QCOMPARE(std::min(selected[0].group, selected[1].group), std::size_t(1));
    QCOMPARE(std::max(selected[0].group, selected[1].group), std::size_t(2));
    const LinearWeights& weights = selected[1].weights;
    for (const std::size_t column : {0, 3, 5, 6, 7, 8, 9, 10, 11}) {
        QCOMPARE(weights[column], 0.0);
    }
    QVERIFY(weights[1] > 0 && weights[2] < 0 && weights[4] != 0);
    QVERIFY(linearLoss(problem, rows, weights) < linearLoss(problem, rows, selected[0].weights));
    QCOMPARE(selectForward(problem, rows, groups, 99, 0.5).size(), std::size_t(11));
}

CANNERY_TEST(TstPrincipalAxes)
#include "tst_principal_axes.moc"
