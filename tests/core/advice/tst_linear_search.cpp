// SPDX-License-Identifier: Apache-2.0
#include "core/advice/linear_search.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

using namespace cannery;
using namespace cannery::advice;
using train::LinearLoss;
using train::LinearProblem;
using train::LinearWeights;

/// The linear models of the search for a first model.
class TstLinearSearch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowIsHeldOutOnce();
    void fewerRowsHaveMoreFolds_data();
    void fewerRowsHaveMoreFolds();
    void gainsByChanceAreNotClear();
    void noiseIsRegularizedMoreThanALine();
    void usualStrengthIsKeptForClasses();
    void guessingIsTheMeanOfTheOthers();
    void turnedRowsGiveTheSameModel();
    void columnsThatMatterAreSelected();
    void threadsChangeNothing();

private:
    kernels::ThreadPool m_pool{1};
};

namespace {

/// A dense table; `target` is told the row's values.
LinearProblem problemOf(std::size_t rows, std::int32_t columns,
                        const std::function<float(std::mt19937&, const float*)>& target)
{
    std::mt19937 random(7);
    std::normal_distribution<float> cell;
    LinearProblem problem;
    problem.rows.columnCount = columns;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::int32_t column = 0; column < columns; ++column) {
            problem.rows.columns.push_back(column);
            problem.rows.values.push_back(cell(random));
        }
        problem.rows.rowBegins.push_back(static_cast<std::int64_t>(problem.rows.values.size()));
        problem.targets.push_back(
            target(random, problem.rows.values.data() + row * static_cast<std::size_t>(columns)));
    }
    return problem;
}

float noise(std::mt19937& random)
{
    return std::normal_distribution<float>()(random);
}

double workOf(const LinearProblem& problem)
{
    return static_cast<double>(problem.rows.values.size());
}

} // namespace

void TstLinearSearch::everyRowIsHeldOutOnce()
{
    const std::vector<Fold> folds = makeFolds(11, 5, 5);
    QCOMPARE(folds.size(), std::size_t{5});
    std::vector<std::int64_t> heldOut;
    for (const Fold& fold : folds) {
        heldOut.insert(heldOut.end(), fold.heldOut.begin(), fold.heldOut.end());
        std::vector<std::int64_t> all = fold.learned;
        all.insert(all.end(), fold.heldOut.begin(), fold.heldOut.end());
        std::ranges::sort(all);
        std::vector<std::int64_t> expected(11);
        std::iota(expected.begin(), expected.end(), 0);
        QCOMPARE(all, expected);
        QVERIFY(fold.heldOut.size() == 2 || fold.heldOut.size() == 3);
    }
    QCOMPARE(heldOut.size(), std::size_t{11});
    QCOMPARE(makeFolds(11, 5, 1).size(), std::size_t{1});
    const std::vector<std::int64_t> used{40, 50, 60};
    QCOMPARE(rowsAt(used, std::vector<std::int64_t>{2, 0}), (std::vector<std::int64_t>{60, 40}));
}

void TstLinearSearch::fewerRowsHaveMoreFolds_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("folds");
    QTest::newRow("each row") << qint64(60) << qint64(60);
    QTest::newRow("hundreds") << qint64(500) << qint64(10);
    QTest::newRow("thousands") << qint64(2000) << qint64(5);
    QTest::newRow("more") << qint64(5000) << qint64(2);
    QTest::newRow("many") << qint64(20000) << qint64(1);
}

void TstLinearSearch::fewerRowsHaveMoreFolds()
{
    QFETCH(const qint64, rows);
    QFETCH(const qint64, folds);
    QCOMPARE(static_cast<qint64>(LinearSearch(rows, 10, m_pool).folds().size()), folds);
    if (rows >= 500) {
        QVERIFY(LinearSearch(rows, 1e9, m_pool).folds().size() <= 2); // too much work for more
    }
}

void TstLinearSearch::gainsByChanceAreNotClear()
{
    const Scores worse{1.0, 1.1, 0.9, 1.0};
    QVERIFY(isClearlyBetter({0.8, 0.9, 0.7, 0.8}, worse, 1));
    QVERIFY(!isClearlyBetter(worse, {0.8, 0.9, 0.7, 0.8}, 1));
    QVERIFY(!isClearlyBetter({0.5, 1.5, 0.6, 1.3}, worse, 1)); // better by 0.025 on average
    QVERIFY(isClearlyBetter({0.5, 1.5, 0.6, 1.3}, worse, 0));
    QVERIFY(!isClearlyBetter({0.999, 1.099, 0.899, 0.999}, worse, 1)); // always, but invisibly
    QCOMPARE(mean(worse), 1.0);
}

