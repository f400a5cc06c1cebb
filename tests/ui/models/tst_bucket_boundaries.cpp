// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/bucket_boundaries.h"
#include "ui/models/tables/column_facts.h"

#include <QTest>

#include <cmath>

using namespace cannery::ui;

namespace {

/// 0, 1, … 100: every hundredth is its own number.
ColumnFacts hundred()
{
    ColumnFacts column{.name = "age", .type = "number"};
    for (int i = 0; i <= 100; ++i) {
        column.quantiles.append(i);
    }
    column.bins = {50, 30, 0, 20};
    column.binsBegin = 0;
    column.binsEnd = 100;
    return column;
}

} // namespace

class TstBucketBoundaries : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void evenBinsHaveAllValues();
    void aFallingFunctionTurnsTheBinsAround();
    void quantilesDivideTheValuesEvenly();
    void frequentValuesMakeFewerBuckets();
    void equalWidthsDivideTheRange();
    void withoutStatisticsThereAreNoBoundaries();
    void textIsReadAsPeopleWriteIt_data();
    void textIsReadAsPeopleWriteIt();
    void numbersReadBackAsTheyAre();
    void stepsAreRound();
    void aNormalizerMovesEdgesAndQuantiles();
};

void TstBucketBoundaries::quantilesDivideTheValuesEvenly()
{
    const auto numbers = NumberDistribution::of(hundred());
    QVERIFY(numbers.isWhole);
    QCOMPARE(quantileBoundaries(numbers, 4), QList<double>({25, 50, 75}));
    QCOMPARE(quantileBoundaries(numbers, 8), QList<double>({13, 25, 38, 50, 63, 75, 88}));
    QVERIFY(quantileBoundaries(numbers, 1).isEmpty());
}

void TstBucketBoundaries::frequentValuesMakeFewerBuckets()
{
    ColumnFacts column = hundred();
    for (int i = 0; i <= 60; ++i) {
        column.quantiles[i] = 0;
    }
    for (int i = 61; i < 100; ++i) {
        column.quantiles[i] = 1;
    }
    // Nothing is below 0.
    QCOMPARE(quantileBoundaries(NumberDistribution::of(column), 10), QList<double>({1}));
}

void TstBucketBoundaries::equalWidthsDivideTheRange()
{
    ColumnFacts column = hundred();
    QCOMPARE(equalBoundaries(NumberDistribution::of(column), 4), QList<double>({25, 50, 75}));
    column.quantiles.first() = 0.1;
    column.quantiles.last() = 0.4;
    const QList<double> thirds = equalBoundaries(NumberDistribution::of(column), 3);
    QCOMPARE(boundariesText(thirds), QString("0.2, 0.3"));
    column.quantiles.last() = column.quantiles.first();
    QVERIFY(equalBoundaries(NumberDistribution::of(column), 3).isEmpty());
}

void TstBucketBoundaries::withoutStatisticsThereAreNoBoundaries()
{
    QVERIFY(quantileBoundaries({}, 5).isEmpty());
    QVERIFY(equalBoundaries({}, 5).isEmpty());
    QVERIFY(NumberDistribution::of({}).isEmpty());
}

void TstBucketBoundaries::textIsReadAsPeopleWriteIt_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<double>>("values");
    QTest::addColumn<QString>("problem");
    using Numbers = QList<double>;
    QTest::newRow("commas") << "5, 10, 18" << Numbers{5, 10, 18} << "";
    QTest::newRow("spaces") << " -1.5  2e3;3000 " << Numbers{-1.5, 2000, 3000} << "";
    QTest::newRow("true minus") << QStringLiteral("−2, 4") << Numbers{-2, 4} << "";
    QTest::newRow("word") << "5, ten" << Numbers{5} << QStringLiteral("“ten” is not a number.");
    QTest::newRow("infinite") << "inf" << Numbers{} << QStringLiteral("“inf” is not a number.");
    QTest::newRow("falling") << "5, 3" << Numbers{5}
                             << "3 is not greater than 5: boundaries must increase.";
    QTest::newRow("twice") << "5, 5" << Numbers{5}
                           << "5 is not greater than 5: boundaries must increase.";
    QTest::newRow("none") << " , " << Numbers{} << "At least one boundary is needed.";
}

