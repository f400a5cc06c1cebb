// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/principal_components.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <cmath>
#include <numbers>

using namespace cannery::kernels;

namespace {

/// Points on an ellipse around (10, -3) with half axes 4 and 1, turned by 30 degrees.
std::vector<double> turnedEllipse()
{
    std::vector<double> rows;
    const double turn = std::numbers::pi / 6;
    for (int i = 0; i < 360; ++i) {
        const double angle = i * std::numbers::pi / 180;
        const double a = 4 * std::cos(angle);
        const double b = std::sin(angle);
        rows.push_back(10 + a * std::cos(turn) - b * std::sin(turn));
        rows.push_back(-3 + a * std::sin(turn) + b * std::cos(turn));
    }
    return rows;
}

void compareClosely(double found, double wanted)
{
    QVERIFY2(std::fabs(found - wanted) < 1e-9 * (1 + std::fabs(wanted)),
             qPrintable(QString("%1 instead of %2").arg(found).arg(wanted)));
}

} // namespace

class TstPrincipalComponents : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void axesOfAnEllipseAreItsOwn();
    void projectionsHaveTheVariancesToldAndNothingInCommon();
    void fewRowsHaveTheSameComponentsAsMany();
    void constantColumnsTakeNoPart();
    void rowsThatAreAllTheSameHaveNoComponents_data();
    void rowsThatAreAllTheSameHaveNoComponents();
    void noMoreAreFoundThanAskedFor();
};

void TstPrincipalComponents::axesOfAnEllipseAreItsOwn()
{
    const PrincipalComponents found = principalComponents(turnedEllipse(), 2, 9);
    QCOMPARE(found.variances.size(), std::size_t(2));
    compareClosely(found.means[0], 10);
    compareClosely(found.means[1], -3);
    // The mean of (4 cos)² and of sin².
    compareClosely(found.variances[0], 8);
    compareClosely(found.variances[1], 0.5);
    compareClosely(found.totalVariance, 8.5);
    compareClosely(found.axes[0], std::sqrt(3.0) / 2);
    compareClosely(found.axes[1], 0.5);
    // Forward: its longest entry is positive.
    compareClosely(found.axes[2], -0.5);
    compareClosely(found.axes[3], std::sqrt(3.0) / 2);
}

void TstPrincipalComponents::projectionsHaveTheVariancesToldAndNothingInCommon()
{
    const std::vector<double> rows = turnedEllipse();
    const PrincipalComponents found = principalComponents(rows, 2, 2);
    const std::vector<double> scores = projected(found, rows);
    QCOMPARE(scores.size(), rows.size());
    double first = 0;
    double second = 0;
    double both = 0;
    for (std::size_t i = 0; i < scores.size(); i += 2) {
        first += scores[i] * scores[i] / 360;
        second += scores[i + 1] * scores[i + 1] / 360;
        both += scores[i] * scores[i + 1] / 360;
    }
    compareClosely(first, 8);
    compareClosely(second, 0.5);
    compareClosely(both, 0);
}

void TstPrincipalComponents::fewRowsHaveTheSameComponentsAsMany()
{
    // Three rows of five numbers; each of them twice has more rows than columns and the same
    // variances.
    const std::vector<double> few{1, 2, 3, 4, 5, 2, 0, 1, -1, 4, 9, 9, 1, 0, 2};
    std::vector<double> many(few);
    many.insert(many.end(), few.begin(), few.end());
    const PrincipalComponents wide = principalComponents(few, 5, 5);
    const PrincipalComponents tall = principalComponents(many, 5, 5);
    QCOMPARE(wide.variances.size(), std::size_t(2));
    QCOMPARE(tall.variances.size(), std::size_t(2));
    compareClosely(wide.totalVariance, tall.totalVariance);
    for (std::size_t i = 0; i < 2; ++i) {
        compareClosely(wide.variances[i], tall.variances[i]);
    }
    for (std::size_t i = 0; i < wide.axes.size(); ++i) {
        compareClosely(wide.axes[i], tall.axes[i]);
    }
}

void TstPrincipalComponents::constantColumnsTakeNoPart()
{
    const PrincipalComponents found =
        principalComponents(std::vector<double>{1, 7e5, 2, 7e5, 3, 7e5, 6, 7e5}, 2, 2);
    QCOMPARE(found.variances.size(), std::size_t(1));
    compareClosely(found.variances[0], 3.5);
    compareClosely(found.axes[0], 1);
    QCOMPARE(found.axes[1], 0.0);
}

void TstPrincipalComponents::rowsThatAreAllTheSameHaveNoComponents_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::newRow("no rows") << 0 << 3;
    QTest::newRow("no columns") << 0 << 0;
    QTest::newRow("one row") << 1 << 3;
    QTest::newRow("same rows") << 7 << 3;
    QTest::newRow("same rows, few") << 3 << 20;
}

void TstPrincipalComponents::rowsThatAreAllTheSameHaveNoComponents()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    std::vector<double> all;
    for (int i = 0; i < rows * columns; ++i) {
        all.push_back(0.1 + 1e6 * (i % columns));
    }
    const PrincipalComponents found =
        principalComponents(all, static_cast<std::size_t>(columns), 5);
    QVERIFY(found.variances.empty());
    QVERIFY(found.axes.empty());
    QCOMPARE(found.totalVariance, 0.0);
    QVERIFY(projected(found, all).empty());
}

void TstPrincipalComponents::noMoreAreFoundThanAskedFor()
{
    const PrincipalComponents found = principalComponents(turnedEllipse(), 2, 1);
    QCOMPARE(found.variances.size(), std::size_t(1));
    QCOMPARE(found.axes.size(), std::size_t(2));
    compareClosely(found.totalVariance, 8.5);
}

CANNERY_TEST(TstPrincipalComponents)
#include "tst_principal_components.moc"