/// Of columns that say nothing, the best weights are none.
void TstLinearSearch::noiseIsRegularizedMoreThanALine()
{
    const LinearProblem line = problemOf(
        200, 5, [](std::mt19937& random, const float* x) { return x[0] + 0.1F * noise(random); });
    const LinearProblem nothing =
        problemOf(200, 5, [](std::mt19937& random, const float*) { return noise(random); });
    const LinearSearch search(200, workOf(line), m_pool);
    const auto ofLine = search.bestStrength(LinearTable(line));
    const auto ofNothing = search.bestStrength(LinearTable(nothing));
    QVERIFY2(ofLine.l2 < 10 && ofNothing.l2 > 50,
             qPrintable(QString("%1 and %2").arg(ofLine.l2).arg(ofNothing.l2)));
    QVERIFY(mean(ofLine.scores) < 0.02);
    QVERIFY(std::abs(mean(ofNothing.scores) - search.guess(nothing)) < 0.1);
    QVERIFY(mean(ofLine.scores) < 0.05 * search.guess(line));
    QCOMPARE(ofLine.scores.size(), search.folds().size());
    QCOMPARE(ofLine.weights.size(), search.folds().size());
}

/// scikit-learn's C = 1 is 0.5 here.
void TstLinearSearch::usualStrengthIsKeptForClasses()
{
    LinearProblem problem = problemOf(300, 3, [](std::mt19937& random, const float* x) {
        return x[0] + 0.5F * noise(random) > 0 ? 1.0F : 0.0F;
    });
    problem.loss = LinearLoss::Logistic;
    const LinearSearch search(300, workOf(problem), m_pool);
    const auto found = search.bestStrength(LinearTable(problem));
    QCOMPARE(found.l2, 0.5);
    QVERIFY(mean(found.scores) < search.guess(problem));
    QVERIFY(std::abs(search.guess(problem) - std::log(2.0)) < 0.02); // classes as frequent
}

/// Of squares: each row's distance from the mean of the rows that are learned from.
void TstLinearSearch::guessingIsTheMeanOfTheOthers()
{
    const LinearProblem problem =
        problemOf(10, 1, [](std::mt19937& random, const float*) { return 3 + noise(random); });
    const LinearSearch search(10, 10, m_pool);
    double expected = 0;
    const double sum = std::accumulate(problem.targets.begin(), problem.targets.end(), 0.0);
    for (const float target : problem.targets) {
        expected += std::pow(target - (sum - target) / 9, 2) / 10;
    }
    QVERIFY(std::abs(search.guess(problem) - expected) < 1e-5 * expected);
}

void TstLinearSearch::turnedRowsGiveTheSameModel()
{
    const LinearProblem problem = problemOf(
        50, 4, [](std::mt19937& random, const float* x) { return x[1] - x[2] + noise(random); });
    const LinearTable table(problem);
    std::vector<std::int64_t> all(50);
    std::iota(all.begin(), all.end(), 0);
    const LinearWeights direct = train::solveLinear(problem, all, 2);
    const LinearWeights turned = table.weightsOf(train::solveLinear(table.simpler(), all, 2));
    QCOMPARE(turned.size(), direct.size());
    for (std::size_t i = 0; i < direct.size(); ++i) {
        QVERIFY2(std::abs(turned[i] - direct[i]) < 1e-4,
                 qPrintable(QString("%1 %2").arg(turned[i]).arg(direct[i])));
    }
}

void TstLinearSearch::columnsThatMatterAreSelected()
{
    const LinearProblem problem = problemOf(120, 10, [](std::mt19937& random, const float* x) {
        return 2 * x[7] + x[2] + 0.3F * noise(random);
    });
    train::ColumnGroups groups{.ofColumn = std::vector<std::size_t>(10), .count = 10};
    std::iota(groups.ofColumn.begin(), groups.ofColumn.end(), std::size_t{0});
    const LinearSearch search(120, workOf(problem), m_pool);
    const auto found = search.select(problem, groups);
    QVERIFY(!found.empty());
    QCOMPARE(found[0].groups, (std::vector<std::size_t>{7, 2}));
    QCOMPARE(found[0].scores.size(), search.folds().size());
    QVERIFY(found.size() < 2 || found[1].groups.size() > 2);
    QVERIFY(LinearSearch(40'000, workOf(problem), m_pool).select(problem, groups).empty());
    QVERIFY(search.select(problem, {.ofColumn = groups.ofColumn, .count = 3}).empty());
}

void TstLinearSearch::threadsChangeNothing()
{
    const LinearProblem problem = problemOf(150, 6, [](std::mt19937& random, const float* x) {
        return x[0] * x[1] + noise(random) > 0 ? 1.0F : 0.0F;
    });
    LinearProblem classes = problem;
    classes.loss = LinearLoss::Logistic;
    kernels::ThreadPool several(3);
    for (const LinearProblem& each : {problem, classes}) {
        const auto one = LinearSearch(150, 900, m_pool).bestStrength(LinearTable(each));
        const auto three = LinearSearch(150, 900, several).bestStrength(LinearTable(each));
        QCOMPARE(three.l2, one.l2);
        QCOMPARE(three.scores, one.scores);
        QVERIFY(three.weights == one.weights);
    }
}

CANNERY_TEST(TstLinearSearch)
#include "tst_linear_search.moc"