void TstBucketBoundaries::textIsReadAsPeopleWriteIt()
{
    QFETCH(QString, text);
    QFETCH(QList<double>, values);
    QFETCH(QString, problem);
    const ReadBoundaries read = readBoundaries(text);
    QCOMPARE(read.values, values);
    QCOMPARE(read.problem, problem);
}

void TstBucketBoundaries::numbersReadBackAsTheyAre()
{
    const QList<double> values{-0.1, 0.30000000000000004, 1e-9, 1234567.125, 1e300};
    QList<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    QCOMPARE(readBoundaries(boundariesText(sorted)).values, sorted);
    QCOMPARE(boundariesField({5, 10}), QString("[5, 10]"));
    QVERIFY(isIncreasing(sorted));
    QVERIFY(!isIncreasing({1, 1}));
    QVERIFY(!isIncreasing({1, std::nan("")}));
}

void TstBucketBoundaries::stepsAreRound()
{
    auto numbers = NumberDistribution::of(hundred());
    QCOMPARE(boundaryStep(numbers), 1.0);
    numbers.isWhole = false;
    QCOMPARE(boundaryStep(numbers), 0.5);
    QCOMPARE(roundedToStep(17.26, 0.5), 17.5);
    QCOMPARE(roundedToStep(0.1 + 0.2, 0.1), 0.3);
    QCOMPARE(roundedToStep(12345, 1000), 12000.0);
}

void TstBucketBoundaries::aNormalizerMovesEdgesAndQuantiles()
{
    const auto numbers = NumberDistribution::of(hundred());
    const auto halves = numbers.mapped([](double x) { return x / 2; });
    QCOMPARE(halves.edges, QList<double>({0, 12.5, 25, 37.5, 50}));
    QCOMPARE(halves.quantiles[50], 25.0);
    QCOMPARE(halves.counts, numbers.counts);
    QVERIFY(!halves.isWhole);
    // log(0) has no place on an axis.
    const auto logs = numbers.mapped([](double x) { return std::log(x); });
    QVERIFY(logs.isEmpty() && logs.quantiles.isEmpty());
}

void TstBucketBoundaries::evenBinsHaveAllValues()
{
    NumberDistribution numbers{.edges = {0, 50, 100}, .counts = {600, 400}};
    for (int i = 0; i <= 100; ++i) {
        numbers.quantiles.append(i < 20 ? 0 : i);
    }
    // Equally wide bins stay as they were counted.
    QCOMPARE(numbers.evened(10).counts, numbers.counts);
    const NumberDistribution logs =
        numbers.mapped([](double x) { return std::log(x + 1); }).evened(10);
    QCOMPARE(logs.edges.size(), 11);
    QCOMPARE(logs.edges.first(), 0.0);
    QCOMPARE(logs.edges.last(), std::log(101));
    double sum = 0;
    for (const double count : logs.counts) {
        sum += count;
    }
    QVERIFY(std::abs(sum - 1000) < 1e-9);
    // A fifth of the values is 0; the bin below the largest value has e^-0.4615 … of those above.
    QVERIFY(logs.counts.first() >= 190);
    QVERIFY2(std::abs(logs.counts.last() - 1000 * 0.373) < 10,
             qPrintable(QString::number(logs.counts.last())));
}

void TstBucketBoundaries::aFallingFunctionTurnsTheBinsAround()
{
    NumberDistribution numbers{.edges = {0, 1, 2}, .counts = {3, 4}};
    const NumberDistribution turned = numbers.mapped([](double x) { return -x; });
    QCOMPARE(turned.edges, QList<double>({-2, -1, 0}));
    QCOMPARE(turned.counts, QList<double>({4, 3}));
}

CANNERY_TEST(TstBucketBoundaries)
#include "tst_bucket_boundaries.moc"
